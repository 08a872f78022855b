import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { as, feed, mustFeed } from "../support/api.ts";
import { differences } from "../support/differences.ts";
import { rows } from "../support/state.ts";
import {
  beginNight,
  bucketWith,
  endNight,
  goTo,
  KEPT,
  keepMonths,
  OLD,
  objects,
  seal,
  sealCutOff,
  sealedEntries,
  segments,
  shop,
  snapshotOfEvents,
} from "./support.ts";

// Rules of docs/contract/history.md, 2: where a step does not come to its end, nothing is lost or done twice.

beforeEach(() => beginNight());
afterEach(endNight);

describe("a step that is cut off", () => {
  async function feedOld(...more: string[]) {
    const { lines, entry } = shop();
    keepMonths(undefined);
    await mustFeed([...lines, entry("5.00", OLD), ...more.map((amount) => entry(amount, OLD)), entry("1.00", KEPT)]);
    keepMonths(1);
  }

  it("after its object was written is repeated with the same object", async ({ expect }) => {
    await feedOld();
    const before = await snapshotOfEvents();
    await expect(sealCutOff("before")).rejects.toThrow();
    const between = await snapshotOfEvents();

    await seal();

    expect(between).toEqual(before);
    expect(await objects()).toHaveLength(1);
    expect((await segments()).map(({ name, lines }) => [name, lines])).toEqual([[(await objects())[0], 1]]);
  });

  it("after it was committed is not done twice", async ({ expect }) => {
    await feedOld();
    await expect(sealCutOff("after")).rejects.toThrow();

    await seal();

    expect((await segments()).map(({ lines }) => lines)).toEqual([1]);
    expect(await sealedEntries()).toMatchObject([{ amount: 500 }]);
    expect(await differences()).toEqual([]);
  });

  it("because another run took it before it writes nothing", async ({ expect }) => {
    await feedOld();
    const { TEST_HISTORY: bucket } = env;
    let isFirst = true;
    const put = async (...given: Parameters<R2Bucket["put"]>) => {
      if (isFirst) {
        isFirst = false;
        await seal();
      }
      return bucket.put(...given);
    };
    keepMonths(1, bucketWith({ put }));

    await expect(seal()).rejects.toThrow();

    expect((await segments()).map(({ lines }) => lines)).toEqual([1]);
    expect(await differences()).toEqual([]);
  });

  it("takes out what it has begun with, and leaves the scan of a month that has begun meanwhile alone", async ({
    expect,
  }) => {
    const { lines, entry } = shop();
    keepMonths(undefined);
    await mustFeed([...lines, entry("5.00", OLD), entry("1.00", KEPT)]);
    let isFirst = true;
    const put = async (...given: Parameters<R2Bucket["put"]>) => {
      if (!isFirst) throw new Error("put: Unspecified error (0)");
      isFirst = false;
      await goTo("2026-07-10 07:00:00");
      await expect(seal()).rejects.toThrow("Unspecified");
      return env.TEST_HISTORY.put(...given);
    };
    keepMonths(1, bucketWith({ put }));

    await seal();
    const first = await segments();
    keepMonths(1);
    await seal();

    expect(first.map(({ month, lines }) => [month, lines])).toEqual([["2026-05", 1]]);
    expect((await segments()).map(({ month, lines }) => [month, lines])).toEqual([
      ["2026-05", 1],
      ["2026-06", 1],
    ]);
  });

  it.for([
    ["an event is gone that the object has", "DELETE FROM balance_entries WHERE amount = 700"],
    [
      "another event has come, which the object has not,",
      `INSERT INTO balance_entries SELECT min(id) || '+', customer_key, store_key, NULL, 300, created_at, ''
      FROM balance_entries WHERE created_at < '${KEPT}'`,
    ],
  ] as const)("where %s takes nothing out", async ([, change], { expect }) => {
    await feedOld("7.00");
    let before: unknown;
    const put = async (...given: Parameters<R2Bucket["put"]>) => {
      await rows(change);
      before = await snapshotOfEvents();
      return env.TEST_HISTORY.put(...given);
    };
    keepMonths(1, bucketWith({ put }));

    await expect(seal()).rejects.toThrow();

    expect(await snapshotOfEvents()).toEqual(before);
    expect([await segments(), await sealedEntries()]).toEqual([[], []]);
  });
});

describe("R2", () => {
  it.for([
    ["fails", () => Promise.reject(new Error("put: Unspecified error (0)"))],
    ["hangs", () => new Promise(() => {})],
  ] as const)(
    "that %s: nothing leaves, nothing is lost, and feeds and answers do not notice",
    async ([, put], { expect }) => {
      const { lines, customerId, entry } = shop();
      keepMonths(undefined);
      await mustFeed([...lines, entry("5.00", OLD)]);
      keepMonths(1, bucketWith({ put }));
      const before = await snapshotOfEvents();
      skipTimeouts(10_000);

      await expect(seal()).rejects.toThrow();

      expect(await snapshotOfEvents()).toEqual(before);
      expect((await feed([entry("1.00", KEPT)])).status).toBe(200);
      expect((await as(customerId).get("/api/v1/customer/me")).status).toBe(200);
    },
  );
});

/** What waits for so long does not wait. */
function skipTimeouts(milliseconds: number): void {
  const { setTimeout: real } = globalThis;
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((work: () => void, after?: number) =>
    real(work, after === milliseconds ? 0 : after)) as typeof setTimeout);
}
