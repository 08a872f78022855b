import { Option } from "commander";
import * as z from "zod";
import { refuseUnready } from "./lib/account.ts";
import { accountOf, ask, type Cloudflare, openCloudflare } from "./lib/cloudflare-api.ts";
import {
  DEVELOPMENT,
  databaseName,
  environmentNames,
  PRODUCTION,
  refuseShared,
  refuseWrongVariables,
  STAGING,
  variablesOf,
  wranglerEnvOption,
} from "./lib/environments.ts";
import { migrate } from "./lib/migrations.ts";
import { newCommand, withEnvironment } from "./lib/options.ts";
import { CommandError } from "./lib/project.ts";
import { findOrMakeResources, writeDeployConfig } from "./lib/resources.ts";
import { checkBundles, runWrangler } from "./lib/wrangler.ts";

interface Options {
  env: string;
  all?: boolean;
  migrate?: boolean;
}

export const program = withEnvironment(newCommand("npm run deploy"))
  .description("Migrate the database and deploy the Worker to Cloudflare. Missing resources are created.")
  .addOption(new Option("--all", "every environment, staging first").conflicts("env"))
  .option("--migrate", "migrate the database, but deploy no Worker")
  .addHelpText(
    "after",
    "\nLog in with CLOUDFLARE_API_TOKEN, or with npm run wrangler -- login. More: docs/deploying.md",
  )
  .action(run);

async function run({ env, all, migrate: migrateOnly = false }: Options): Promise<void> {
  // Staging comes first.
  const names = all
    ? environmentNames().sort((first, second) => Number(second === STAGING) - Number(first === STAGING))
    : [env];
  for (const name of names) refuseWrongSettings(name);
  await refuseUnready(names);
  if (!migrateOnly) console.error(`The Worker: ${(await checkBundles(names)).join(", ")}.`);
  for (const name of names) {
    if (all) console.error(`\nDeploying ${name} …`);
    await deploy(name, migrateOnly);
  }
}

async function deploy(env: string, migrateOnly: boolean): Promise<void> {
  const cloudflare = await openCloudflare(accountOf(env));
  const resources = await findOrMakeResources(cloudflare, env);
  console.error(`Migrating ${databaseName(env)} …`);
  // The former Worker works with the migrated database until the new Worker runs everywhere.
  await migrate(cloudflare, env, resources.databaseId);
  if (migrateOnly) return;
  await setReplication(cloudflare, env, resources.databaseId);
  // The written configuration has only this environment, at its top level.
  const args = ["deploy", wranglerEnvOption(PRODUCTION), "--config", writeDeployConfig(env, resources)];
  const { status, output } = await runWrangler(args, { capture: "and show" });
  if (status !== 0)
    throw new CommandError(`The deployment failed; see wrangler's output above. The database is migrated, and the Worker that ran before still
runs. Remove the cause, then run the same command again.`);
  console.error(`Deployed ${env}. To see whether it works, ask ${addressIn(output)}/health`);
}

/** The address of the Worker in wrangler's output: its own domain, or else the one at workers.dev. */
function addressIn(output: string): string {
  const [, domain] = /^\s+(\S+) \(custom domain\)/m.exec(output) ?? [];
  if (domain !== undefined) return `https://${domain}`;
  return /https:\/\/\S+\.workers\.dev/.exec(output)?.[0] ?? "its address";
}

function refuseWrongSettings(env: string): void {
  refuseWrongVariables(env);
  const { ENVIRONMENT } = variablesOf(env);
  // By this name the Worker knows that `npm start` runs it.
  if (env === DEVELOPMENT)
    throw new CommandError(`No environment can be deployed as ${DEVELOPMENT}: give it another name.`);
  if (ENVIRONMENT !== env) throw new CommandError(`ENVIRONMENT of ${env} must be the name of its environment, ${env}.`);
  refuseShared(env);
}

/**
 * Switches read replication on, for which wrangler has no command
 * (https://developers.cloudflare.com/api/resources/d1/subresources/database/methods/update). A refusal does not end the
 * deployment: without replicas everything works, but more slowly for distant clients.
 */
async function setReplication(cloudflare: Cloudflare, env: string, databaseId: string): Promise<void> {
  const name = databaseName(env);
  try {
    await ask(cloudflare, `PUT /d1/database/${databaseId}`, z.unknown(), { read_replication: { mode: "auto" } });
    console.error(`Reads are answered by the nearest replica: read replication of ${name} is automatic.`);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(`Read replication could not be switched on, so the primary answers every read until it is. ${error.message}
Deploy again, or do it in the dashboard: D1, ${name}, Settings, Enable Read Replication.`);
  }
}
