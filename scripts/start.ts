import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Command, InvalidArgumentError } from "commander";
import { DEMO_CUSTOMER, demoLines, lastEntryId } from "./demo/program.ts";
import { devCustomerToken, devFeedToken, ensureDevVars } from "./lib/dev-token.ts";
import { sendLines } from "./lib/feed-client.ts";
import { CommandError, main, ROOT, runTool, TOOL_ENV } from "./lib/project.ts";
import { buildDevelopmentReference } from "./lib/reference.ts";
import { tryIt } from "./lib/try-it.ts";

interface Options {
  port: number;
  persistTo: string;
  demo: boolean;
  cors?: string;
}

const READY_WITHIN_MS = 60_000;
const TOP_LEVEL = "--env=";

const program = new Command("npm start --")
  .description(
    "Start the service on this machine: migrated, with the demo program loaded, and with a token to call it.",
  )
  .option("--port <n>", "the port to listen on", portNumber, 8787)
  .option("--persist-to <dir>", "where the local database is kept", path.join(ROOT, ".wrangler", "state"))
  .option("--no-demo", "leave the database as it is")
  .option("--cors <origins>", 'the origins whose pages may call, with commas between them, or "*"')
  .action(start);

await main(async () => {
  await program.parseAsync();
});

async function start({ port, persistTo, demo, cors }: Options): Promise<void> {
  await refuseTakenPort(port);
  ensureDevVars();
  const local = ["--local", "--persist-to", path.resolve(persistTo), TOP_LEVEL];
  const token = await devCustomerToken(DEMO_CUSTOMER);
  const reference = path.join(path.resolve(persistTo), "reference");
  buildDevelopmentReference(reference, token);
  console.error("Migrating the local database …");
  await migrate(local);
  const loadsDemo = demo && (await needsDemo(local));

  const server = spawn(
    path.join(ROOT, "node_modules", ".bin", "wrangler"),
    ["dev", "--port", String(port), "--ip", "127.0.0.1", "--persist-to", path.resolve(persistTo), TOP_LEVEL].concat(
      "--var",
      "ENVIRONMENT:development",
      ...(cors === undefined ? [] : ["--var", `CORS_ORIGINS:${cors}`]),
      `--assets=${reference}`,
      "--show-interactive-dev-session=false",
      "--log-level=warn",
    ),
    { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"], env: TOOL_ENV },
  );
  const ended = once(server, "exit");
  // A terminal sends Ctrl-C to the server too; a kill is passed on. Either way this waits for the server to end.
  let stopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      stopping = true;
      server.kill(signal);
    });
  }

  const url = `http://127.0.0.1:${port}`;
  const ready = await Promise.race([isReady(url), ended.then(() => false)]);
  if (!ready && !stopping) {
    server.kill();
    throw new CommandError("The server did not start; what wrangler says of it stands above.");
  }
  if (ready && loadsDemo) await loadDemo(url);
  if (ready) console.log(tryIt(url, DEMO_CUSTOMER, token));
  const [status] = await ended;
  if (!stopping) throw new CommandError(`The server ended by itself, with status ${status}.`);
  console.error("Stopped.");
}

async function refuseTakenPort(port: number): Promise<void> {
  const probe = createServer();
  probe.listen(port, "127.0.0.1");
  try {
    await once(probe, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "EADDRINUSE" ? "is in use" : `cannot be listened on (${code})`;
    throw new CommandError(`Port ${port} ${why}. Choose another: npm start -- --port ${port + 1}`);
  }
  probe.close();
  await once(probe, "close");
}

async function migrate(local: readonly string[]): Promise<void> {
  const { status, output } = await runTool("wrangler", ["d1", "migrations", "apply", "DB", ...local], {
    capture: true,
  });
  if (status !== 0) throw new CommandError(`The local database could not be migrated.\n${output}`);
}

/** Whether the database is empty, or holds a demo program whose loading was cut short. */
async function needsDemo(local: readonly string[]): Promise<boolean> {
  const [first] = demoLines();
  const query = `SELECT NOT EXISTS (SELECT 1 FROM accounts) OR (
    EXISTS (SELECT 1 FROM accounts WHERE id = '${first?.id}')
    AND NOT EXISTS (SELECT 1 FROM balance_entries WHERE id = '${lastEntryId()}')) AS needed`;
  const args = ["d1", "execute", "DB", ...local, "--json", "--command", query];
  const { status, output } = await runTool("wrangler", args, { capture: true });
  if (status !== 0) throw new CommandError(`The local database could not be read.\n${output}`);
  const json = output.slice(output.indexOf("["), output.lastIndexOf("]") + 1);
  const [answer] = JSON.parse(json) as { results: { needed: number }[] }[];
  return answer?.results[0]?.needed === 1;
}

async function isReady(url: string): Promise<boolean> {
  for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline; await sleep(100)) {
    const answers = await fetch(url).then(
      () => true,
      () => false,
    );
    if (answers) return true;
  }
  return false;
}

async function loadDemo(url: string): Promise<void> {
  const lines = demoLines().map((line, index) => ({ number: index + 1, bytes: Buffer.from(JSON.stringify(line)) }));
  console.error(`Loading the demo program: ${lines.length.toLocaleString("en")} lines …`);
  await sendLines({ url, token: await devFeedToken("*", 1) }, lines);
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) throw new InvalidArgumentError("It must be 1 to 65535.");
  return port;
}
