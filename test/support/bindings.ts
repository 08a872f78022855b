import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "../../src/index.ts";
import { as, costIn, type FeedLine, feedWith, readAnswer, type Send } from "./api.ts";
import { feedToken } from "./tokens.ts";

/** Sends a request to the Worker, with some bindings replaced. Does not wait for its work in the background. */
export async function sendTo(
  bindings: object,
  path: string,
  init: RequestInit = {},
  context = createExecutionContext(),
): Promise<Response> {
  // The constructor takes no body for a GET, but a client may send one.
  const isGetWithBody = init.body != null && (init.method ?? "GET") === "GET";
  const request = new Request(`https://loyalty.example${path}`, isGetWithBody ? { ...init, method: "POST" } : init);
  if (isGetWithBody) Object.defineProperty(request, "method", { value: "GET" });
  return worker.fetch(request, { ...env, ...bindings } as Env, context);
}

/** The cost of a request at D1, its work in the background included. @throws if it is refused. */
export async function costOf(path: string, init: RequestInit) {
  const context = createExecutionContext();
  const answer = await sendTo({ ENVIRONMENT: "development" }, path, init, context);
  await waitOnExecutionContext(context);
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return costIn(answer);
}

/** Sends to the Worker with some bindings replaced. */
export const senderTo =
  (bindings: object): Send =>
  async (path, init = {}) =>
    readAnswer(await sendTo(bindings, path, init), path, init);

/** The API as one customer calls it, at the Worker with some bindings replaced. */
export const asAt = (bindings: object, customerId: string) => as(customerId, {}, senderTo(bindings));

/** Feeds lines to the Worker with some bindings replaced. */
export const feedTo = async (bindings: object, lines: readonly FeedLine[]) =>
  feedWith(await feedToken("*"), lines, senderTo(bindings));
