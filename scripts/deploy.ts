import path from "node:path";
import { Command } from "commander";
import { unstable_readConfig as readConfig } from "wrangler";
import { CUSTOMER_SEARCHES } from "../src/customer/search/scope.ts";
import { JURISDICTIONS } from "../src/inbox/jurisdiction.ts";
import { bindingName, DEFAULT_PROGRAM } from "../src/programs/programs.ts";
import { databaseExists } from "./lib/database.ts";
import { migrate, migrationArgs, migrationState } from "./lib/migrations.ts";
import { environmentFlag, environmentName } from "./lib/options.ts";
import { type ConfiguredProgram, checkHistory, configuredPrograms, variablesOf } from "./lib/program-config.ts";
import { CommandError, main, ROOT } from "./lib/project.ts";
import { replicateReads } from "./lib/replication.ts";
import { checkBundle } from "./lib/worker-bundle.ts";
import { runWrangler } from "./lib/wrangler.ts";

interface Options {
  /** As wrangler.toml names it; the top level, production, has no name. */
  env: string;
  dryRun?: boolean;
}

const program = new Command("npm run deploy --")
  .description("Migrate the database of each program and deploy the Worker to Cloudflare. What is missing is made.")
  .option("--env <name>", "production or staging", environmentName, "production")
  .option("--dry-run", "build everything and reach nothing")
  .showHelpAfterError("Try: npm run deploy -- --help")
  .addHelpText("after", "\nWho you are: CLOUDFLARE_API_TOKEN, or npm run wrangler -- login. More: docs/deploying.md")
  .action(deploy);

await main(() => program.parseAsync());

async function deploy({ env, dryRun }: Options): Promise<void> {
  refuseUnknownWords(env);
  refuseEveryIssuer(env);
  checkHistory(env);
  if (!dryRun) await refuseStranger();
  console.error(`The Worker is ${await checkBundle()}.`);
  if (dryRun) {
    console.error("Nothing was deployed.");
    return;
  }

  await refuseMissingSecrets(env);
  const programs = configuredPrograms(env);
  for (const program of programs) if (!(await databaseExists(program.binding, env))) await createDatabase(program, env);
  // Expand, deploy, contract: what runs now must go on running on the migrated databases, so migrations come first, and
  // code that needs one runs only once it is everywhere.
  await migrateAll(programs, env);
  await setReplication(programs, env);
  const { status } = await runWrangler(["deploy", environmentFlag(env)]);
  if (status !== 0)
    throw new CommandError(`The deployment failed; see wrangler's output above. All databases are migrated, and the Worker that ran before goes on
with them. Remove the cause, then run this again: ${deployLine(env)}`);
  console.error(`Deployed to ${env}. Is it well? Ask /health at the address above.`);
}

function deployLine(env: string): string {
  return env === "production" ? "npm run deploy" : `npm run deploy -- --env ${env}`;
}

/** The Worker takes a misspelt search as `none`, and has no inboxes in a misspelt jurisdiction: better to hear of it now. */
function refuseUnknownWords(env: string): void {
  for (const [name, words] of Object.entries({ CUSTOMER_SEARCH: CUSTOMER_SEARCHES, JURISDICTION: JURISDICTIONS })) {
    const value = variablesOf(env)[name] ?? "";
    if (value !== "" && !words.some((known) => known === value))
      throw new CommandError(`${name} of ${env} is ${value}. It must be ${words.join(", ")}.`);
  }
}

/** The keys at some addresses sign for every project of an identity provider: any user of any of them would be let in. */
function refuseEveryIssuer(env: string): void {
  const variables = variablesOf(env);
  for (const { name } of configuredPrograms(env)) {
    const [setting, issuer] = ["JWT_CUSTOMERS_WITHOUT_SCOPE", "JWT_ISSUER"].map((base) => ({
      name: bindingName(base, name),
      value: variables[bindingName(base, name)] ?? variables[base] ?? "",
    }));
    if (!["", "true"].includes(setting?.value ?? ""))
      throw new CommandError(`${setting?.name} of ${env} is ${setting?.value}. It must be true, or empty.`);
    if (setting?.value === "true" && issuer?.value === "")
      throw new CommandError(
        `${setting.name} of ${env} is true, so ${issuer.name} must be set: docs/tokens.md says why.`,
      );
  }
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
      `The Worker of ${env} has no ${missing.join(", ")} yet: npm run wrangler -- secret put ${missing[0]} ${flag}`,
    );
}

/** Wrangler would make it while it deploys, and the Worker would run for a while without tables. */
async function createDatabase({ databaseName: name }: ConfiguredProgram, env: string): Promise<void> {
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

/** Migrates one database after the other. The first that fails ends the deployment, with the state of each. */
async function migrateAll(programs: readonly ConfiguredProgram[], env: string): Promise<void> {
  for (const [index, program] of programs.entries()) {
    const { name, databaseName } = program;
    const which = name === DEFAULT_PROGRAM ? "the default program" : `the program ${name}`;
    console.error(`Migrating ${databaseName}, the database of ${which} …`);
    if (await migrate(program, env)) continue;
    const before = programs.slice(0, index).map((one) => `${one.databaseName}: migrated`);
    const after = programs.slice(index + 1).map((one) => `${one.databaseName}: as before`);
    const states = [...before, await migrationState(program, env), ...after].map((line) => `  ${line}`).join("\n");
    throw new CommandError(`The migration of ${databaseName} failed, so nothing was deployed; see wrangler's output above.
${states}
The Worker that ran before goes on. Remove the cause, then go on where it stopped: ${deployLine(env)}
To try the migration alone: npm run wrangler -- ${migrationArgs(program, env).join(" ")}`);
  }
}

/** Without replicas everything works, from farther away: so a refusal is told, and ends nothing. */
async function setReplication(programs: readonly ConfiguredProgram[], env: string): Promise<void> {
  const names = programs.map(({ databaseName }) => databaseName);
  const accountId = process.env.CLOUDFLARE_ACCOUNT_ID || configOf(env).account_id;
  try {
    await replicateReads(names, accountId);
    console.error(`Reads are answered by the nearest replica: read replication of ${names.join(", ")} is automatic.`);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(`Read replication could not be switched on, so the primary answers every read until it is. ${error.message}
Give the API token the permission D1 Edit and deploy again, or do it in the dashboard: D1, the database, Settings,
Enable Read Replication. The databases: ${names.join(", ")}`);
  }
}

function configOf(env: string) {
  return readConfig({ config: path.join(ROOT, "wrangler.toml"), env: env === "production" ? undefined : env });
}
