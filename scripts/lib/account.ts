import * as z from "zod";
import { ApiError, accountOf, ask, askUnless, type Cloudflare, openCloudflare } from "./cloudflare-api.ts";
import { configOf, environmentFlag, historyBucket, PRODUCTION } from "./environments.ts";
import { CommandError } from "./project.ts";
import { withTemporaryWorker } from "./temporary-worker.ts";

const NO_SUCH = { bucket: 10006, subdomain: 10007, worker: 10007 };

const Secrets = z.array(z.object({ name: z.string() }));
const Schedules = z.object({ schedules: z.array(z.unknown()) });

/** What Cloudflare's answers with these codes ask for. */
const REMEDIES: ReadonlyMap<number, (dashboard: string, crons: number) => string> = new Map([
  [
    10063,
    (dashboard) =>
      `Open ${dashboard}/workers/onboarding once: it makes the subdomain of workers.dev that every account needs, even for Workers on a domain of their own [code: 10063]. Cron triggers and Analytics Engine are checked after that.`,
  ],
  [10042, (dashboard) => `Switch on R2, for history [code: 10042]: ${dashboard}/r2/overview`],
  [
    10089,
    (dashboard) => `Switch on Analytics Engine, for METRICS [code: 10089]: ${dashboard}/workers/analytics-engine`,
  ],
  [
    10072,
    (dashboard, crons) =>
      `Make room for cron triggers: ${crons} more [code: 10072]. The free plan takes 5 an account, the paid plan 250. Delete others, or change the plan: ${dashboard}/workers/plans`,
  ],
]);
const [NO_SUBDOMAIN, NO_ANALYTICS_ENGINE] = [10063, 10089];

/**
 * Wrangler meets what an account lacks one thing after the other, and some of it only once the database is migrated.
 * @throws a CommandError that names everything that is missing, and where to switch it on.
 */
export async function refuseUnready(envs: readonly string[]): Promise<void> {
  const missing: string[] = [];
  for (const [account, names] of Map.groupBy(envs, accountOf)) {
    const cloudflare = await openCloudflare(account);
    const crons = await cronsToAdd(cloudflare, names);
    const dashboard = `https://dash.cloudflare.com/${cloudflare.accountId}`;
    for (const code of await refusals(cloudflare, names, crons))
      missing.push(REMEDIES.get(code)?.(dashboard, crons) ?? "");
    for (const env of names) missing.push(...(await missingSecrets(cloudflare, env)));
  }
  if (missing.length > 0)
    throw new CommandError(`Nothing was made, migrated or deployed. Before that:
${missing.map((one) => `- ${one}`).join("\n")}
Then run the same command again.`);
}

/** Which codes of REMEDIES a deployment of these environments would meet. */
async function refusals(cloudflare: Cloudflare, envs: readonly string[], crons: number): Promise<number[]> {
  const codes: number[] = [];
  for (const { bucket_name: name, jurisdiction } of envs.flatMap((env) => historyBucket(env) ?? [])) {
    const place = jurisdiction === undefined ? {} : { "cf-r2-jurisdiction": jurisdiction };
    const path = `/r2/buckets/${name}`;
    codes.push(...(await refusal(askUnless(NO_SUCH.bucket, cloudflare, "GET", path, undefined, place))));
  }
  const subdomain = await askUnless(NO_SUCH.subdomain, cloudflare, "GET", "/workers/subdomain");
  if (subdomain === null) return [NO_SUBDOMAIN, ...new Set(codes)];
  const datasets = [
    ...new Set(envs.flatMap((env) => configOf(env).analytics_engine_datasets.map(({ dataset }) => dataset))),
  ].map((dataset, index) => ({ type: "analytics_engine", name: `DATASET_${index}`, dataset }));
  const name = `${configOf(envs[0] ?? PRODUCTION).name}-check`;
  codes.push(...(await refusal(tryOut(cloudflare, name, datasets, crons))));
  if (codes.includes(NO_ANALYTICS_ENGINE)) codes.push(...(await refusal(tryOut(cloudflare, name, [], crons))));
  return [...new Set(codes)];
}

async function refusal(work: Promise<unknown>): Promise<number[]> {
  try {
    await work;
    return [];
  } catch (error) {
    const known = error instanceof ApiError ? error.codes.filter((code) => REMEDIES.has(code)) : [];
    if (known.length === 0) throw error;
    return known;
  }
}

/**
 * Neither the plan nor Analytics Engine can be asked for, so a Worker that does nothing tries both out. An account with
 * too many cron triggers refuses every change of them, so it sets them even where none are added.
 */
async function tryOut(cloudflare: Cloudflare, name: string, bindings: readonly object[], crons: number): Promise<void> {
  const code = "export default { fetch: () => new Response(null, { status: 404 }), scheduled() {} };";
  const schedules = Array.from({ length: crons }, (_, index) => ({
    cron: `${index % 60} ${Math.floor(index / 60) % 24} 1 1 *`,
  }));
  await withTemporaryWorker(cloudflare, { name, code, bindings }, () =>
    ask(cloudflare, "PUT", `/workers/scripts/${name}/schedules`, schedules),
  );
}

async function cronsToAdd(cloudflare: Cloudflare, envs: readonly string[]): Promise<number> {
  let added = 0;
  for (const env of envs) {
    const { name, triggers } = configOf(env);
    const path = `/workers/scripts/${name}/schedules`;
    const there = Schedules.nullable().parse(await askUnless(NO_SUCH.worker, cloudflare, "GET", path));
    added += Math.max(0, (triggers.crons?.length ?? 0) - (there?.schedules.length ?? 0));
  }
  return added;
}

async function missingSecrets(cloudflare: Cloudflare, env: string): Promise<string[]> {
  const { name, secrets } = configOf(env);
  const path = `/workers/scripts/${name}/secrets`;
  const there = Secrets.nullable().parse(await askUnless(NO_SUCH.worker, cloudflare, "GET", path)) ?? [];
  const names = new Set(there.map((secret) => secret.name));
  return (secrets?.required ?? [])
    .filter((required) => !names.has(required))
    .map(
      (required) =>
        `Give ${env} a ${required} for it alone (openssl rand -base64 48): npm run wrangler -- secret put ${required} ${environmentFlag(env)}`,
    );
}
