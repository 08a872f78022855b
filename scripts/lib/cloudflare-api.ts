import * as z from "zod";
import { tableOf } from "./environments.ts";
import { type Answer, type PatientFetch, parse, patientFetch } from "./patient-client.ts";
import { CommandError, shellVariables } from "./project.ts";
import { runWrangler } from "./wrangler.ts";

const Credentials = z.object({ token: z.string() });
const Accounts = z.array(z.object({ id: z.string() }));
const Envelope = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number().default(0), message: z.string() })).default([]),
  result: z.unknown(),
});

/** Enough for the longest request, which uploads a Worker. */
const ANSWER_WITHIN_MS = 120_000;
// After 1,200 calls in five minutes the API refuses every call for the next five minutes, and may not say how long to
// wait. This number of tries takes longer.
const TRIES = 26;

/** An account at Cloudflare, and a login. */
export interface Cloudflare {
  fetch: PatientFetch;
  /** The headers of the login. */
  headers: Record<string, string>;
  accountId: string;
}

export class ApiError extends CommandError {
  readonly codes: readonly number[];

  constructor(message: string, codes: readonly number[]) {
    super(message);
    this.codes = codes;
  }
}

export function accountOf(env: string): string | undefined {
  return shellVariables().CLOUDFLARE_ACCOUNT_ID ?? tableOf(env).account_id;
}

/** @throws a CommandError if nobody is logged in, or if the login has several accounts and no setting names one. */
export async function openCloudflare(accountId: string | undefined): Promise<Cloudflare> {
  const login = { fetch: patientFetch(ANSWER_WITHIN_MS), headers: await authorization() };
  return { ...login, accountId: accountId || (await onlyAccount(login)) };
}

async function authorization(): Promise<Record<string, string>> {
  const { CLOUDFLARE_API_TOKEN: token } = shellVariables();
  if (token !== undefined) return { Authorization: `Bearer ${token}` };
  const { status, output } = await runWrangler(["auth", "token", "--json"], { capture: true });
  if (status !== 0)
    throw new CommandError(
      /not (logged in|authenticated)/i.test(output)
        ? "Cloudflare does not know you: set CLOUDFLARE_API_TOKEN, or run npm run wrangler -- login once."
        : output.trim(),
    );
  const json = output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1);
  return { Authorization: `Bearer ${Credentials.parse(JSON.parse(json)).token}` };
}

async function onlyAccount({ fetch, headers }: Omit<Cloudflare, "accountId">): Promise<string> {
  const [account, ...otherAccounts] = Accounts.parse(resultOf(await sendPatiently(fetch, "/accounts", { headers })));
  if (account === undefined || otherAccounts.length > 0)
    throw new CommandError("The login has no account, or several: name one in CLOUDFLARE_ACCOUNT_ID.");
  return account.id;
}

/**
 * Sends a request about the account, such as "GET /d1/database". The body is sent as JSON, unless it is a form.
 * @throws an ApiError if the answer has no result.
 */
export async function ask(cloudflare: Cloudflare, route: string, body?: object): Promise<unknown> {
  const [method = "", path = ""] = route.split(" ");
  const isForm = body instanceof FormData;
  const answer = await send(cloudflare, path, {
    method,
    headers: isForm ? {} : { "Content-Type": "application/json" },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
  return resultOf(answer);
}

/** Sends a request without a body. Resolves with null if the API answers with this error code. */
export async function askOrNull(code: number, cloudflare: Cloudflare, route: string): Promise<unknown> {
  try {
    return await ask(cloudflare, route);
  } catch (error) {
    if (error instanceof ApiError && error.codes.includes(code)) return null;
    throw error;
  }
}

/** Sends a request about the account. After a 401 it logs in again: the login of wrangler expires within an hour. */
export async function send(cloudflare: Cloudflare, path: string, init: RequestInit = {}): Promise<Answer> {
  const sendOnce = () =>
    sendPatiently(cloudflare.fetch, `/accounts/${cloudflare.accountId}${path}`, {
      ...init,
      headers: { ...cloudflare.headers, ...(init.headers as Record<string, string>) },
    });
  const answer = await sendOnce();
  if (answer.status !== 401) return answer;
  cloudflare.headers = await authorization();
  return sendOnce();
}

async function sendPatiently(fetch: PatientFetch, path: string, init: RequestInit): Promise<Answer> {
  const { CLOUDFLARE_API_BASE_URL: base = "https://api.cloudflare.com/client/v4" } = shellVariables();
  const onWait = () => console.error("Cloudflare's API takes no calls now; trying again …");
  const answer = await fetch(new URL(base + path), init, { onWait, tries: TRIES });
  if (answer.status === 0) throw new CommandError(`Cloudflare's API cannot be used: ${answer.bytes}`);
  return answer;
}

/** The result in an answer of the API. @throws an ApiError if the answer has none. */
export function resultOf({ status, bytes }: Answer): unknown {
  const body = bytes.toString();
  const { data } = Envelope.safeParse(parse(body));
  if (data?.success) return data.result;
  const errors = data?.errors.map(({ code, message }) => `${message} [code: ${code}]`).join(" ") ?? body.slice(0, 200);
  throw new ApiError(`Cloudflare answers ${status}: ${errors}`, data?.errors.map(({ code }) => code) ?? []);
}
