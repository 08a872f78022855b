import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import type { Notification } from "../../src/inbox/inbox.ts";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { runSchedule } from "../support/listeners.ts";

beforeEach(() => env.DB.exec("DELETE FROM outbox"));
afterEach(() => vi.restoreAllMocks());

/** Leaves changes in the outbox, of these versions, each of customers of its own. */
async function leave({
  versions,
  what = "messages",
  customer = "c",
}: {
  versions: number[];
  what?: string;
  customer?: string;
}): Promise<void> {
  const insert = `INSERT INTO outbox (version, change_kind, customers, stored_at)
    SELECT value, ?1, json_array(?2 || iif(?2 = 'c', value, '')), datetime(now, '-1 minute') FROM json_each(?3), clock`;
  await env.DB.prepare(insert).bind(what, customer, JSON.stringify(versions)).run();
}

/** Inboxes that take every notification; says which came. */
function takeNotifications() {
  const notify = vi.spyOn(Inboxes.prototype, "notify").mockResolvedValue();
  return () =>
    notify.mock.calls.map(([customer, { version, kinds }]: [string, Notification]) => ({ customer, version, kinds }));
}

const count = (length: number, from = 1) => Array.from({ length }, (_, index) => from + index);
const left = () => env.DB.prepare("SELECT count(*) AS count FROM outbox").first<number>("count");

describe("a customer of whom the outbox has many changes", () => {
  it("is notified of the newest of each kind, and of no older one of that kind", async ({ expect }) => {
    await leave({ versions: count(1_200, 10), customer: "ada" });
    await leave({ versions: [1, 2], what: "coupons", customer: "ada" });
    await leave({ versions: [3], what: "balance", customer: "ada" });
    const notified = takeNotifications();

    await runSchedule("* * * * *");

    expect(notified()).toEqual([
      { customer: "ada", version: 1_209, kinds: ["messages"] },
      { customer: "ada", version: 3, kinds: ["balance", "coupons"] },
    ]);
    expect(await left()).toBe(0);
  });

  it("is called once a run where the inbox hangs, and keeps the changes for the next", async ({ expect }) => {
    await leave({ versions: count(1_200, 10), customer: "ada" });
    const notify = vi.spyOn(Inboxes.prototype, "notify").mockImplementation(() => new Promise(() => {}));

    await runSchedule("* * * * *");

    expect(notify).toHaveBeenCalledTimes(1);
    expect(await left()).toBe(1_200);
  });
});

describe("the rate of the contract", () => {
  it("leaves each inbox 500 ms: fifty are called at once, so a run's 50 seconds are enough for 5,000", async ({
    expect,
  }) => {
    await leave({ versions: count(1_000) });
    let [calls, most] = [0, 0];
    vi.spyOn(Inboxes.prototype, "notify").mockImplementation(async () => {
      calls += 1;
      most = Math.max(most, calls);
      await new Promise((resolve) => setTimeout(resolve, 20));
      calls -= 1;
    });

    await runSchedule("* * * * *");

    expect([most, await left()]).toEqual([50, 0]);
  });
});
