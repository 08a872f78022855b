import { beforeAll, describe, it } from "vitest";
import { as, feed, mustFeed } from "../../support/api.ts";
import { createPublicViews } from "../../support/public-views.ts";
import * as seed from "../../support/seed.ts";
import { rows, value } from "../../support/state.ts";

beforeAll(createPublicViews);

const NOT_A_MEMBER = "must be a member of the store, stored or on an earlier line";

async function storeAndCustomers(count: number) {
  const account = seed.account();
  const store = seed.store(account.id);
  const customers = Array.from({ length: count }, (_, place) => seed.customer({ first_name: `N${place}` }));
  await mustFeed([account, store, ...customers]);
  const [a = "", b = "", c = "", d = ""] = customers.map(({ id }) => id);
  const join = (customerId: string, referrerId?: string | null) =>
    seed.membership(store.id, customerId, referrerId === undefined ? {} : { referrer_id: referrerId });
  const leave = (customerId: string) => seed.deleted("membership", { store_id: store.id, customer_id: customerId });
  return { account, store, customers, a, b, c, d, join, leave };
}

async function team(customerId: string, storeId: unknown) {
  const answer = await as(customerId).get(`/api/v1/customer/stores/${storeId}/team-with-level`);
  return answer.body.items.map((item: { id: string; current_level: number; levels: { total_members: number }[] }) => [
    item.id,
    item.current_level,
    item.levels.map((level) => level.total_members).join(""),
  ]);
}

/** How many members a member has at each level, as digits. */
async function sizes(customerId: string, storeId: unknown) {
  const columns = [1, 2, 3, 4, 5].map((level) => `members_${level}`);
  const [row = {}] = await rows(
    `SELECT ${columns.join(", ")} FROM public_memberships WHERE store_id = ? AND customer_id = ?`,
    storeId,
    customerId,
  );
  return Object.values(row).join("");
}

describe("a membership's referrer", () => {
  it("that is stored may stand on a later line too", async ({ expect }) => {
    const { store, a, b, join } = await storeAndCustomers(2);
    await mustFeed([join(a)]);

    await mustFeed([join(b, a), join(a)]);

    expect(await team(a, store.id)).toEqual([[b, 1, "00000"]]);
  });

  it("is not the member, stored or not", async ({ expect }) => {
    const { a, b, join } = await storeAndCustomers(2);
    await mustFeed([join(b)]);

    expect((await feed([join(a, a)])).body.messages).toEqual({ "line 1.referrer_id": [NOT_A_MEMBER] });
    expect((await feed([join(a), join(a, a)])).body.messages).toEqual({ "line 2.referrer_id": [NOT_A_MEMBER] });
    expect((await feed([join(b, b)])).status).toBe(422);
  });

  it("makes no circle, not even over lines that do not count", async ({ expect }) => {
    const { a, b, c, join } = await storeAndCustomers(3);

    expect((await feed([join(a, b), join(b, a)])).status).toBe(422);
    expect((await feed([join(a), join(b), join(a, b), join(b, a)])).status).toBe(422);
    expect((await feed([join(a), join(b), join(c), join(a, c), join(b, a), join(c, b)])).status).toBe(422);
    expect(await value("SELECT count(*) FROM public_memberships WHERE customer_id IN (?, ?, ?)", a, b, c)).toBe(0);
  });

  it("may stand on an earlier line that a later one replaces, or its own line may", async ({ expect }) => {
    const { store, a, b, c, d, join } = await storeAndCustomers(4);

    await mustFeed([join(b), join(a), join(b, a), join(d), join(c, d), join(d)]);

    expect(await team(a, store.id)).toEqual([[b, 1, "00000"]]);
    expect(await team(d, store.id)).toEqual([[c, 1, "00000"]]);
  });

  it("on an earlier line counts only as long as no later line deletes it unstored", async ({ expect }) => {
    const { store, a, b, join, leave } = await storeAndCustomers(2);

    const refused = await feed([join(a), join(b, a), leave(a)]);
    await mustFeed([join(a)]);
    await mustFeed([join(a), join(b, a), leave(a)]);

    expect(refused.body.messages).toEqual({ "line 2.referrer_id": [NOT_A_MEMBER] });
    expect(await sizes(a, store.id)).toBe("10000");
    expect(await team(a, store.id)).toEqual([]);
  });

  it("is a member of the same store", async ({ expect }) => {
    const { account, a, b, join } = await storeAndCustomers(2);
    const elsewhere = seed.store(account.id);
    await mustFeed([elsewhere, seed.membership(elsewhere.id, a)]);

    expect((await feed([join(b, a)])).body.messages).toEqual({ "line 1.referrer_id": [NOT_A_MEMBER] });
    expect((await feed([join(b, "nobody")])).status).toBe(422);
  });

  it("may have left, but not be erased", async ({ expect }) => {
    const { store, a, b, c, join, leave } = await storeAndCustomers(3);
    await mustFeed([join(a)]);
    await mustFeed([leave(a)]);

    await mustFeed([join(b, a)]);
    await mustFeed([seed.deleted("customer", { id: a })]);
    const refused = await feed([join(c, a)]);

    expect(refused.body.messages).toEqual({ "line 1.referrer_id": ["names a record that is not stored"] });
    expect(await sizes(a, store.id)).toBe("10000");
  });
});

describe("a membership's end", () => {
  it("comes with the customer's erasure; a customer written again is no member, and joins again under the old referrer", async ({
    expect,
  }) => {
    const { store, customers, a, b, c, join } = await storeAndCustomers(3);
    await mustFeed([join(a), join(b, a), join(c, b)]);

    await mustFeed([seed.deleted("customer", { id: b })]);
    expect(await team(a, store.id)).toEqual([[c, 2, "00000"]]);

    await mustFeed([customers[1] as object as { record: string }]);
    expect(await team(a, store.id)).toEqual([[c, 2, "00000"]]);
    expect(await sizes(a, store.id)).toBe("01000");

    await mustFeed([join(b)]);
    expect(await team(a, store.id)).toEqual([
      [b, 1, "10000"],
      [c, 2, "00000"],
    ]);
  });

  it("keeps the team's order when members are renamed, here or gone", async ({ expect }) => {
    const { store, a, b, c, d, join, leave } = await storeAndCustomers(4);
    await mustFeed([join(a), join(b, a), join(c, a), join(d, a)]);
    await mustFeed([leave(d)]);

    await mustFeed([seed.customer({ id: b, first_name: "Z" }), seed.customer({ id: d, first_name: "A" })]);
    await mustFeed([join(d)]);

    expect((await team(a, store.id)).map(([id]: [string]) => id)).toEqual([d, c, b]);
  });
});
