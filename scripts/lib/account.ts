import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { ask, askOrNull, type Cloudflare, NO_WORKER, openCloudflare } from "./cloudflare-api.ts";
import { Domains, runningVersions } from "./deployed.ts";
import { envOption, settingsOf, variablesOf } from "./environments.ts";
import { CommandError } from "./project.ts";
import { type Bindings, readBindings, remediesForBound } from "./resources.ts";
import { SECRET_NAMES } from "./sign.ts";

const NO_SUBDOMAIN = 10007;
/** A secret may be listed a few seconds after it was put. */
const SECRET_TRIES = 5;

const Secrets = z.array(z.object({ name: z.string() }));
const Changes = z.object({ conflicting: z.array(z.object({ hostname: z.string() })) });

/**
 * Checks the accounts before a deployment. Wrangler names one missing thing at a time, only after the database is
 * migrated, and without a terminal it answers its own questions with yes: it would take over domains.
 * @throws a CommandError that names what is missing or in the way, and what to do.
 */
export async function refuseUnready(envs: readonly string[], domainsToTake: readonly string[]): Promise<void> {
  const remedies = new Set<string>();
  const bindingsByAccount = new Map<string, Bindings>();
  for (const env of envs) {
    const cloudflare = await openCloudflare(env);
    const bindings = bindingsByAccount.get(cloudflare.accountId) ?? (await readBindings(cloudflare));
    bindingsByAccount.set(cloudflare.accountId, bindings);
    const bound = await remediesForBound(cloudflare, env, bindings);
    const others = await remediesFor(cloudflare, env, domainsToTake);
    for (const remedy of [...bound, ...others]) remedies.add(`- ${remedy}\n`);
  }
  if (remedies.size > 0)
    throw new CommandError(`Nothing was made, migrated or deployed. Before that:
${[...remedies].join("")}Then run the same command again.`);
}

async function remediesFor(cloudflare: Cloudflare, env: string, domainsToTake: readonly string[]): Promise<string[]> {
  const dashboard = `https://dash.cloudflare.com/${cloudflare.accountId}`;
  const remedies: string[] = [];
  if ((await askOrNull([NO_SUBDOMAIN], cloudflare, "GET /workers/subdomain", z.unknown())) === null)
    remedies.push(
      `Open ${dashboard}/workers/onboarding once: it makes the subdomain of workers.dev that every account needs, even for Workers on a domain of their own.`,
    );
  const secrets = await secretsOf(cloudflare, settingsOf(env).worker);
  for (const secret of SECRET_NAMES.filter((name) => !secrets?.includes(name)))
    remedies.push(
      `Give ${env} a ${secret} for it alone (openssl rand -base64 48): npm run wrangler -- secret put ${secret}${envOption(env)}`,
    );
  if (secrets === null) return remedies;
  const conflicts = await conflictsOf(cloudflare, env, secrets);
  return [...remedies, ...conflicts, ...(await takenDomains(cloudflare, env, domainsToTake))];
}

/** The names of a Worker's secrets; null if there is no Worker. */
async function secretsOf(cloudflare: Cloudflare, worker: string): Promise<string[] | null> {
  for (let tries = 1; ; tries += 1) {
    const secrets = await askOrNull(NO_WORKER, cloudflare, `GET /workers/scripts/${worker}/secrets`, Secrets);
    const names = secrets?.map(({ name }) => name) ?? null;
    const isComplete = SECRET_NAMES.every((name) => names?.includes(name));
    if (names === null || isComplete || tries === SECRET_TRIES) return names;
    await sleep(1_000);
  }
}

/** What a deployment would overwrite, and nobody could bring back. */
async function conflictsOf(cloudflare: Cloudflare, env: string, secrets: readonly string[]): Promise<string[]> {
  const variables = variablesOf(env);
  const conflicts = secrets
    .filter((name) => name in variables)
    .map(
      (name) =>
        `Delete the secret ${name} of ${env}, because it is a variable: npm run wrangler -- secret delete ${name}${envOption(env)}`,
    );
  if ((await runningVersions(cloudflare, env)).includes(","))
    conflicts.push(`End the gradual deployment of ${env}: npm run wrangler -- versions deploy${envOption(env)}`);
  return conflicts;
}

/** The domains of a program that lead elsewhere. */
async function takenDomains(cloudflare: Cloudflare, env: string, toTake: readonly string[]): Promise<string[]> {
  const { worker, routes = [] } = settingsOf(env);
  const origins = routes.flatMap((route) =>
    typeof route === "string" || route.custom_domain !== true || toTake.includes(route.pattern)
      ? []
      : { hostname: route.pattern, zone_id: route.zone_id, zone_name: route.zone_name },
  );
  if (origins.length === 0) return [];
  const domains = await ask(cloudflare, "GET /workers/domains", Domains);
  const route = `POST /workers/scripts/${worker}/domains/changeset?replace_state=true`;
  const { conflicting } = await ask(cloudflare, route, Changes, origins);
  return origins.flatMap(({ hostname }) => {
    const owner = domains.find((domain) => domain.hostname === hostname && domain.service !== worker)?.service;
    const hasRecord = conflicting.some((domain) => domain.hostname === hostname);
    if (owner === undefined && !hasRecord) return [];
    const fault = owner === undefined ? "has a DNS record" : `leads to the Worker ${owner}`;
    return `${hostname} ${fault}. Give ${env} another domain, or take this: npm run deploy --${envOption(env)} --take-domain ${hostname}`;
  });
}
