import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { toAnswer } from "../../scripts/lib/call.ts";
import worker from "../../src/index.ts";
import { type Answer, costIn, type FeedLine, ndjson } from "./api.ts";
import { fitDocument } from "./openapi.ts";
import { customerToken, feedToken } from "./tokens.ts";

/** Sends a request to the Worker, with some bindings replaced. Does not wait for its work in the background. */
export async function sendTo(
  bindings: object,
  path: string,
  init: RequestInit = {},
  context = createExecutionContext(),
): Promise<Response> {
  const request = new Request(`https://loyalty.example${path}`, init);
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

/** The API as one customer calls it, at the Worker with some bindings replaced. */
export function asAt(bindings: object, customerId: string) {
  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const headers = { Authorization: `Bearer ${await customerToken(customerId)}` };
    return toAnswer(await sendTo(bindings, path, { ...init, headers }));
  };
  return {
    get: (path: string) => send(path, {}),
    post: (path: string, body: unknown) => send(path, { method: "POST", body: JSON.stringify(body) }),
  };
}

/** Feeds lines to the Worker with some bindings replaced. */
export async function feedTo(bindings: object, lines: readonly FeedLine[]): Promise<Answer> {
  const headers = { Authorization: `Bearer ${await feedToken("*")}` };
  const answer = await toAnswer(
    await sendTo(bindings, "/api/v1/feed", { method: "POST", headers, body: ndjson(lines) }),
  );
  fitDocument({ method: "POST", path: "/api/v1/feed" }, answer);
  return answer;
}
