import { describe, it, vi } from "vitest";
import type { LoyaltyError } from "../src/client.ts";
import { reasonOf } from "../src/waiting.ts";
import { NOW, openClient, stopTime } from "./support/scripted-service.ts";

type Outcome = number | Error | { retryAfter: string } | "silence" | "broken body";

const lostConnection = new TypeError("connection lost");

/** The milliseconds of three tries. The waits are one and two seconds, half of them random. */
const THREE_TRIES = [0, 750, 2_250];

/** A service whose requests have these outcomes in turn, then 200. `askedAt` has the milliseconds of each request. */
function service(...outcomes: Outcome[]) {
  const askedAt: number[] = [];
  const body = JSON.stringify({ status: true, items: [] });
  const fetch = async () => {
    const outcome = outcomes[askedAt.push(Date.now() - NOW) - 1] ?? 200;
    if (outcome instanceof Error) throw outcome;
    if (outcome === "silence") return new Promise<Response>(() => {});
    if (outcome === "broken body")
      return new Response(new ReadableStream({ pull: (stream) => stream.error(lostConnection) }));
    if (typeof outcome === "number") return new Response(body, { status: outcome });
    return new Response(body, { status: 503, headers: { "Retry-After": outcome.retryAfter } });
  };
  return { client: openClient({ fetch }).client, askedAt };
}

stopTime();

describe("a call", () => {
  it.for<[what: string, outcomes: Outcome[], result: number | object, times: number[]]>([
    ["is retried after growing waits, half of them random", [lostConnection, lostConnection], 200, THREE_TRIES],
    ["is retried after 429", [429, 429], 200, THREE_TRIES],
    ["is retried after 502, 503 and 504", [502, 503, 504], 504, THREE_TRIES],
    ["is retried if the body breaks off", ["broken body"], 200, [0, 750]],
    ["is retried if no answer comes in time", ["silence"], 200, [0, 30_750]],
    ["is sent three times at most, then resolves with the answer", [503, lostConnection, 503], 503, THREE_TRIES],
    ["is sent three times at most, then throws", [503, 503, lostConnection], { cause: lostConnection }, THREE_TRIES],
    ["waits the seconds of Retry-After", [{ retryAfter: "7" }], 200, [0, 7_250]],
    ["waits until the date of Retry-After", [{ retryAfter: "Mon, 01 Jun 2026 12:00:07 GMT" }], 200, [0, 7_250]],
    ["is retried after the longest wait that is allowed", [{ retryAfter: "10" }], 200, [0, 10_000]],
    ["is not retried if it would have to wait longer than allowed", [{ retryAfter: "60" }], 503, [0]],
    ["is not retried after 401", [401], 401, [0]],
    ["is not retried after 422", [422], 422, [0]],
    ["is not retried after 500", [500], 500, [0]],
    ["is not retried after 507", [507], 507, [0]],
  ])("%s", async ([, outcomes, result, times], { expect }) => {
    const { client, askedAt } = service(...outcomes);

    const settled = client.messages().then(
      ({ httpStatus }) => httpStatus,
      ({ name, failure, cause }: LoyaltyError) => ({ name, failure, cause }),
    );
    await vi.advanceTimersByTimeAsync(600_000);

    const expected = typeof result === "object" ? { name: "LoyaltyError", failure: null, ...result } : result;
    expect(await settled).toEqual(expected);
    expect(askedAt).toEqual(times);
  });

  it.for([Infinity, 2 ** 31])("may take longer than a timer can count: %d ms", async (answerWithinMs, { expect }) => {
    const fetch = () =>
      new Promise<Response>((resolve) => {
        setTimeout(() => resolve(Response.json({ status: true, items: [] })), 60_000);
      });
    const { client } = openClient({ fetch, retry: { attempts: 1, answerWithinMs } });

    const call = client.messages();
    call.catch(() => {});
    await vi.advanceTimersByTimeAsync(60_000);

    expect((await call).httpStatus).toBe(200);
  });

  it.for<[string, Outcome, number]>([
    ["before it is sent", 200, -1],
    ["while no answer comes", "silence", 1_000],
    ["while it waits for another try", 503, 500],
  ])("throws the signal's reason at once if it is aborted %s", async ([, outcome, after], { expect }) => {
    const stop = new AbortController();
    const { client, askedAt } = service(outcome, outcome, outcome);
    const cancel = () => stop.abort(new Error("enough"));
    if (after < 0) cancel();
    else setTimeout(cancel, after);

    const thrown = client.messages({}, { signal: stop.signal }).catch((error: Error) => [error, Date.now() - NOW]);
    await vi.advanceTimersByTimeAsync(60_000);

    expect(await thrown).toEqual([reasonOf(stop.signal), Math.max(after, 0)]);
    expect(askedAt.length).toBe(after < 0 ? 0 : 1);
  });
});
