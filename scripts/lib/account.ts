import * as z from "zod";
import { ApiError, accountOf, ask, askOrNull, type Cloudflare, openCloudflare } from "./cloudflare-api.ts";
import { configOf, historyBucket, PRODUCTION, wranglerEnvOption } from "./environments.ts";
import { CommandError } from "./project.ts";
import { withTemporaryWorker } from "./temporary-worker.ts";

const NO_SUCH = { bucket: 10006, subdomain: 10007, worker: 10007 };

const Secrets = z.array(z.object({ name: z.string() }));
const Schedules = z.object({ schedules: z.array(z.unknown()) });

/** Cloudflare's error codes for what an account lacks. */
const LACKS = { subdomain: 10063, r2: 10042, analyticsEngine: 10089, cronTriggers: 10072 };

/** What an operator can do about each of these codes. */
const REMEDIES: Readonly<Record<number, (dashboard: string, crons: number) => string>> = {
  [LACKS.subdomain]: (dashboard) =>
    `Open ${dashboard}/workers/onboarding once: it makes the subdomain of workers.dev that every account needs, even for Workers on a domain of their own [code: 10063]. Cron triggers and Analytics Engine are checked after that.`,
  [LACKS.r2]: (dashboard) => `Switch on R2, for history [code: 10042]: ${dashboard}/r2/overview`,
  [LACKS.analyticsEngine]: (dashboard) =>
    `Switch on Analytics Engine, for METRICS [code: 10089]: ${dashboard}/workers/analytics-engine`,
  [LACKS.cronTriggers]: (dashboard, crons) =>
    `Make room for cron triggers: ${crons} more [code: 10072]. The free plan takes 5 an account, the paid plan 250. Delete others, or change the plan: ${dashboard}/workers/plans`,
};

/**
 * Checks the accounts before a deployment, because wrangler names one missing thing at a time, and some of them only
 * after the database is migrated.
 * @throws a CommandError that names everything that an account lacks, and where to switch it on.
 */
export async function refuseUnready(envs: readonly string[]): Promise<void> {
  const remedies: string[] = [];
  for (const [account, names] of Map.groupBy(envs, accountOf)) {
    const cloudflare = await openCloudflare(account);
    const crons = await cronsToAdd(cloudflare, names);
    const dashboard = `https://dash.cloudflare.com/${cloudflare.accountId}`;
    for (const code of await findRefusals(cloudflare, names, crons))
      remedies.push(REMEDIES[code]?.(dashboard, crons) ?? "");
    for (const env of names) remedies.push(...(await remediesForSecrets(cloudflare, env)));
  }
  if (remedies.length > 0)
    throw new CommandError(`Nothing was made, migrated or deployed. Before that:
${remedies.map((remedy) => `- ${remedy}`).join("\n")}
Then run the same command again.`);
}

/** The codes of REMEDIES with which Cloudflare would refuse a deployment of these environments. */
async function findRefusals(cloudflare: Cloudflare, envs: readonly string[], crons: number): Promise<number[]> {
  const codes: number[] = [];
  for (const { bucket_name: name, jurisdiction } of envs.flatMap((env) => historyBucket(env) ?? [])) {
    const headers = { ...cloudflare.headers, ...(jurisdiction && { "cf-r2-jurisdiction": jurisdiction }) };
    const bucket = askOrNull(NO_SUCH.bucket, { ...cloudflare, headers }, `GET /r2/buckets/${name}`);
    codes.push(...(await refusedCodes(bucket)));
  }
  const subdomain = await askOrNull(NO_SUCH.subdomain, cloudflare, "GET /workers/subdomain");
  if (subdomain === null) return [LACKS.subdomain, ...new Set(codes)];
  const datasets = envs.flatMap((env) => configOf(env).analytics_engine_datasets.map(({ dataset }) => dataset));
  const bindings = datasets.map((dataset, index) => ({ type: "analytics_engine", name: `DATASET_${index}`, dataset }));
  const name = `${configOf(envs[0] ?? PRODUCTION).name}-check`;
  codes.push(...(await refusedCodes(deployCheckWorker(cloudflare, name, bindings, crons))));
  if (codes.includes(LACKS.analyticsEngine))
    codes.push(...(await refusedCodes(deployCheckWorker(cloudflare, name, [], crons))));
  return [...new Set(codes)];
}

/** The codes of REMEDIES with which a request fails. Any other failure is thrown. */
async function refusedCodes(work: Promise<unknown>): Promise<number[]> {
  try {
    await work;
    return [];
  } catch (error) {
    const knownCodes = error instanceof ApiError ? error.codes.filter((code) => code in REMEDIES) : [];
    if (knownCodes.length === 0) throw error;
    return knownCodes;
  }
}

/**
 * Deploys a Worker that does nothing, with these bindings and cron triggers. No request of the API names the plan, or
 * says whether Analytics Engine is on, but this deployment fails with a code if the account lacks them. An account with
 * too many cron triggers refuses every change of them, so the Worker sets its triggers even if there are none.
 */
async function deployCheckWorker(
  cloudflare: Cloudflare,
  name: string,
  bindings: readonly object[],
  crons: number,
): Promise<void> {
  const code = "export default { fetch: () => new Response(null, { status: 404 }), scheduled() {} };";
  const schedules = Array.from({ length: crons }, (_, index) => ({
    cron: `${index % 60} ${Math.floor(index / 60) % 24} 1 1 *`,
  }));
  await withTemporaryWorker(cloudflare, { name, code, bindings }, () =>
    ask(cloudflare, `PUT /workers/scripts/${name}/schedules`, schedules),
  );
}

/** How many more cron triggers the account will have after the deployment. */
async function cronsToAdd(cloudflare: Cloudflare, envs: readonly string[]): Promise<number> {
  let added = 0;
  for (const env of envs) {
    const { name, triggers } = configOf(env);
    const path = `/workers/scripts/${name}/schedules`;
    const deployed = Schedules.nullable().parse(await askOrNull(NO_SUCH.worker, cloudflare, `GET ${path}`));
    added += Math.max(0, (triggers.crons?.length ?? 0) - (deployed?.schedules.length ?? 0));
  }
  return added;
}

/** What to do about each required secret that an environment lacks. */
async function remediesForSecrets(cloudflare: Cloudflare, env: string): Promise<string[]> {
  const { name, secrets } = configOf(env);
  const path = `/workers/scripts/${name}/secrets`;
  const storedSecrets = Secrets.nullable().parse(await askOrNull(NO_SUCH.worker, cloudflare, `GET ${path}`)) ?? [];
  const storedNames = new Set(storedSecrets.map((secret) => secret.name));
  const missingNames = (secrets?.required ?? []).filter((secret) => !storedNames.has(secret));
  return missingNames.map(
    (secret) =>
      `Give ${env} a ${secret} for it alone (openssl rand -base64 48): npm run wrangler -- secret put ${secret} ${wranglerEnvOption(env)}`,
  );
}
