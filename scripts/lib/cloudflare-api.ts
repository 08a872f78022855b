import * as z from "zod";
import { CommandError } from "./project.ts";
import { runWrangler } from "./wrangler.ts";

const Credentials = z.union([
  z.object({ type: z.enum(["api_token", "oauth"]), token: z.string() }),
  z.object({ type: z.literal("api_key"), key: z.string(), email: z.string() }),
]);
const Accounts = z.array(z.object({ id: z.string() }));
const Envelope = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ message: z.string() })).default([]),
  result: z.unknown(),
});

/** Cloudflare's API, as who wrangler is logged in as. */
export interface Cloudflare {
  headers: Record<string, string>;
  accountId: string;
}

/** @throws a CommandError where nobody is logged in, or the login has several accounts and none is named. */
export async function openCloudflare(accountId: string | undefined): Promise<Cloudflare> {
  const headers = await authorization();
  return { headers, accountId: accountId || (await onlyAccount(headers)) };
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

/**
 * The result of a request to the API.
 * @throws a CommandError that says why there is none.
 */
export async function ask(path: string, headers: Record<string, string>, init: RequestInit = {}): Promise<unknown> {
  const response = await send(path, { ...init, headers: { ...headers, "Content-Type": "application/json" } });
  return resultOf(response.status, await response.text());
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(urlOf(path), init);
  } catch (error) {
    throw unusable(error instanceof Error ? error.message : String(error));
  }
}

export function urlOf(path: string): URL {
  return new URL((process.env.CLOUDFLARE_API_BASE_URL ?? "https://api.cloudflare.com/client/v4") + path);
}

export function unusable(reason: string): CommandError {
  return new CommandError(`Cloudflare's API cannot be used: ${reason}`);
}

/** What an answer of the API holds. */
export function resultOf(status: number, body: string): unknown {
  const { data } = Envelope.safeParse(parse(body));
  if (data?.success) return data.result;
  const errors = data?.errors.map(({ message }) => message).join(" ") ?? body.slice(0, 200);
  throw new CommandError(`Cloudflare answers ${status}: ${errors}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
