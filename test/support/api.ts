import { exports } from "cloudflare:workers";
import { type Answer, toAnswer } from "../../scripts/lib/call.ts";
import { fitDocument } from "./openapi.ts";
import { customerToken, feedToken, restoreToken } from "./tokens.ts";

export type { Answer };

const BASE = "https://loyalty.example";

export type Send = (path: string, init?: RequestInit) => Promise<Answer>;

/** Sends a request to the Worker and reads its JSON answer, which must be as the OpenAPI document says. */
export const send: Send = async (path, init = {}) =>
  readAnswer(await exports.default.fetch(new Request(new URL(path, BASE), init)), path, init);

export async function readAnswer(response: Response, path: string, { method = "GET" }: RequestInit): Promise<Answer> {
  const answer = await toAnswer(response);
  fitDocument({ method, path: new URL(path, BASE).pathname }, answer);
  return answer;
}

/** The API as one customer calls it. */
export function as(customerId: string, claims: Record<string, unknown> = {}, sendRequest = send) {
  const call = async (path: string, init: RequestInit = {}) =>
    sendRequest(path, { ...init, headers: { Authorization: `Bearer ${await customerToken(customerId, claims)}` } });
  return {
    get: (path: string) => call(path),
    post: (path: string, body: unknown) => call(path, { method: "POST", body: JSON.stringify(body) }),
    put: (path: string, body?: unknown) => call(path, { method: "PUT", body: JSON.stringify(body ?? {}) }),
    delete: (path: string) => call(path, { method: "DELETE" }),
  };
}

export type FeedLine = Record<string, unknown> | string;

/** The body of a feed request: an object becomes JSON, a string stays as it is. */
export function ndjson(lines: readonly FeedLine[]): string {
  return lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
}

/** Sends lines to the feed, by default with a token for all accounts. */
export async function feed(lines: readonly FeedLine[] | BodyInit, accounts: readonly string[] | "*" = "*") {
  return feedWith(await feedToken(accounts), lines);
}

export async function restore(lines: readonly FeedLine[] | BodyInit) {
  return feedWith(await restoreToken(), lines);
}

export function feedWith(token: string, lines: readonly FeedLine[] | BodyInit, sendRequest = send): Promise<Answer> {
  const body = Array.isArray(lines) ? ndjson(lines) : (lines as BodyInit);
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/x-ndjson" };
  return sendRequest("/api/v1/feed", { method: "POST", headers, body });
}

/** Feeds lines. If they are too many for one request, feeds them in halves. @throws if they are refused. */
export async function mustFeed(lines: readonly FeedLine[]): Promise<Answer> {
  const answer = await feed(lines);
  if (answer.status === 413 && lines.length > 1) {
    const half = Math.ceil(lines.length / 2);
    await mustFeed(lines.slice(0, half));
    return mustFeed(lines.slice(half));
  }
  if (answer.status !== 200) throw new Error(`refused: ${JSON.stringify(answer.body)}`);
  return answer;
}

export const trips = (answer: Answer): number => costIn(answer).roundTrips;

/** The cost of a request at D1. Only in development does an answer say how many rows were read and written. */
export function costIn({ headers }: Pick<Answer, "headers">) {
  const timing = headers.get("Server-Timing") ?? "";
  const count = (name: string) => Number(new RegExp(`${name};desc="(\\d+)"`).exec(timing)?.[1]);
  return { roundTrips: count("trips"), rowsRead: count("rows"), rowsWritten: count("written") };
}
