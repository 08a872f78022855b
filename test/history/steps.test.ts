import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { as, feed } from "../support/api.ts";
import { differences } from "../support/differences.ts";
import { rows } from "../support/state.ts";
import {
  beginNight,
  bucketWith,
  endNight,
  feedOld,
  goTo,
  KEPT,
  keepMonths,
  OLD,
  seal,
  sealedEntries,
  segments,
  shop,
  snapshotOfEvents,
} from "./support.ts";

// docs/contract/history.md, 2: nothing is lost or done twice if a step fails. The property of history lets steps fail at
// any write.

beforeEach(() => beginNight());
afterEach(endNight);

/** Feeds an entry of 5.00 and others that are to leave, and an entry of 1.00 that stays. */
async function feedEntries(...more: string[]) {
  const { lines, entry, customerId } = shop();
  await feedOld(...lines, ...["5.00", ...more].map((amount) => entry(amount, OLD)), entry("1.00", KEPT));
  return { entry, customerId };
}

/** A bucket. Some work is done before it takes the first object. */
function bucketAfter(work: () => Promise<unknown>) {
  let isFirst = true;
  return bucketWith({
    put: async (...given) => {
      if (isFirst) {
        isFirst = false;
        await work();
      }
      return env.TEST_HISTORY.put(...given);
    },
  });
}

const segmentsOfMonths = async () => (await segments()).map(({ month, lines }) => [month, lines]);

describe("a step", () => {
  it("writes nothing if another run has taken its events out meanwhile", async ({ expect }) => {
    await feedEntries();
    keepMonths(1, bucketAfter(seal));

    await expect(seal()).rejects.toThrow();

    expect(await segmentsOfMonths()).toEqual([["2026-05", 1]]);
    expect(await differences()).toEqual([]);
  });

  it("takes out the events with which it began, and does not move the scan of a month that has begun meanwhile", async ({
    expect,
  }) => {
    await feedEntries();
    const put = () => Promise.reject(new Error("put: Unspecified error (0)"));
    const bucket = bucketAfter(async () => {
      await goTo("2026-07-10 07:00:00");
      keepMonths(1, bucketWith({ put }));
      await expect(seal()).rejects.toThrow("Unspecified");
    });
    keepMonths(1, bucket);

    await seal();
    const first = await segmentsOfMonths();
    keepMonths(1);
    await seal();

    expect(first).toEqual([["2026-05", 1]]);
    expect(await segmentsOfMonths()).toEqual([
      ["2026-05", 1],
      ["2026-06", 1],
    ]);
  });

  it.for([
    ["an event is gone that the object has", "DELETE FROM balance_entries WHERE amount = 700"],
    [
      "another event has come that the object does not have",
      `INSERT INTO balance_entries SELECT min(id) || '+', customer_key, store_key, NULL, 300, created_at, ''
      FROM balance_entries WHERE created_at < '${KEPT}'`,
    ],
  ] as const)("takes nothing out if %s", async ([, change], { expect }) => {
    await feedEntries("7.00");
    let before: unknown;
    const bucket = bucketAfter(async () => {
      await rows(change);
      before = await snapshotOfEvents();
    });
    keepMonths(1, bucket);

    await expect(seal()).rejects.toThrow();

    expect(await snapshotOfEvents()).toEqual(before);
    expect([await segments(), await sealedEntries()]).toEqual([[], []]);
  });
});

describe("R2", () => {
  it.for([
    ["fails", () => Promise.reject(new Error("put: Unspecified error (0)"))],
    ["hangs", () => new Promise(() => {})],
  ] as const)("that %s: nothing leaves, and feeds and answers do not notice", async ([, put], { expect }) => {
    const { customerId, entry } = await feedEntries();
    keepMonths(1, bucketWith({ put }));
    const before = await snapshotOfEvents();
    skipTimeouts(10_000);

    await expect(seal()).rejects.toThrow();

    expect(await snapshotOfEvents()).toEqual(before);
    expect((await feed([entry("1.00", KEPT)])).status).toBe(200);
    expect((await as(customerId).get("/api/v1/customer/me")).status).toBe(200);
  });
});

/** Ends timeouts of this length at once. */
function skipTimeouts(milliseconds: number): void {
  const { setTimeout: real } = globalThis;
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((work: () => void, after?: number) =>
    real(work, after === milliseconds ? 0 : after)) as typeof setTimeout);
}
