import * as z from "zod";
import { accountOf, askOrNull, NO_WORKER, openCloudflare } from "./cloudflare-api.ts";
import { envOption, settingsOf } from "./environments.ts";
import { CommandError } from "./project.ts";
import { SECRET_NAMES } from "./sign.ts";

const NO_SUBDOMAIN = 10007;

const Secrets = z.array(z.object({ name: z.string() }));

/**
 * Checks the accounts before a deployment, because wrangler names one missing thing at a time, and only after the
 * database is migrated.
 * @throws a CommandError that names what the accounts lack, and where to switch it on.
 */
export async function refuseUnready(envs: readonly string[]): Promise<void> {
  const remedies = new Set<string>();
  for (const env of envs) for (const remedy of await remediesFor(env)) remedies.add(`- ${remedy}\n`);
  if (remedies.size > 0)
    throw new CommandError(`Nothing was made, migrated or deployed. Before that:
${[...remedies].join("")}Then run the same command again.`);
}

async function remediesFor(env: string): Promise<string[]> {
  const cloudflare = await openCloudflare(accountOf(env));
  const dashboard = `https://dash.cloudflare.com/${cloudflare.accountId}`;
  const remedies: string[] = [];
  if ((await askOrNull([NO_SUBDOMAIN], cloudflare, "GET /workers/subdomain", z.unknown())) === null)
    remedies.push(
      `Open ${dashboard}/workers/onboarding once: it makes the subdomain of workers.dev that every account needs, even for Workers on a domain of their own.`,
    );
  const secretsRoute = `GET /workers/scripts/${settingsOf(env).worker}/secrets`;
  const storedSecrets = await askOrNull(NO_WORKER, cloudflare, secretsRoute, Secrets);
  const storedNames = (storedSecrets ?? []).map((secret) => secret.name);
  const missingNames = SECRET_NAMES.filter((secret) => !storedNames.includes(secret));
  const putSecret = (secret: string) =>
    `Give ${env} a ${secret} for it alone (openssl rand -base64 48): npm run wrangler -- secret put ${secret}${envOption(env)}`;
  return [...remedies, ...missingNames.map(putSecret)];
}
