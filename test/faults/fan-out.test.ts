import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { makeCalls } from "../../src/inbox/notify.ts";
import { takeTime } from "../support/listeners.ts";
import { notification } from "../support/live.ts";

const calls = (...customers: string[]) => customers.map((customerId) => ({ customerId, ...notification() }));

describe("a fan-out object", () => {
  const names = (length: number, prefix: string) => Array.from({ length }, (_, index) => `${prefix} ${index}`);

  /** Makes the inboxes of these customers hang for 1.5 seconds. */
  const hang = (...customers: string[]) => takeTime((customerId) => (customers.includes(customerId) ? 1_500 : 5));

  it("makes five calls at a time for all its batches together, and none for a batch whose time is over", async ({
    expect,
  }) => {
    const { called, mostCalls } = hang();
    const inboxes = new Inboxes(env);
    const endsAt = Date.now() + 10_000;

    const outcomes = await Promise.all([
      inboxes.fanOut("test", calls(...names(20, "a")), endsAt),
      inboxes.fanOut("test", calls(...names(20, "b")), endsAt),
      inboxes.fanOut("test", calls("c"), Date.now() - 1),
    ]);

    expect(outcomes.map(({ reached }) => reached.size)).toEqual([20, 20, 0]);
    expect([called.length, mostCalls()]).toEqual([40, 5]);
  });

  it("makes all other calls on one connection while four calls hang, in the next batch too", async ({ expect }) => {
    const { mostCalls } = hang(...names(4, "hangs"));
    const inboxes = new Inboxes(env);
    const batch = calls(...names(4, "hangs"), ...names(20, "fine"));

    const first = await inboxes.fanOut("hanging", batch, Date.now() + 1_000);
    const second = await inboxes.fanOut("hanging", calls(...names(20, "later")), Date.now() + 10_000);

    expect([first.reached, second.reached]).toEqual([new Set(names(20, "fine")), new Set(names(20, "later"))]);
    expect(mostCalls()).toBe(5);
  });
});

describe("a batch of calls that fail", () => {
  it("logs one line, with their number and the name of the first error", async ({ expect }) => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    vi.spyOn(Inboxes.prototype, "notify").mockImplementation(async (customerId) => {
      if (customerId !== "fine") throw new TypeError(`no ${customerId}`);
    });

    await makeCalls(new Inboxes(env), calls("a", "fine", "b"), 1_000);
    vi.spyOn(Inboxes.prototype, "notify").mockResolvedValue();
    await makeCalls(new Inboxes(env), calls("a", "fine", "b"), 1_000);

    expect(log.mock.calls).toEqual([[JSON.stringify({ error: "INBOXES_UNREACHED", count: 2, cause: "TypeError" })]]);
  });
});
