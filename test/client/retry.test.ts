import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { answerOf } from "../../src/client/service.ts";
import { reasonOf } from "../../src/client/waiting.ts";

const OPTIONS = { attempts: 3, longestWaitMs: 10_000, answerWithinMs: 30_000 };
const NOW = Date.UTC(2026, 5, 1, 12, 0, 0);

type Outcome = number | Error | { status: number; retryAfter: string } | "silence";

/** A service with these outcomes in turn. Notes the milliseconds from the start to each request. */
function service(...outcomes: Outcome[]) {
  const askedAt: number[] = [];
  const send = async () => {
    const outcome = outcomes[askedAt.push(Date.now() - NOW) - 1] ?? 200;
    if (outcome instanceof Error) throw outcome;
    if (outcome === "silence") return new Promise<Response>(() => {});
    if (typeof outcome === "number") return new Response("{}", { status: outcome });
    return new Response("{}", { status: outcome.status, headers: { "Retry-After": outcome.retryAfter } });
  };
  return { send: (signal: AbortSignal | null = null) => answerOf(send, OPTIONS, signal), askedAt };
}

/** Sends a request, and lets time pass until it ends. */
async function settle(send: () => Promise<{ status: number }>): Promise<number | Error> {
  const settled = send().then(
    ({ status }) => status,
    (error: Error) => error,
  );
  await vi.advanceTimersByTimeAsync(600_000);
  return settled;
}

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a call that fails", () => {
  const lost = new TypeError("connection lost");

  it.for<[string, Outcome]>([
    ["a lost connection", lost],
    ["429", 429],
    ["502", 502],
    ["503", 503],
    ["504", 504],
  ])("is tried again after growing waits, half of them chance: %s", async ([, outcome], { expect }) => {
    const { send, askedAt } = service(outcome, outcome);

    expect(await settle(send)).toBe(200);
    expect(askedAt).toEqual([0, 750, 2_250]);
  });

  it("is tried three times and no more, whatever failed", async ({ expect }) => {
    const [refused, cut] = [service(503, lost, 503), service(503, 503, lost)];

    expect(await settle(refused.send)).toBe(503);
    expect(await settle(cut.send)).toMatchObject({ name: "LoyaltyError", failure: null, cause: lost });
    expect([refused.askedAt.length, cut.askedAt.length]).toEqual([3, 3]);
  });

  it.for([
    ["seconds", "7"],
    ["a date", "Mon, 01 Jun 2026 12:00:07 GMT"],
  ])(
    "waits as long as Retry-After says in %s, and then not together with others",
    async ([, retryAfter], { expect }) => {
      const { send, askedAt } = service({ status: 503, retryAfter: retryAfter ?? "" });

      expect(await settle(send)).toBe(200);
      expect(askedAt).toEqual([0, 7_250]);
    },
  );

  it("is not tried again when the service asks for a longer wait than is allowed", async ({ expect }) => {
    const { send, askedAt } = service({ status: 429, retryAfter: "60" });

    expect(await settle(send)).toBe(429);
    expect(askedAt).toEqual([0]);
  });

  it.for([200, 401, 422, 500, 507])("is not tried again if that would not help: %i", async (status, { expect }) => {
    const { send, askedAt } = service(status);

    expect(await settle(send)).toBe(status);
    expect(askedAt).toEqual([0]);
  });

  it("does not wait forever for a connection that has gone silent", async ({ expect }) => {
    const { send, askedAt } = service("silence");

    expect(await settle(send)).toBe(200);
    expect(askedAt).toEqual([0, 30_750]);
  });

  it.for([Infinity, 2 ** 31])(
    "may be given more time than a timer can count: %d ms",
    async (answerWithinMs, { expect }) => {
      const slow = async () => {
        await new Promise((resolve) => setTimeout(resolve, 60_000));
        return new Response("{}");
      };

      const call = answerOf(slow, { ...OPTIONS, attempts: 1, answerWithinMs }, null);
      call.catch(() => {});
      await vi.advanceTimersByTimeAsync(60_000);

      expect((await call).status).toBe(200);
    },
  );

  it("is tried again when the body breaks off", async ({ expect }) => {
    const broken = () => {
      const body = new ReadableStream({ pull: (stream) => stream.error(lost) });
      return new Response(body);
    };
    const answers = [broken(), new Response('{"status":true}')];

    const call = answerOf(async () => answers.shift() ?? new Response(), OPTIONS, null);
    await vi.advanceTimersByTimeAsync(60_000);

    expect((await call).text).toBe('{"status":true}');
  });
});

describe("a call that is cancelled", () => {
  it.for<[string, Outcome, number]>([
    ["before it is sent", 200, -1],
    ["while no answer comes", "silence", 1_000],
    ["while it waits for another try", 503, 500],
  ])("throws the signal's reason at once: %s", async ([, outcome, after], { expect }) => {
    const stop = new AbortController();
    const { send, askedAt } = service(outcome, outcome, outcome);
    const cancel = () => stop.abort(new Error("enough"));
    if (after < 0) cancel();
    else setTimeout(cancel, after);

    const outcomeAt = send(stop.signal).catch((error: Error) => [error, Date.now() - NOW]);
    await vi.advanceTimersByTimeAsync(60_000);

    expect(await outcomeAt).toEqual([reasonOf(stop.signal), Math.max(after, 0)]);
    expect(askedAt.length).toBe(after < 0 ? 0 : 1);
  });
});
