import { InvalidArgumentError } from "commander";
import { invalidOrigins } from "../src/middleware/cors.ts";
import { buildAppPage } from "./lib/app-page.ts";
import { serveAppSession } from "./lib/app-session.ts";
import { askDatabase, type DatabaseLocation } from "./lib/database.ts";
import { newCommand, stateFolder, wholeNumber, withEnvironment } from "./lib/options.ts";
import { CommandError, stoppable } from "./lib/project.ts";
import { loadDemo, prepare, type ServiceOptions, serve } from "./lib/service.ts";
import { devToken } from "./lib/tokens.ts";
import { tryIt } from "./lib/try-it.ts";
import { DEMO_CUSTOMER, demoLines } from "./program/program.ts";

interface Options extends Omit<ServiceOptions, "persistTo"> {
  env: string;
  persistTo?: string;
  demo: boolean;
}

/** What a database has. If loading the demo program was cut off, it has only the first lines of the program. */
type Contents = "nothing" | "first lines" | "demo" | "other data";

export const program = withEnvironment(
  newCommand("npm start").description(
    "Start the service on this machine: migrated, with the demo program loaded, and with a token to call it.",
  ),
)
  .option("--port <n>", "the port to listen on", wholeNumber(1, 65_535), 8787)
  .option("--persist-to <dir>", "the folder of the local database, if it is not the environment's own")
  .option("--no-demo", "leave the database as it is")
  .option("--cors <origins>", 'the origins whose pages may call, with commas between them, or "*"', originList)
  .action(start);

async function start({ demo, env, persistTo = stateFolder(env), ...otherOptions }: Options): Promise<void> {
  const options = { ...otherOptions, env, persistTo };
  const session = await serveAppSession(options.port, env);
  try {
    await prepare(options, await buildAppPage(session.url));
    await run(options, demo);
  } finally {
    session.close();
  }
}

async function run(options: ServiceOptions & { env: string }, demo: boolean): Promise<void> {
  const { env } = options;
  const contents = demo ? await lookForDemo(options) : "other data";
  await stoppable(async (stop) => {
    const service = serve(options);
    // A terminal sends Ctrl-C to the server too. A kill reaches only this process, so this process passes it on.
    stop.addEventListener("abort", () => service.stop());
    try {
      const isReady = await service.ready;
      if (!isReady && !stop.aborted) throw new CommandError("The server did not start; see wrangler's output above.");
      if (isReady && !stop.aborted) await introduce(service.url, env, contents);
      const status = await service.ended;
      if (!stop.aborted) throw new CommandError(`The server ended by itself, with status ${status}.`);
    } finally {
      service.stop();
    }
  });
  console.error("Stopped.");
}

/** Loads the demo program where it is missing, and prints what to try. */
async function introduce(url: string, env: string, contents: Contents): Promise<void> {
  if (contents === "nothing" || contents === "first lines") await loadDemo(url, env);
  if (contents !== "other data") {
    const token = await devToken({ scope: "customer", customerId: DEMO_CUSTOMER }, env);
    console.log(tryIt(url, DEMO_CUSTOMER, token));
  }
  console.log(`The reference is at ${url}, with a token filled in. Ctrl-C stops it.`);
}

async function lookForDemo(database: DatabaseLocation): Promise<Contents> {
  const lines = demoLines();
  const firstLine = lines[0];
  const lastLine = lines.at(-1);
  const query = `SELECT
    EXISTS (SELECT 1 FROM accounts) AS has_accounts,
    EXISTS (SELECT 1 FROM accounts WHERE id = '${firstLine?.id}') AS has_first_line,
    EXISTS (SELECT 1 FROM plays WHERE id = '${lastLine?.id}')
      OR EXISTS (SELECT 1 FROM history_segments) AS has_last_line`;
  const [[row] = []] = await askDatabase<Record<string, number>>([query], database);
  if (row?.has_last_line) return "demo";
  if (row?.has_first_line) return "first lines";
  return row?.has_accounts ? "other data" : "nothing";
}

function originList(text: string): string {
  const wrongOrigins = invalidOrigins(text);
  if (wrongOrigins.length === 0) return text;
  throw new InvalidArgumentError(
    `${wrongOrigins.join(", ")} must be like http://localhost:5173, without a path or a slash.`,
  );
}
