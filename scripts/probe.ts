import { randomBytes } from "node:crypto";
import path from "node:path";
import { sha256Of } from "../src/values/sha256.ts";
import { openCloudflare } from "./lib/cloudflare-api.ts";
import { STAGING } from "./lib/environments.ts";
import { expectSameProgram } from "./lib/handshake.ts";
import { environmentName, newCommand, serviceUrl } from "./lib/options.ts";
import { CommandError, ROOT } from "./lib/project.ts";
import { findDatabase } from "./lib/resources.ts";
import { untilAnswered, withTemporaryWorker } from "./lib/temporary-worker.ts";
import { configOf, runWrangler, writeConfig } from "./lib/wrangler.ts";
import { deploymentWith, MEASUREMENTS } from "./probe/measurements.ts";
import { openProbe, type ProbeClient } from "./probe/probe-client.ts";

export const program = newCommand("npm run probe")
  .description(
    "Measure what only Cloudflare shows, by a Worker beside a program's, and compare it with what the project assumes.",
  )
  .requiredOption("--url <url>", "the address of the program", serviceUrl)
  .option("--env <name>", "which program of environments.toml", environmentName, STAGING)
  .option("--deploy", "also measure how long a Durable Object runs its former code")
  .addHelpText(
    "after",
    "\nIt takes a minute, with --deploy up to ten, and leaves neither data nor its Worker behind. More: docs/deploying.md",
  )
  .action(run);

async function run({ url, env, deploy }: { url: string; env: string; deploy?: boolean }): Promise<void> {
  await expectSameProgram(url, { env, remote: true });
  const cloudflare = await openCloudflare(env);
  const token = randomBytes(32).toString("base64url");
  const config = probeConfig(env, await findDatabase(cloudflare, env), await sha256Of(token));
  const upload = async () => {
    const args = ["deploy", "--config", writeConfig(path.join(env, "probe"), config), "--env="];
    const { status, output } = await runWrangler(args, { capture: true });
    if (status !== 0) throw new CommandError(`The probe's Worker could not be deployed.\n${output}`);
  };
  await withTemporaryWorker(cloudflare, config.name, async (address, stop) => {
    const client = openProbe({ address, token }, stop);
    try {
      await upload();
      await untilAnswered(address, stop, client.clean);
      await measureAll(client, stop, deploy ? upload : null);
    } finally {
      await client.clean();
    }
  });
}

/** A Worker with the database and the inboxes of a program, with objects of its own, and without a schedule. */
function probeConfig(env: string, databaseId: string | undefined, tokenHash: string) {
  const { name: worker, vars, durable_objects, ...service } = configOf(env, { databaseId });
  const { compatibility_date, compatibility_flags, account_id, preview_urls, d1_databases, version_metadata } = service;
  const ownBinding = { name: "PROBED", class_name: "Probed" };
  return {
    ...{ compatibility_date, compatibility_flags, account_id, preview_urls, d1_databases, version_metadata },
    name: `${worker}-probe`,
    main: path.join(ROOT, "scripts", "probe", "worker.ts"),
    workers_dev: true,
    vars: { ...vars, TOKEN_HASH: tokenHash },
    durable_objects: {
      ...durable_objects,
      bindings: [{ name: "INBOXES", class_name: "Inbox", script_name: worker }, ownBinding],
    },
    migrations: [{ tag: "probe", new_sqlite_classes: [ownBinding.class_name] }],
  };
}

async function measureAll(client: ProbeClient, stop: AbortSignal, deploy: (() => Promise<void>) | null): Promise<void> {
  let wrongAssumptions = 0;
  const measurements = [...Object.values(MEASUREMENTS), ...(deploy ? [deploymentWith(deploy, stop)] : [])];
  for (const { name, assumed, measure } of measurements) {
    console.error(`${name} …`);
    const { measured, verdict } = await measure(client);
    if (verdict.startsWith("wrong")) wrongAssumptions += 1;
    console.log(`${name}\n  measured  ${measured}\n  assumed   ${assumed}\n  so        ${verdict}\n`);
  }
  console.log(wrongAssumptions === 0 ? "No assumption is wrong." : `${wrongAssumptions} assumptions are wrong.`);
  if (wrongAssumptions > 0) process.exitCode = 1;
}
