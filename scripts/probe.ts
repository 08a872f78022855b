import { randomBytes } from "node:crypto";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Option } from "commander";
import { sha256Of } from "../src/values/sha256.ts";
import { accountOf, openCloudflare } from "./lib/cloudflare-api.ts";
import { STAGING } from "./lib/environments.ts";
import { expectSameProgram } from "./lib/handshake.ts";
import { environmentName, newCommand } from "./lib/options.ts";
import { CommandError, ROOT, stoppable } from "./lib/project.ts";
import { findResources, type Resources } from "./lib/resources.ts";
import { addressOf, deleteWorker } from "./lib/temporary-worker.ts";
import { configOf, runWrangler, writeWranglerFile } from "./lib/wrangler.ts";
import { deploymentWith } from "./probe/deployment.ts";
import { MEASUREMENTS } from "./probe/measurements.ts";
import { openProbe, type ProbeClient } from "./probe/probe-client.ts";

interface Options {
  url: string;
  env: string;
  deploy?: boolean;
}

// A new address at workers.dev begins to answer after a while.
const TRIES = 120;
const WAIT_MS = 1_000;

export const program = newCommand("npm run probe")
  .description(
    "Measure what only Cloudflare shows, by a Worker beside a program's, and compare it with what the project assumes.",
  )
  .requiredOption("--url <url>", "the address of the program")
  .addOption(
    new Option("--env <name>", "which program of environments.toml").argParser(environmentName).default(STAGING),
  )
  .option("--deploy", "also measure how long a Durable Object runs its former code")
  .addHelpText(
    "after",
    "\nIt takes a minute, with --deploy up to ten, and leaves neither data nor its Worker behind. More: docs/deploying.md",
  )
  .action(run);

async function run({ url, env, deploy = false }: Options): Promise<void> {
  await expectSameProgram(url, { env, remote: true });
  const cloudflare = await openCloudflare(accountOf(env));
  const token = randomBytes(32).toString("base64url");
  const config = probeConfig(env, await findResources(cloudflare, env), await sha256Of(token));
  const upload = () => uploadProbe(env, config);
  const address = await addressOf(cloudflare, config.name);
  const sayStopping = () => console.error(`Stopping, once the Worker ${config.name} is deleted …`);
  await stoppable(async (stop) => {
    const client = openProbe({ address, token }, stop);
    try {
      await upload();
      for (let tries = 1; !(await client.clean()); tries += 1) {
        stop.throwIfAborted();
        if (tries === TRIES) throw new CommandError(`The probe's Worker at ${address} does not answer.`);
        await sleep(WAIT_MS);
      }
      await measureAll(client, stop, deploy ? upload : null);
    } finally {
      await client.clean();
      await deleteWorker(cloudflare, config.name);
    }
  }, sayStopping);
}

/** A Worker with the database and the inboxes of a program, with objects of its own, and without a schedule. */
function probeConfig(env: string, { databaseId }: Partial<Resources>, tokenHash: string) {
  const { name: worker, durable_objects, vars, ...service } = configOf(env, { databaseId });
  const { compatibility_date, compatibility_flags, account_id, d1_databases, version_metadata } = service;
  return {
    ...{ compatibility_date, compatibility_flags, account_id, d1_databases, version_metadata },
    name: `${worker}-probe`,
    main: path.join(ROOT, "scripts", "probe", "worker.ts"),
    workers_dev: true,
    preview_urls: false,
    vars: { ...vars, TOKEN_HASH: tokenHash },
    durable_objects: {
      ...durable_objects,
      bindings: [
        { name: "INBOXES", class_name: "Inbox", script_name: worker },
        { name: "PROBED", class_name: "Probed" },
      ],
    },
    migrations: [{ tag: "probe", new_sqlite_classes: ["Probed"] }],
  };
}

async function uploadProbe(env: string, config: object): Promise<void> {
  const file = writeWranglerFile(path.join(ROOT, "dist", "programs", env, "probe", "wrangler.json"), config);
  const { status, output } = await runWrangler(["deploy", "--config", file, "--env="], { capture: true });
  if (status !== 0) throw new CommandError(`The probe's Worker could not be deployed.\n${output}`);
}

async function measureAll(client: ProbeClient, stop: AbortSignal, deploy: (() => Promise<void>) | null): Promise<void> {
  let wrongAssumptions = 0;
  const measurements = deploy === null ? MEASUREMENTS : [...MEASUREMENTS, deploymentWith(deploy, stop)];
  for (const { name, assumed, measure } of measurements) {
    console.error(`${name} …`);
    const { measured, verdict } = await measure(client);
    if (verdict.startsWith("wrong")) wrongAssumptions += 1;
    console.log(`${name}\n  measured  ${measured}\n  assumed   ${assumed}\n  so        ${verdict}\n`);
  }
  console.log(wrongAssumptions === 0 ? "No assumption is wrong." : `${wrongAssumptions} assumptions are wrong.`);
  if (wrongAssumptions > 0) process.exitCode = 1;
}
