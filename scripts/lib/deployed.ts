import * as z from "zod";
import { ask, type Cloudflare } from "./cloudflare-api.ts";
import { settingsOf } from "./environments.ts";
import { configOf } from "./wrangler.ts";

const Version = z.object({ version_id: z.string() });
const Deployments = z.object({ deployments: z.array(z.object({ versions: z.array(Version) })) });
export const WorkerSettings = z.object({
  bindings: z.array(z.looseObject({ name: z.string() })).default([]),
  observability: z.unknown().optional(),
});
const Schedules = z.object({ schedules: z.array(z.object({ cron: z.string() })) });
const Subdomain = z.object({ enabled: z.boolean(), previews_enabled: z.boolean() });
const Routes = z.array(z.object({ pattern: z.string() }));
export const Domains = z.array(z.object({ hostname: z.string(), service: z.string() }));

/** The ids of the versions that a Worker runs, with commas between them: several during a gradual deployment. */
export async function runningVersions(cloudflare: Cloudflare, env: string): Promise<string> {
  const { worker } = settingsOf(env);
  const { deployments } = await ask(cloudflare, `GET /workers/scripts/${worker}/deployments`, Deployments);
  return deployments[0]?.versions.map(({ version_id }) => version_id).join() ?? "";
}

/** Whether the Worker of a program is the service. `secret put` makes a Worker that is not. */
export async function isService(cloudflare: Cloudflare, env: string): Promise<boolean> {
  const { bindings } = await ask(cloudflare, `GET /workers/scripts/${settingsOf(env).worker}/settings`, WorkerSettings);
  return bindings.some(({ name }) => name === "DB");
}

/** What the Worker of a program lacks. Wrangler sets it after it has deployed the version, and may only warn. */
export async function findMissing(cloudflare: Cloudflare, env: string): Promise<string[]> {
  const { worker, patterns, triggers, workers_dev, observability } = { ...settingsOf(env), ...configOf(env) };
  const script = `GET /workers/scripts/${worker}`;
  const { schedules } = await ask(cloudflare, `${script}/schedules`, Schedules);
  const { enabled, previews_enabled } = await ask(cloudflare, `${script}/subdomain`, Subdomain);
  const settings = await ask(cloudflare, `${script}/settings`, WorkerSettings);
  const domains = patterns.length === 0 ? [] : await ask(cloudflare, "GET /workers/domains", Domains);
  const routesOfWorker = `GET /workers/services/${worker}/environments/production/routes`;
  const routes = patterns.some((pattern) => pattern.includes("/")) ? await ask(cloudflare, routesOfWorker, Routes) : [];

  const crons = schedules.map(({ cron }) => cron);
  const ownDomains = domains.filter(({ service }) => service === worker).map(({ hostname }) => hostname);
  const addresses = [...ownDomains, ...routes.map(({ pattern }) => pattern)];
  const missing = [
    ...(triggers?.crons ?? []).map((cron) => !crons.includes(cron) && `the schedule ${cron}`),
    ...patterns.map((pattern) => !addresses.includes(pattern) && `the address ${pattern}`),
    workers_dev && !enabled && "the address at workers.dev",
    enabled && !workers_dev && "a closed address at workers.dev",
    previews_enabled && "closed addresses of its versions",
    !includes(settings.observability, observability) && "its settings of logs and traces",
  ];
  return missing.filter((text) => text !== false);
}

/** Whether an object has all that another has, and maybe more. */
function includes(whole: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return whole === part;
  const properties = Object(whole) as Record<string, unknown>;
  return Object.entries(part).every(([key, value]) => includes(properties[key], value));
}
