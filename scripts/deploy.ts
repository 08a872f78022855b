import { Command, InvalidArgumentError } from "commander";
import { CommandError, main, runTool } from "./lib/project.ts";
import { buildReference } from "./lib/reference.ts";
import { checkBundle } from "./lib/worker-bundle.ts";

interface Options {
  /** As wrangler.toml names it; the top level, production, has no name. */
  env: string;
  dryRun?: boolean;
}

const ENVIRONMENTS = ["production", "staging"];

const program = new Command("npm run deploy --")
  .description("Migrate the database and deploy the Worker to Cloudflare.")
  .option("--env <name>", "production or staging", environment, "production")
  .option("--dry-run", "build everything and reach nothing")
  .showHelpAfterError("Try: npm run deploy -- --help")
  .addHelpText("after", "\nWho you are: CLOUDFLARE_API_TOKEN, or npx wrangler login. More: docs/deploying.md")
  .action(deploy);

await main(async () => {
  await program.parseAsync();
});

async function deploy({ env, dryRun }: Options): Promise<void> {
  await buildReference();
  console.error(`The Worker is ${await checkBundle()}.`);
  if (dryRun) {
    console.error("Nothing was deployed.");
    return;
  }

  const target = `--env=${env === "production" ? "" : env}`;
  await refuseStranger();
  // Expand, deploy, contract: what runs now must go on running on the migrated database, so migrations come first.
  if (await hasDatabase(target)) await migrate(target);
  else {
    console.error("The database is not there yet: the first deployment makes it.");
    await wrangler("The deployment", ["deploy", target]);
    await migrate(target);
  }
  await wrangler("The deployment", ["deploy", target]);
  console.error(`Deployed to ${env}. Is it well? Ask /health at the address above.`);
}

async function refuseStranger(): Promise<void> {
  if (process.env.CLOUDFLARE_API_TOKEN) return;
  const { output } = await runTool("wrangler", ["whoami"], { capture: true });
  if (/not authenticated/i.test(output))
    throw new CommandError("Cloudflare does not know you: set CLOUDFLARE_API_TOKEN, or run npx wrangler login.");
}

async function hasDatabase(target: string): Promise<boolean> {
  const { status, output } = await runTool("wrangler", ["d1", "info", "DB", target], { capture: true });
  if (status === 0) return true;
  if (/could ?n.t find|not found|does not exist|no .*database_id|missing/i.test(output)) return false;
  throw new CommandError(`The database cannot be looked up.\n${output}`);
}

function migrate(target: string): Promise<void> {
  return wrangler("The migration", ["d1", "migrations", "apply", "DB", "--remote", target]);
}

async function wrangler(what: string, args: readonly string[]): Promise<void> {
  const { status } = await runTool("wrangler", args);
  if (status !== 0)
    throw new CommandError(
      `${what} failed; what wrangler says of it stands above. Try it alone: npx wrangler ${args.join(" ")}`,
    );
}

function environment(name: string): string {
  if (!ENVIRONMENTS.includes(name)) throw new InvalidArgumentError(`It must be ${ENVIRONMENTS.join(" or ")}.`);
  return name;
}
