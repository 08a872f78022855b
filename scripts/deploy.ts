import path from "node:path";
import { Command } from "commander";
import { unstable_readConfig as readConfig } from "wrangler";
import { CUSTOMER_SEARCHES } from "../src/customer/search/scope.ts";
import { DEFAULT_PROGRAM } from "../src/programs/programs.ts";
import { databaseExists } from "./lib/database.ts";
import { environmentFlag, environmentName } from "./lib/options.ts";
import { type ConfiguredProgram, configuredPrograms } from "./lib/program-config.ts";
import { CommandError, main, ROOT } from "./lib/project.ts";
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

await main(async () => {
  await program.parseAsync();
});

async function deploy({ env, dryRun }: Options): Promise<void> {
  refuseUnknownSearch(env);
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
  for (const program of programs) await migrate(program, env);
  await wrangler("The deployment failed", ["deploy", environmentFlag(env)], "terminal");
  console.error(`Deployed to ${env}. Is it well? Ask /health at the address above.`);
}

/** The Worker takes a misspelt word as `none`: better to hear of it before nobody is found. */
function refuseUnknownSearch(env: string): void {
  const value = configOf(env).vars?.CUSTOMER_SEARCH ?? "";
  if (value !== "" && !CUSTOMER_SEARCHES.some((known) => known === value))
    throw new CommandError(`CUSTOMER_SEARCH of ${env} is ${value}. It must be ${CUSTOMER_SEARCHES.join(", ")}.`);
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
  const { status, output } = await runWrangler(["d1", "create", name, environmentFlag(env)], { capture: true });
  if (status !== 0) throw new CommandError(`The database ${name} could not be made.\n${output.trim()}`);
  console.error(`Made the database ${name}. It is found by that name: there is nothing to write down.`);
}

/**
 * Whoever runs this has said yes to migrations: with nothing to read from, wrangler does not ask again, where no would
 * go on to deploy without them.
 */
async function migrate({ name, binding, databaseName }: ConfiguredProgram, env: string): Promise<void> {
  const which = name === DEFAULT_PROGRAM ? "the default program" : `the program ${name}`;
  console.error(`Migrating ${databaseName}, the database of ${which} …`);
  const args = ["d1", "migrations", "apply", binding, "--remote", environmentFlag(env)];
  await wrangler(`The migration of ${databaseName} failed, so nothing was deployed`, args, "nobody");
}

function configOf(env: string) {
  return readConfig({ config: path.join(ROOT, "wrangler.toml"), env: env === "production" ? undefined : env });
}

async function wrangler(what: string, args: readonly string[], reads: "terminal" | "nobody"): Promise<void> {
  const { status } = await runWrangler(args, { reads });
  if (status !== 0)
    throw new CommandError(`${what}; see wrangler's output above. Try it alone: npm run wrangler -- ${args.join(" ")}`);
}
