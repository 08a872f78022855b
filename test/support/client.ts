import { exports } from "cloudflare:workers";
import { type ClientOptions, createClient } from "../../src/client/index.ts";
import { customerToken } from "./tokens.ts";

// The waits themselves are in test/client/retry.test.ts.
export const QUICKLY = { longestWaitMs: 20 };

export type Send = typeof fetch;
// A Request of workerd takes no signal of React Native's; without one, an abandoned request would outlive its test.
const NativeController = AbortController;

export const worker: Send = (input, init) => {
  const native = new NativeController();
  if (init?.signal?.aborted) native.abort();
  init?.signal?.addEventListener("abort", () => native.abort());
  return exports.default.fetch(new Request(input as string, { ...(init as RequestInit), signal: native.signal }));
};

/** A client of the Worker as one customer, and what it has sent. */
export function clientOf(customerId: string, send: Send = worker, retry: ClientOptions["retry"] = QUICKLY) {
  const sent: string[] = [];
  const client = createClient({
    url: "https://loyalty.example",
    token: () => customerToken(customerId),
    fetch: (input, init) => {
      sent.push(String(input));
      return send(input, init);
    },
    // Sockets have tests of their own, where the service is a model.
    WebSocket: null,
    retry,
  });
  return { client, sent };
}
