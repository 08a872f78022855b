import { Command, Option } from "commander";
import { databaseExists } from "./lib/database.ts";
import {
  configOf,
  DEVELOPMENT,
  databaseName,
  environmentFlag,
  environmentNames,
  flagOf,
  PRODUCTION,
  refuseShared,
  refuseWrongVariables,
  STAGING,
  variablesOf,
} from "./lib/environments.ts";
import { migrate, migrationArgs, migrationState } from "./lib/migrations.ts";
import { environmentName } from "./lib/options.ts";
import { CommandError, main } from "./lib/project.ts";
import { replicateReads } from "./lib/replication.ts";
import { checkBundle } from "./lib/worker-bundle.ts";
import { runWrangler } from "./lib/wrangler.ts";

interface Options {
  env: string;
  all?: boolean;
  dryRun?: boolean;
}

const program = new Command("npm run deploy --")
  .description("Migrate the database and deploy the Worker to Cloudflare. What is missing is made.")
  .option("--env <name>", "which environment of wrangler.toml", environmentName, PRODUCTION)
  .addOption(new Option("--all", "every environment, staging first").conflicts("env"))
  .option("--dry-run", "build everything and reach nothing")
  .showHelpAfterError("Try: npm run deploy -- --help")
  .addHelpText("after", "\nWho you are: CLOUDFLARE_API_TOKEN, or npm run wrangler -- login. More: docs/deploying.md")
  .action(run);

await main(() => program.parseAsync());

async function run({ env, all, dryRun }: Options): Promise<void> {
  const names = all
    ? environmentNames().sort((one, other) => Number(other === STAGING) - Number(one === STAGING))
    : [env];
  for (const name of names) refuseWrong(name);
  if (!dryRun) await refuseStranger();
  console.error(`The Worker is ${await checkBundle()}.`);
  if (dryRun) {
    console.error("Nothing was deployed.");
    return;
  }
  for (const [index, name] of names.entries()) {
    try {
      if (all) console.error(`\nDeploying ${name} …`);
      await deploy(name);
    } catch (error) {
      if (all)
        console.error(`Deployed: ${listOf(names.slice(0, index))}. Not deployed: ${listOf(names.slice(index))}.`);
      throw error;
    }
  }
}

function listOf(names: readonly string[]): string {
  return names.join(", ") || "none";
}

async function deploy(env: string): Promise<void> {
  await refuseMissingSecrets(env);
  if (!(await databaseExists(env))) await createDatabase(env);
  // Expand, deploy, contract: what runs now must go on running on the migrated database, so migrations come first, and
  // code that needs one runs only once it is everywhere.
  await migrateDatabase(env);
  await setReplication(env);
  const { status } = await runWrangler(["deploy", environmentFlag(env)]);
  if (status !== 0)
    throw new CommandError(`The deployment failed; see wrangler's output above. The database is migrated, and the Worker that ran before goes on
with it. Remove the cause, then run this again: ${deployLine(env)}`);
  console.error(`Deployed ${env}. Is it well? Ask /health at the address above.`);
}

function deployLine(env: string): string {
  return env === PRODUCTION ? "npm run deploy" : `npm run deploy --${flagOf(env)}`;
}

/** @throws a CommandError that says in a line what is wrong with an environment. */
function refuseWrong(env: string): void {
  refuseWrongVariables(env);
  const { WORKER_NAME, ENVIRONMENT } = variablesOf(env);
  const { name } = configOf(env);
  // A bucket is marked with it, and the Worker cannot know its own name.
  if (WORKER_NAME !== name) throw new CommandError(`WORKER_NAME of ${env} must be the name of its Worker, ${name}.`);
  // Tells a deployment from what runs on somebody's machine.
  if (env === DEVELOPMENT)
    throw new CommandError(`No environment can be deployed as ${DEVELOPMENT}: give it another name.`);
  if (ENVIRONMENT !== env) throw new CommandError(`ENVIRONMENT of ${env} must be the name of its environment, ${env}.`);
  refuseShared(env);
}

async function refuseStranger(): Promise<void> {
  if (process.env.CLOUDFLARE_API_TOKEN) return;
  const { output } = await runWrangler(["whoami"], { capture: true });
  if (/not authenticated/i.test(output))
    throw new CommandError(
      "Cloudflare does not know you: set CLOUDFLARE_API_TOKEN, or run npm run wrangler -- login once.",
    );
}

/** A Worker without its secrets is refused at the end of a deployment: better before anything is made or migrated. */
async function refuseMissingSecrets(env: string): Promise<void> {
  const flag = environmentFlag(env);
  const { status, output } = await runWrangler(["secret", "list", flag, "--format=json"], { capture: true });
  // The Worker of a first deployment is not there yet: putting a secret makes an empty one.
  if (status !== 0 && !/Worker "[^"]*".* not found/.test(output))
    throw new CommandError(`The Worker's secrets cannot be looked up.\n${output.trim()}`);
  const names = new Set([...output.matchAll(/"name": "([^"]*)"/g)].map(([, name]) => name));
  const required: readonly string[] = configOf(env).secrets?.required ?? [];
  const missing = required.filter((name) => !names.has(name));
  if (missing.length > 0)
    throw new CommandError(
      `The Worker of ${env} has no ${missing.join(", ")} yet. Make one for it alone (openssl rand -base64 48), then: npm run wrangler -- secret put ${missing[0]} ${flag}`,
    );
}

/** Wrangler would make it while it deploys, and the Worker would run for a while without tables. */
async function createDatabase(env: string): Promise<void> {
  const name = databaseName(env);
  const jurisdiction = variablesOf(env).JURISDICTION ?? "";
  const place = jurisdiction === "" ? [] : ["--jurisdiction", jurisdiction];
  const { status, output } = await runWrangler(["d1", "create", name, environmentFlag(env), ...place], {
    capture: true,
  });
  if (status !== 0)
    throw new CommandError(
      `The database ${name} could not be made, so nothing was migrated or deployed.\n${output.trim()}\nRemove the cause, then run this again: ${deployLine(env)}`,
    );
  console.error(`Made the database ${name}. It is found by that name: there is nothing to write down.`);
}

async function migrateDatabase(env: string): Promise<void> {
  const name = databaseName(env);
  console.error(`Migrating ${name} …`);
  if (await migrate(env)) return;
  throw new CommandError(`The migration of ${name} failed, so nothing was deployed; see wrangler's output above.
  ${await migrationState(env)}
The Worker that ran before goes on. Remove the cause, then go on where it stopped: ${deployLine(env)}
To try the migration alone: npm run wrangler -- ${migrationArgs(env).join(" ")}`);
}

/** Without replicas everything works, from farther away: so a refusal is told, and ends nothing. */
async function setReplication(env: string): Promise<void> {
  const name = databaseName(env);
  const accountId = process.env.CLOUDFLARE_ACCOUNT_ID || configOf(env).account_id;
  try {
    await replicateReads(name, accountId);
    console.error(`Reads are answered by the nearest replica: read replication of ${name} is automatic.`);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(`Read replication could not be switched on, so the primary answers every read until it is. ${error.message}
Give the API token the permission D1 Edit and deploy again, or do it in the dashboard: D1, ${name}, Settings,
Enable Read Replication.`);
  }
}
