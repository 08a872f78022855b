import path from "node:path";
import { Command } from "commander";
import { DEFAULT_PROGRAM } from "../src/programs/programs.ts";
import { DEMO_CUSTOMER, demoLines, lastEntryId } from "./demo/program.ts";
import { buildAppPage } from "./lib/app-page.ts";
import { serveAppSession } from "./lib/app-session.ts";
import { askDatabase } from "./lib/database.ts";
import { devCustomerToken } from "./lib/dev-token.ts";
import { localPrograms } from "./lib/local-config.ts";
import { originList, portNumber, programNames } from "./lib/options.ts";
import { CommandError, main, ROOT } from "./lib/project.ts";
import { loadDemo, prepare, type ServiceOptions, serve } from "./lib/service.ts";
import { tryIt, tryWithoutDemo } from "./lib/try-it.ts";

const program = new Command("npm start --")
  .description(
    "Start the service on this machine: migrated, with the demo program loaded, and with a token to call it.",
  )
  .option("--port <n>", "the port to listen on", portNumber, 8787)
  .option("--persist-to <dir>", "where the local database is stored", path.join(ROOT, ".wrangler", "state"))
  .option("--programs <names>", "serve these programs too, with commas between them", programNames)
  .option("--no-demo", "leave the databases as they are")
  .option("--cors <origins>", 'the origins whose pages may call, with commas between them, or "*"', originList)
  .action(start);

await main(() => program.parseAsync());

async function start(options: ServiceOptions & { demo: boolean }): Promise<void> {
  const session = await serveAppSession(options.port);
  try {
    await prepare(options, await buildAppPage(session.url));
    await run(options);
  } finally {
    session.close();
  }
}

async function run({ demo, ...options }: ServiceOptions & { demo: boolean }): Promise<void> {
  const programs = localPrograms(options);
  const toLoad: string[] = [];
  const withDemo: string[] = [];
  for (const name of demo ? programs : []) {
    const held = await lookForDemo(options.persistTo, name);
    if (held === "nothing" || held === "part") toLoad.push(name);
    if (held !== "other data") withDemo.push(name);
  }

  const service = serve(options);
  // A terminal sends Ctrl-C to the server too; a kill is passed on. Either way this waits for the server to end.
  let stopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      stopping = true;
      service.stop(signal);
    });
  }

  const ready = await service.ready;
  if (!ready && !stopping) {
    service.stop("SIGTERM");
    throw new CommandError("The server did not start; see wrangler's output above.");
  }
  for (const name of ready ? toLoad : []) await loadDemo(service.url, name);
  if (ready && withDemo.includes(DEFAULT_PROGRAM))
    console.log(tryIt(service.url, DEMO_CUSTOMER, await devCustomerToken(DEMO_CUSTOMER)));
  else if (ready) console.log(tryWithoutDemo(service.url));
  for (const name of ready ? withDemo.filter((one) => one !== DEFAULT_PROGRAM) : []) {
    const token = await devCustomerToken(DEMO_CUSTOMER, 30, name);
    console.log(`# A token of ${DEMO_CUSTOMER} in the program ${name}\nTOKEN=${token}\n`);
  }
  const status = await service.ended;
  if (!stopping) throw new CommandError(`The server ended by itself, with status ${status}.`);
  console.error("Stopped.");
}

/** Whether a program's database holds the demo program, a part of it because its loading was cut short, or something else. */
async function lookForDemo(persistTo: string, program: string): Promise<"nothing" | "part" | "whole" | "other data"> {
  const [first] = demoLines();
  const query = `SELECT
    EXISTS (SELECT 1 FROM accounts) AS anything,
    EXISTS (SELECT 1 FROM accounts WHERE id = '${first?.id}') AS first,
    EXISTS (SELECT 1 FROM balance_entries WHERE id = '${lastEntryId()}')
      OR EXISTS (SELECT 1 FROM history_segments) AS last`;
  const [[held] = []] = await askDatabase<Record<"anything" | "first" | "last", number>>([query], {
    persistTo,
    program,
  });
  if (held?.last) return "whole";
  if (held?.first) return "part";
  return held?.anything ? "other data" : "nothing";
}
