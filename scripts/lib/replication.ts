import * as z from "zod";
import { CommandError } from "./project.ts";
import { runWrangler } from "./wrangler.ts";

const Credentials = z.union([
  z.object({ type: z.enum(["api_token", "oauth"]), token: z.string() }),
  z.object({ type: z.literal("api_key"), key: z.string(), email: z.string() }),
]);
const Accounts = z.array(z.object({ id: z.string() }));
const Database = z.object({ uuid: z.string() });
const Envelope = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ message: z.string() })).default([]),
  result: z.unknown(),
});

/** Cloudflare's API, as who wrangler is logged in as. */
interface Cloudflare {
  headers: Record<string, string>;
  accountId: string;
}

/**
 * Has D1 answer reads from the replica nearest to the client, of databases by their names. Wrangler has no command for it
 * (https://developers.cloudflare.com/api/resources/d1/subresources/database/methods/update).
 * @throws a CommandError that says why Cloudflare does not.
 */
export async function replicateReads(databaseNames: readonly string[], accountId: string | undefined): Promise<void> {
  const headers = await authorization();
  const cloudflare = { headers, accountId: accountId ?? (await onlyAccount(headers)) };
  for (const name of databaseNames) await replicate(name, cloudflare);
}

async function replicate(name: string, { headers, accountId }: Cloudflare): Promise<void> {
  const path = `/accounts/${accountId}/d1/database`;
  const { uuid } = Database.parse(await ask(`${path}/${encodeURIComponent(name)}`, headers));
  await ask(`${path}/${uuid}`, headers, { method: "PUT", body: '{"read_replication":{"mode":"auto"}}' });
}

async function authorization(): Promise<Record<string, string>> {
  const { status, output } = await runWrangler(["auth", "token", "--json"], { capture: true });
  if (status !== 0) throw new CommandError(output.trim());
  const credentials = Credentials.parse(JSON.parse(output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1)));
  return "token" in credentials
    ? { Authorization: `Bearer ${credentials.token}` }
    : { "X-Auth-Key": credentials.key, "X-Auth-Email": credentials.email };
}

async function onlyAccount(headers: Record<string, string>): Promise<string> {
  const [account, ...others] = Accounts.parse(await ask("/accounts", headers));
  if (account === undefined || others.length > 0)
    throw new CommandError("The login has no account, or several: name one in CLOUDFLARE_ACCOUNT_ID.");
  return account.id;
}

async function ask(path: string, headers: Record<string, string>, init: RequestInit = {}): Promise<unknown> {
  const base = process.env.CLOUDFLARE_API_BASE_URL ?? "https://api.cloudflare.com/client/v4";
  const contentType = { "Content-Type": "application/json" };
  try {
    const response = await fetch(base + path, { ...init, headers: { ...headers, ...contentType } });
    const { success, errors, result } = Envelope.parse(await response.json());
    if (success) return result;
    throw new CommandError(`Cloudflare answers ${response.status}: ${errors.map(({ message }) => message).join(" ")}`);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`Cloudflare's API cannot be used: ${error instanceof Error ? error.message : error}`);
  }
}
