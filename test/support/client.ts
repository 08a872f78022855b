import { exports } from "cloudflare:workers";
import { type ClientOptions, createClient } from "../../src/client/index.ts";
import { customerToken } from "./tokens.ts";

// Most tests do not wait long between retries. test/client/retry.test.ts tests the usual waits.
export const SHORT_WAITS = { longestWaitMs: 20 };

export type Send = typeof fetch;
// workerd's Request refuses React Native's signals, so this passes a native one. Without a signal, an aborted request
// would outlive its test.
const NativeController = AbortController;

export const worker: Send = (input, init) => {
  const native = new NativeController();
  if (init?.signal?.aborted) native.abort();
  init?.signal?.addEventListener("abort", () => native.abort());
  return exports.default.fetch(new Request(input as string, { ...(init as RequestInit), signal: native.signal }));
};

/** A client of one customer, and the address and the headers of each request that it has sent. */
export function clientOf(customerId: string, send: Send = worker, retry: ClientOptions["retry"] = SHORT_WAITS) {
  const sent: string[] = [];
  const headers: Headers[] = [];
  const client = createClient({
    url: "https://loyalty.example",
    token: () => customerToken(customerId),
    fetch: (input, init) => {
      sent.push(String(input));
      headers.push(new Headers(init?.headers));
      return send(input, init);
    },
    WebSocket: null,
    retry,
  });
  return { client, sent, headers };
}
