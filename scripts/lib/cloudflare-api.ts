import * as z from "zod";
import { tableOf } from "./environments.ts";
import { type Answer, isTemporary, type PatientFetch, parse, patientFetch } from "./patient-client.ts";
import { CommandError, shellVariables } from "./project.ts";
import { runWrangler } from "./wrangler.ts";

const Credentials = z.union([z.object({ token: z.string() }), z.object({ key: z.string(), email: z.string() })]);
const Accounts = z.array(z.object({ id: z.string() }));
const ApiFault = z.object({ code: z.number().default(0), message: z.string() });
const Envelope = z
  .object({ success: z.boolean(), errors: z.array(ApiFault).default([]), result: z.unknown() })
  .catch({ success: false, errors: [], result: null });

/** The error codes of a Worker that does not exist. */
export const NO_WORKER = [10007, 10090];
const EXPIRED_LOGIN = 9109;
const UNKNOWN_FAILURE = 10013;

/** The permissions of a login, each with the paths that need it. The first that fits counts. */
const PERMISSIONS: readonly [path: RegExp, permission: string][] = [
  [/\/d1\//, "D1: Edit"],
  [/\/storage\/kv\//, "Workers KV Storage: Edit"],
  [/\/domains|\/routes/, "Workers Routes: Edit"],
  [/\/workers\//, "Workers Scripts: Edit"],
  [/^/, "Account Settings: Read"],
];

/** Enough for the longest request, which uploads a Worker. */
const ANSWER_WITHIN_MS = 120_000;
// After 1,200 calls in five minutes the API refuses every call for the next five minutes, and may not say how long to
// wait. This number of tries takes longer.
const TRIES = 26;

/** An account at Cloudflare, and a login. */
export interface Cloudflare {
  accountId: string;
  fetch: PatientFetch;
  /** The headers of the login. */
  headers: Record<string, string>;
}

export class ApiError extends CommandError {
  readonly codes: readonly number[];

  constructor(message: string, codes: readonly number[]) {
    super(message);
    this.codes = codes;
  }
}

/**
 * The account of a program.
 * @throws a CommandError if nobody is logged in, or if the login has several accounts and no setting names one.
 */
export async function openCloudflare(env: string): Promise<Cloudflare> {
  const accountId = shellVariables().CLOUDFLARE_ACCOUNT_ID ?? tableOf(env).account_id ?? "";
  const login = { accountId, fetch: patientFetch(ANSWER_WITHIN_MS), headers: await authorization() };
  if (accountId !== "") return login;
  const [account, ...otherAccounts] = await ask(login, "GET /accounts", Accounts);
  if (account === undefined || otherAccounts.length > 0)
    throw new CommandError("The login has no account, or several: name one in CLOUDFLARE_ACCOUNT_ID.");
  return { ...login, accountId: account.id };
}

async function authorization(): Promise<Record<string, string>> {
  const { CLOUDFLARE_API_TOKEN: token } = shellVariables();
  if (token !== undefined) return { Authorization: `Bearer ${token}` };
  const { status, output } = await runWrangler(["auth", "token", "--json"], { capture: true });
  const { data } = Credentials.safeParse(parse(output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1)));
  if (status !== 0 || data === undefined)
    throw new CommandError(
      `Wrangler gives no login. Set CLOUDFLARE_API_TOKEN, or run npm run wrangler -- login once. It says:\n${output.trim()}`,
    );
  return "token" in data
    ? { Authorization: `Bearer ${data.token}` }
    : { "X-Auth-Key": data.key, "X-Auth-Email": data.email };
}

/**
 * Sends a request about the account, such as "GET /d1/database". The body is sent as JSON, unless it is a form.
 * @throws an ApiError if the answer has no result, and a CommandError if the result does not fit the schema.
 */
export async function ask<Schema extends z.ZodType>(
  cloudflare: Cloudflare,
  route: string,
  schema: Schema,
  body?: object,
): Promise<z.output<Schema>> {
  let answer = await send(cloudflare, route, body);
  // The login of wrangler expires within an hour.
  if (answer.status === 401 || (answer.status === 403 && codesIn(answer).includes(EXPIRED_LOGIN))) {
    cloudflare.headers = await authorization();
    answer = await send(cloudflare, route, body);
  }
  const { success, errors, result } = envelopeIn(answer);
  if (!success) {
    const reasons = errors.map(({ code, message }) => `${message} [code: ${code}]`).join(" ");
    const advice = [401, 403].includes(answer.status) ? ` ${permissionFor(route)}` : "";
    const reason = (reasons || answer.bytes.toString("utf8", 0, 200)) + advice;
    throw new ApiError(`Cloudflare answers ${route} with ${answer.status}: ${reason}`, codesIn(answer));
  }
  const { data, error } = schema.safeParse(result);
  if (error === undefined) return data as z.output<Schema>;
  throw new CommandError(`Cloudflare answers ${route} in an unknown form:\n${z.prettifyError(error)}`);
}

/** Sends a request without a body. Resolves with null if the API answers with one of these error codes. */
export async function askOrNull<Schema extends z.ZodType>(
  codes: readonly number[],
  ...request: [cloudflare: Cloudflare, route: string, schema: Schema]
): Promise<z.output<Schema> | null> {
  try {
    return await ask(...request);
  } catch (error) {
    if (error instanceof ApiError && error.codes.some((code) => codes.includes(code))) return null;
    throw error;
  }
}

async function send({ accountId, fetch, headers }: Cloudflare, route: string, body?: object): Promise<Answer> {
  const { CLOUDFLARE_API_BASE_URL: base = "https://api.cloudflare.com/client/v4" } = shellVariables();
  const [method = "", path = ""] = route.split(" ");
  const isForm = body instanceof FormData;
  const request: RequestInit = {
    method,
    headers: { ...headers, ...(!isForm && { "Content-Type": "application/json" }) },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  };
  const onWait = ({ status, bytes }: Answer) =>
    console.error(`Cloudflare answers ${route} with ${status || bytes}; trying again …`);
  const mayRetry = (answer: Answer) =>
    isTemporary(answer) || answer.status === 500 || codesIn(answer).includes(UNKNOWN_FAILURE);
  const account = accountId && `/accounts/${accountId}`;
  const answer = await fetch(new URL(base + account + path), request, { onWait, mayRetry, tries: TRIES });
  if (answer.status === 0) throw new CommandError(`Cloudflare's API cannot be used: ${answer.bytes}`);
  return answer;
}

const envelopeIn = ({ bytes }: Answer) => Envelope.parse(parse(bytes.toString()));

const codesIn = (answer: Answer) => envelopeIn(answer).errors.map(({ code }) => code);

/** A sentence about the permission that a refused call needs. */
export function permissionFor(route: string): string {
  const permission = PERMISSIONS.find(([path]) => path.test(route))?.[1];
  return `The login needs the permission ${permission}.`;
}
