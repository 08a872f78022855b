import { describe, it } from "vitest";
import { feed, mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";

/** A store and customers, and lines that make them members. */
async function storeWith(count: number) {
  const account = seed.account();
  const store = seed.store(account.id);
  const customers = Array.from({ length: count }, () => seed.customer());
  await mustFeed([account, store, ...customers]);
  const join = (number: number, referrer?: number | null) => ({
    record: "membership",
    store_id: store.id,
    customer_id: customers[number]?.id,
    ...(referrer === undefined ? {} : { referrer_id: referrer === null ? null : customers[referrer]?.id }),
  });
  return { account, store, customers, join };
}

const badFields = async (lines: Record<string, unknown>[]) => Object.keys((await feed(lines)).body.messages ?? {});

describe("POST /feed: a membership's referrer", () => {
  it("may stand on an earlier line, or be stored", async ({ expect }) => {
    const { join } = await storeWith(3);

    expect((await feed([join(0), join(1, 0)])).status).toBe(200);
    expect((await feed([join(2, 1)])).status).toBe(200);
  });

  it("may not stand on a later line, nor be nobody's membership, nor the member", async ({ expect }) => {
    const { join } = await storeWith(4);
    const { join: elsewhere, customers } = await storeWith(1);
    await mustFeed([elsewhere(0)]);

    expect(await badFields([join(1, 0), join(0)])).toEqual(["line 1.referrer_id"]);
    expect(await badFields([join(0, 0)])).toEqual(["line 1.referrer_id"]);
    expect(await badFields([join(0, 1), join(1, 0)])).toEqual(["line 1.referrer_id"]);
    expect(await badFields([{ ...join(0), referrer_id: customers[0]?.id }])).toEqual(["line 1.referrer_id"]);
    expect(await badFields([{ ...join(0), referrer_id: "nobody" }])).toEqual(["line 1.referrer_id"]);
  });

  it("stands on an earlier line also where a later line of the same member counts", async ({ expect }) => {
    const { join } = await storeWith(2);

    expect((await feed([join(0), join(1, 0), join(0)])).status).toBe(200);
  });

  it("stands on an earlier line also where the member's first line came before", async ({ expect }) => {
    const { join } = await storeWith(2);

    expect((await feed([join(1), join(0), join(1, 0)])).status).toBe(200);
  });

  it("closes no circle, however the lines repeat", async ({ expect }) => {
    const { join } = await storeWith(3);

    for (const lines of [
      [join(0), join(1, 0), join(0, 1)],
      [join(0), join(1, 0), join(2, 1), join(0, 2)],
    ]) {
      expect(await badFields(lines)).toEqual([expect.stringMatching(/^line \d\.referrer_id$/)]);
    }
  });

  it("is fixed once written, and stays as it was when left out or null", async ({ expect }) => {
    const { join } = await storeWith(3);
    await mustFeed([join(0), join(1), join(2, 0)]);

    expect((await feed([join(2), join(2, null), join(2, 0)])).status).toBe(200);
    expect(await badFields([join(2, 1)])).toEqual(["line 1.referrer_id"]);
    expect(await badFields([join(1, 0)])).toEqual(["line 1.referrer_id"]);
  });

  it("may have left the store", async ({ expect }) => {
    const { join } = await storeWith(2);
    await mustFeed([join(0)]);
    await mustFeed([{ ...join(0), deleted: true }]);

    expect((await feed([join(1, 0)])).status).toBe(200);
  });

  it("belongs to the store's account: a token for another is refused", async ({ expect }) => {
    const { account, join } = await storeWith(2);

    expect((await feed([join(0)], ["1"])).status).toBe(403);
    expect((await feed([{ ...join(0), deleted: true }], ["1"])).status).toBe(403);
    expect((await feed([join(0), join(1, 0)], [account.id])).status).toBe(200);
  });
});
