import { Random } from "../demo/random.ts";
import { devCustomerToken } from "../lib/dev-token.ts";
import { type Call, newVisitor, nextCall } from "./calls.ts";
import { inProgram, partsOf } from "./programs.ts";
import type { OnError } from "./stalls.ts";

/** What was asked of an endpoint. */
export interface EndpointReport {
  requests: number;
  /** How often each status came. */
  statuses: Record<number, number>;
  /** Milliseconds each answer took. */
  took: number[];
}

export interface Traffic {
  /** Where all requests of the connection go. */
  program: string;
  endpoints: Map<string, EndpointReport>;
  onError: OnError;
  /** Is told when a board that was asked for then has been answered. */
  onBoard: (startedAt: number) => void;
  signal: AbortSignal;
}

const LONGEST_MS = 30_000;
// Boards ask the primary too, but each is cached.
const REFUSED_IN_STALLS = "messages";
const REQUESTS_A_VISIT = 40;

const tokens = new Map<string, Promise<string>>();

/** Asks as one connection after another would: visitor after visitor, one request at a time, until told to stop. */
export async function browse(url: string, seed: string, traffic: Traffic): Promise<void> {
  const random = new Random(seed);
  let visitor = newVisitor(random);
  for (let count = 1; !traffic.signal.aborted; count += 1) {
    if (count % REQUESTS_A_VISIT === 0) visitor = newVisitor(random);
    await ask(url, nextCall(random, visitor), traffic);
  }
}

async function ask(url: string, call: Call, { program, endpoints, onError, onBoard }: Traffic): Promise<void> {
  const report = endpoints.get(call.endpoint) ?? { requests: 0, statuses: {}, took: [] };
  endpoints.set(call.endpoint, report);
  report.requests += 1;
  const token = call.customer === null ? null : await tokenOf(inProgram(program, call.customer));
  const headers = token === null ? {} : { Authorization: `Bearer ${token}` };
  const init = call.body === undefined ? {} : { method: "POST", body: call.body };
  const [startedAt, startedAtDate] = [performance.now(), Date.now()];
  try {
    const response = await fetch(url + call.path, { ...init, headers, signal: AbortSignal.timeout(LONGEST_MS) });
    const text = await response.text();
    report.took.push(performance.now() - startedAt);
    report.statuses[response.status] = (report.statuses[response.status] ?? 0) + 1;
    const fault =
      response.status === call.status ? faultIn(text, call) : `${response.status} instead of ${call.status}`;
    const isRefused = response.status === 503 && call.endpoint === REFUSED_IN_STALLS;
    if (fault !== null) onError(`${call.endpoint}: ${fault}`, isRefused ? startedAtDate : undefined);
    if (fault === null && call.endpoint === "leaderboard") onBoard(startedAtDate);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    onError(`${call.endpoint}: no answer (${cause})`);
  }
}

/** What is wrong with a body: it must be the envelope that goes with the status. */
function faultIn(text: string, { status, check }: Call): string | null {
  const body = parse(text);
  if (typeof body !== "object" || body === null) return "a body that is no JSON object";
  const { status: isGood, items, errorCode, message } = body as Record<string, unknown>;
  if (status === 200 && isGood === true) return items === undefined ? "no items" : (check?.(items) ?? null);
  const mayFail = status !== 200 || errorCode === "NO_ITEMS";
  const saysWhy = typeof errorCode === "string" || typeof message === "string";
  return mayFail && isGood === false && saysWhy ? null : `${status} with a body that is not its envelope`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The token of a customer of a program, which is signed once. */
export function tokenOf(customer: string): Promise<string> {
  const { program, id } = partsOf(customer);
  const token = tokens.get(customer) ?? devCustomerToken(id, 1, program);
  tokens.set(customer, token);
  return token;
}
