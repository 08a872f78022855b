import { exports } from "cloudflare:workers";
import { customerToken } from "../../../test/support/tokens.ts";
import { type ClientOptions, createClient } from "../../src/client.ts";

// Makes tests with retries quick. client/test/retry.test.ts tests the usual waits.
export const SHORT_WAITS = { longestWaitMs: 20 };

export type Send = typeof fetch;
// Some tests replace the global AbortController by that of React Native, whose signals workerd's Request refuses.
const NativeController = AbortController;

/** Sends a request to the Worker. An abort ends the request, so that it does not outlive its test. */
export const worker: Send = (input, init) => {
  const controller = new NativeController();
  if (init?.signal?.aborted) controller.abort();
  init?.signal?.addEventListener("abort", () => controller.abort());
  return exports.default.fetch(new Request(input as string, { ...(init as RequestInit), signal: controller.signal }));
};

/** A client of one customer, and the addresses and the headers of the requests that it has sent. */
export function clientOf(customerId: string, send: Send = worker, retry: ClientOptions["retry"] = SHORT_WAITS) {
  const sentAddresses: string[] = [];
  const sentHeaders: Headers[] = [];
  const client = createClient({
    url: "https://loyalty.example",
    token: () => customerToken(customerId),
    fetch: (input, init) => {
      sentAddresses.push(String(input));
      sentHeaders.push(new Headers(init?.headers));
      return send(input, init);
    },
    WebSocket: null,
    retry,
  });
  return { client, sentAddresses, sentHeaders };
}
