import { spawnSync } from "node:child_process";
import { Option } from "commander";
import * as z from "zod";
import { refuseUnready } from "./lib/account.ts";
import { ask, type Cloudflare, openCloudflare, permissionFor } from "./lib/cloudflare-api.ts";
import { findMissing, isService, runningVersions } from "./lib/deployed.ts";
import { environmentNames, refuseShared, refuseWrongVariables, STAGING, settingsOf } from "./lib/environments.ts";
import { migrate } from "./lib/migrations.ts";
import { newCommand, withEnvironment } from "./lib/options.ts";
import { CommandError, ROOT } from "./lib/project.ts";
import { findOrMakeResources } from "./lib/resources.ts";
import { deleteWorker } from "./lib/temporary-worker.ts";
import { checkBundle, refuseWrongConfig, runWranglerFor } from "./lib/wrangler.ts";

interface Options {
  env: string;
  all?: boolean;
  migrate?: boolean;
  older?: boolean;
  closeSockets?: boolean;
  takeDomain: string[];
}

export const program = withEnvironment(newCommand("npm run deploy"))
  .description("Migrate the database and deploy the Worker to Cloudflare. Missing resources are created.")
  .addOption(new Option("--all", "every program, staging first").conflicts("env"))
  .option("--migrate", "migrate the database, but deploy no Worker")
  .option("--older", "deploy although a newer version has migrated the database")
  .option("--close-sockets", "end open sockets at once, so that apps listen again")
  .option("--take-domain <name...>", "take a domain that leads elsewhere now", [])
  .addHelpText(
    "after",
    "\nLog in with CLOUDFLARE_API_TOKEN, or with npm run wrangler -- login. More: docs/deploying.md",
  )
  .action(run);

async function run({ env, all, ...how }: Options): Promise<void> {
  // Staging comes first.
  const names = all
    ? environmentNames().sort((first, second) => Number(second === STAGING) - Number(first === STAGING))
    : [env];
  for (const name of names) {
    refuseWrongVariables(name);
    refuseShared(name);
    refuseWrongConfig(name);
  }
  await refuseUnready(names, how.takeDomain);
  if (!how.migrate) console.error(`The Worker: ${await checkBundle(names[0])}.`);
  for (const name of names) {
    if (all) console.error(`\nDeploying ${name} …`);
    await deploy(name, how);
  }
}

async function deploy(
  env: string,
  { migrate: migrateOnly, older: isOlder = false, closeSockets }: Omit<Options, "env" | "all">,
): Promise<void> {
  const { worker, databaseName, patterns } = settingsOf(env);
  const cloudflare = await openCloudflare(env);
  const resources = await findOrMakeResources(cloudflare, env);
  console.error(`Migrating ${databaseName} …`);
  // The former Worker works with the migrated database until the new Worker runs everywhere.
  await migrate(cloudflare, { env, databaseId: resources.databaseId, isOlder });
  if (migrateOnly) return;
  await setReplication(cloudflare, databaseName, resources.databaseId);
  // A probe that was killed may have left its Worker.
  await deleteWorker(cloudflare, `${worker}-probe`);
  const commit = commitOfClone();
  const tagArgs = commit === "" ? [] : ["--tag", commit];
  const args = ["deploy", ...tagArgs, ...(closeSockets ? ["--durable-objects-code-update-mode", "immediate"] : [])];
  const before = await runningVersions(cloudflare, env);
  const { status, output } = await runWranglerFor(env, args, { place: resources, capture: "and show" });
  const fault = await faultOf(cloudflare, env, { before, status }).catch((error) => {
    if (error instanceof CommandError) return `Nobody knows whether the new version of ${env} runs. ${error.message}`;
    throw error;
  });
  if (fault !== null)
    throw new CommandError(
      `${fault}${adviceIn(output)} See wrangler's output above. Remove the cause, then run the same command again.`,
    );
  const ownAddress = patterns[0] && `https://${patterns[0].replace(/\/.*/, "")}`;
  const address = ownAddress ?? /https:\/\/\S+\.workers\.dev/.exec(output)?.[0] ?? "its address";
  console.error(`Deployed ${env}. To see whether it works, ask ${address}/health`);
}

/** What is wrong after wrangler has ended, because it may fail or warn before or after it has deployed the version. */
async function faultOf(cloudflare: Cloudflare, env: string, { before, status }: { before: string; status: number }) {
  if ((await runningVersions(cloudflare, env)) === before)
    return (await isService(cloudflare, env))
      ? "The deployment failed. The database is migrated, and the version that ran before still runs."
      : "The deployment failed. The database is migrated, but no version of the service runs.";
  const missing = await findMissing(cloudflare, env);
  if (missing.length > 0) return `The new version of ${env} runs, but without ${missing.join(", ")}.`;
  return status === 0
    ? null
    : `The new version of ${env} runs, and lacks nothing that this command looks at. But wrangler failed.`;
}

/** The permission that wrangler was refused for, if any. */
function adviceIn(output: string): string {
  const [, path] = /\(\/accounts\/\w+(\S+)\) failed\.[\s\S]{0,200}?\[code: (?:10000|9109)\]/.exec(output) ?? [];
  return path === undefined ? "" : ` ${permissionFor(path)}`;
}

/** The commit of this clone, with a plus sign if files have changed since; empty without a clone or git. */
function commitOfClone(): string {
  // Cloudflare takes a tag of at most 25 characters.
  const args = ["--git-dir=.git", "describe", "--always", "--exclude=*", "--abbrev=12", "--dirty=+"];
  return spawnSync("git", args, { cwd: ROOT, encoding: "utf8" }).stdout?.trim() ?? "";
}

/**
 * Switches read replication on, for which wrangler has no command
 * (https://developers.cloudflare.com/api/resources/d1/subresources/database/methods/update). A refusal does not end the
 * deployment: without replicas everything works, but more slowly for distant clients.
 */
async function setReplication(cloudflare: Cloudflare, name: string, databaseId: string): Promise<void> {
  try {
    await ask(cloudflare, `PUT /d1/database/${databaseId}`, z.unknown(), { read_replication: { mode: "auto" } });
    console.error(`Reads are answered by the nearest replica: read replication of ${name} is automatic.`);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(`Read replication could not be switched on. Unless it is on already, the primary answers every read. ${error.message}
Deploy again, or do it in the dashboard: D1, ${name}, Settings, Enable Read Replication.`);
  }
}
