import { buildAppPage } from "../lib/app-page.ts";
import { serveAppSession } from "../lib/app-session.ts";
import { askDatabase, type DatabaseLocation } from "../lib/database.ts";
import { stateFolder } from "../lib/options.ts";
import { withProgress } from "../lib/progress.ts";
import { CommandError, Interrupted } from "../lib/project.ts";
import { isReady, loadDemo, loadLately, prepare, type ServiceOptions, serve } from "../lib/service.ts";
import { devToken } from "../lib/tokens.ts";
import { DEMO_CUSTOMER, demoLines } from "../program/program.ts";

export interface StartOptions extends Omit<ServiceOptions, "persistTo" | "variables"> {
  env: string;
  cors?: string;
  jwks?: string;
  var: Record<string, string>;
  persistTo?: string;
  demo: boolean;
}

/** What a database has. If loading the demo program was cut off, it has only the first lines of the program, or none. */
type Contents = "first lines" | "demo" | "other data";

/** Prepares the service and runs it. Never resolves, but after Ctrl-C. */
export async function startService({
  demo,
  env,
  persistTo = stateFolder(env),
  ...otherOptions
}: StartOptions): Promise<void> {
  const { cors, jwks, var: others, ...serviceOptions } = otherOptions;
  const variables = {
    ...(cors !== undefined && { CORS_ORIGINS: cors }),
    ...(jwks !== undefined && { JWKS_URL: jwks }),
    ...others,
  };
  const options = { ...serviceOptions, env, persistTo, variables };
  const session = await serveAppSession(options.port, env);
  let hasStarted = false;
  try {
    const app = await withProgress("Building the example app", () => buildAppPage(session.url));
    await prepare(options, app);
    await run(options, demo, () => {
      hasStarted = true;
    });
  } catch (error) {
    // Ctrl-C is how a running service is stopped. Before that it cuts the start off, which the status says.
    if (!(error instanceof Interrupted && hasStarted)) throw error;
    console.error(error.message);
  } finally {
    session.close();
  }
}

/** Runs the service. Never resolves. @throws Interrupted after Ctrl-C or a kill. */
async function run(options: ServiceOptions, demo: boolean, onStarted: () => void): Promise<never> {
  const contents = demo ? await lookForDemo(options) : "other data";
  const url = `http://127.0.0.1:${options.port}`;
  const stop = new AbortController();
  const server = serve(options, stop.signal);
  try {
    if (!(await withProgress("Starting the service", () => isReady(url, server))))
      throw new CommandError("The server did not start; see wrangler's output above.");
    await introduce(url, options, contents);
    onStarted();
  } catch (error) {
    stop.abort();
    // After Ctrl-C, the error is only a consequence, and the server's promise rejects with Interrupted.
    await server;
    throw error;
  }
  const { status } = await server;
  throw new CommandError(`The server ended by itself, with status ${status}.`);
}

/** Loads the demo program where it is missing, and prints what to try. */
async function introduce(url: string, database: ServiceOptions, contents: Contents): Promise<void> {
  const { env, logs } = database;
  if (contents === "first lines") await loadDemo(url, env);
  if (contents !== "other data") {
    await loadLately(url, database);
    const token = await devToken({ scope: "customer", customerId: DEMO_CUSTOMER }, env);
    console.log(tryIt(url, DEMO_CUSTOMER, token));
  }
  if (logs) console.log(ABOUT_LOGS);
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
      OR EXISTS (SELECT 1 FROM program_state WHERE retention_steps > 0) AS has_last_line`;
  const [[row] = []] = await askDatabase<Record<string, number>>([query], database);
  if (row?.has_last_line) return "demo";
  return row?.has_first_line || !row?.has_accounts ? "first lines" : "other data";
}

const ABOUT_LOGS = `
# The log
#   [wrangler:info]  each request, by wrangler
#   WARNING          each answer of 400 or more, and why
#   {"requestId" …   each request that failed, was slow or wrote, as Workers Logs has it (docs/monitoring.md)
`;

/** What `npm start` prints of the demo program: the address of the app, a customer's token, and commands to copy. */
function tryIt(url: string, customerId: string, token: string): string {
  const ask = `curl -s -H "Authorization: Bearer $TOKEN" ${url}/api/v1/customer`;
  return `
The example app is at ${url}/app/: a customer's app, and beside it a till that changes it while you watch.

# A token of the demo customer ${customerId}, good for 30 days
TOKEN=${token}

# The customer, with their balance at each chain
${ask}/me

# The coupons that the customer can use
${ask}/coupons
`;
}
