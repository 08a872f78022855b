import { describe, it } from "vitest";
import { mustFeed, trips } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";
import { get, issue, listed, MY_COUPONS, myCoupons, program } from "./support.ts";

/** A customer who has one coupon of each kind at one chain. */
async function oneOfEach() {
  const holds = await program();
  const [store, mfg] = await issue(holds, {}, { coupon: { kind: "mfg" } });
  const digital = seed.coupon(holds.account.id, { kind: "digital" });
  await mustFeed([digital]);
  return { ...holds, ids: { store: [store], mfg: [mfg], digital: [digital.id] } };
}

describe("GET /my-coupons", () => {
  it("answers each field of a digital coupon, in one round trip", async ({ expect }) => {
    const { account, customer } = await program({ company: "Blue Cup" });
    const campaign = seed.campaign(account.id);
    const coupon = seed.coupon(account.id, {
      kind: "digital",
      campaign_id: campaign.id,
      value: "5",
      header_lines: ["Member offer"],
      coupon_barcode: "000000000042",
      is_custom: 1,
      can_combine_with_other: 1,
      created_at: "2026-01-15 09:00:00",
    });
    await mustFeed([campaign, coupon]);

    const answer = await get(customer.id, MY_COUPONS);

    const [entry, ...others] = answer.body.items.digital;
    expect(others).toEqual([]);
    expect(Object.keys(entry).sort()).toEqual(["account", "coupon"]);
    expect(entry.account).toMatchObject({ id: account.id, company: "Blue Cup" });
    expect(entry.coupon).toEqual({
      id: coupon.id,
      account_id: account.id,
      name: "Free coffee",
      coupon_barcode: "000000000042",
      type: "Free_Item",
      value: "5.00",
      is_digital: 1,
      header_lines: ["Member offer"],
      text_lines: [],
      can_expire: 0,
      expiration_type: "Never_Expires",
      expiration: "",
      once_per_sale: 0,
      is_custom: 1,
      expiration_date: null,
      can_combine_with_other: 1,
      created_at: "2026-01-15 09:00:00",
    });
    expect(trips(answer)).toBe(1);
  });

  it("answers a held coupon with the fields of the detailed variants but campaign_coupon", async ({ expect }) => {
    const { customer } = await oneOfEach();
    const detailed = (await get(customer.id, "/api/v1/customer/coupons", { includemfg: true })).body.items;

    const { store, mfg } = (await get(customer.id, MY_COUPONS)).body.items;

    const { campaign_coupon: _, ...record } = detailed.stores[0];
    const { campaign_coupon: __, ...mfgRecord } = detailed.mfg[0];
    expect(store).toEqual([record]);
    expect(mfg).toEqual([mfgRecord]);
    expect(record).toMatchObject({ coupon_id: null, reserved: 0, account: { id: record.account_id } });
  });

  it("combines its filters", async ({ expect }) => {
    const { customer, ids } = await oneOfEach();
    const { store, mfg, digital } = ids;
    const find = (query: Record<string, string | boolean>) => myCoupons(customer.id, query);

    expect(await find({})).toEqual(ids);
    expect(await find({ includemfg: true, digitalonly: false, type: "", storeId: "" })).toEqual(ids);
    expect(await find({ type: "store" })).toEqual({ store, mfg: [], digital: [] });
    expect(await find({ type: "mfg" })).toEqual({ store: [], mfg, digital: [] });
    expect(await find({ digitalonly: true })).toEqual({ store: [], mfg: [], digital });
    expect(await find({ digitalonly: true, includemfg: true })).toEqual({ store: [], mfg: [], digital });
    expect(await find({ includemfg: false })).toEqual({ store, mfg: [], digital });
    expect(await find({ digitalonly: true, type: "store" })).toBe("NO_ITEMS");
    expect(await find({ digitalonly: true, type: "mfg" })).toBe("NO_ITEMS");
    expect(await find({ type: "mfg", includemfg: false })).toBe("NO_ITEMS");
  });

  it("restricts to the stores named, and to the digital coupons of the accounts that own them", async ({ expect }) => {
    const { account, customer, store, ids } = await oneOfEach();
    const elsewhere = { ...(await program()), customer };
    const sibling = seed.store(account.id);
    const digital = seed.coupon(elsewhere.account.id, { kind: "digital" });
    await mustFeed([sibling, digital, seed.membership(elsewhere.store.id, customer.id)]);
    const [there] = await issue(elsewhere, {});
    const at = (...storeIds: unknown[]) =>
      myCoupons(customer.id, { storeId: storeIds.join(",") }).then((found) =>
        typeof found === "string" ? found : Object.values(found).flat().sort(),
      );
    const here = Object.values(ids).flat();

    expect(await at(store.id)).toEqual([...here].sort());
    expect(await at(sibling.id)).toEqual(ids.digital);
    expect(await at(elsewhere.store.id)).toEqual([there, digital.id].sort());
    expect(await at(" ", store.id, " ", ` ${elsewhere.store.id} `)).toEqual([...here, there, digital.id].sort());
    expect(await at("unknown")).toBe("NO_ITEMS");
    expect(await at(" ", "")).toEqual([...here, there, digital.id].sort());

    const twice = await get(customer.id, `${MY_COUPONS}?storeId=${store.id}&storeId=unknown,${sibling.id}`);
    expect(twice.body.items.store).toHaveLength(1);

    await mustFeed([seed.deleted("store", { id: sibling.id })]);
    expect(await at(sibling.id)).toBe("NO_ITEMS");
  });

  it("shows digital coupons to who has joined a store of their account, as long as the store is there", async ({
    expect,
  }) => {
    const { account, store, customer } = await program();
    const sibling = seed.store(account.id);
    const coupon = seed.coupon(account.id, { kind: "digital" });
    const joins = [seed.membership(store.id, customer.id), seed.membership(sibling.id, customer.id)];
    const leaves = seed.deleted("membership", { store_id: store.id, customer_id: customer.id });
    await mustFeed([sibling, coupon, ...joins]);
    const digital = { store: [], mfg: [], digital: [coupon.id] };

    expect(await myCoupons(customer.id)).toEqual(digital);
    expect(await myCoupons(seed.freshId("c"))).toBe("NO_ITEMS");

    await mustFeed([leaves]);
    expect(await myCoupons(customer.id)).toEqual(digital);

    await mustFeed([seed.deleted("store", { id: sibling.id })]);
    expect(await myCoupons(customer.id)).toBe("NO_ITEMS");

    await mustFeed([
      joins[0] ?? "",
      sibling,
      seed.deleted("membership", { store_id: sibling.id, customer_id: customer.id }),
    ]);
    expect(await myCoupons(customer.id)).toEqual(digital);

    for (const one of [account, coupon]) {
      await mustFeed([seed.deleted(one.record, { id: one.id })]);
      expect(await myCoupons(customer.id)).toBe("NO_ITEMS");
      await mustFeed([one]);
    }
    expect(await myCoupons(customer.id)).toEqual(digital);
  });

  it("shows a digital coupon whose id an issued coupon has too as itself", async ({ expect }) => {
    const holds = await program();
    const digital = seed.coupon(holds.account.id, { kind: "digital", name: "Digital" });
    await mustFeed([digital]);
    await issue(holds, { coupon: { name: "Issued" }, issued: { id: digital.id } });

    const { items } = (await get(holds.customer.id, MY_COUPONS)).body;

    expect(items.store[0]).toMatchObject({ id: digital.id, name: "Issued" });
    expect(items.digital[0].coupon).toMatchObject({ id: digital.id, name: "Digital" });
  });

  it("pages over the three lists as one, and links the pages", async ({ expect }) => {
    const { customer, ids } = await oneOfEach();
    const page = (number: number) => get(customer.id, MY_COUPONS, { per_page: 2, page: number, search: "coffee" });
    const link = (number: number, relation: string) =>
      `<https://loyalty.example${MY_COUPONS}?per_page=2&page=${number}&search=coffee>; rel="${relation}"`;

    const [first, second, third] = [await page(1), await page(2), await page(3)];

    expect(first.body.items).toMatchObject({ store: [{ id: ids.store[0] }], mfg: [{ id: ids.mfg[0] }], digital: [] });
    expect(second.body.items).toMatchObject({ store: [], mfg: [], digital: [{ coupon: { id: ids.digital[0] } }] });
    expect(third.body).toMatchObject({ status: false, errorCode: "NO_ITEMS" });
    expect(first.headers.get("Link")).toBe(link(2, "next"));
    expect(second.headers.get("Link")).toBe(link(1, "prev"));
    expect(second.body.items.digital[0].account.id).toBe(first.body.items.store[0].account.id);
  });

  it("links both ways from a page in the middle, and not at all from the only page", async ({ expect }) => {
    const { customer } = await oneOfEach();

    const middle = await get(customer.id, MY_COUPONS, { per_page: 1, page: 2 });
    const only = await get(customer.id, MY_COUPONS, { per_page: 3 });

    expect(middle.headers.get("Link")).toMatch(/^<.*page=1>; rel="prev", <.*page=3>; rel="next"$/);
    expect(only.headers.get("Link")).toBeNull();
  });

  it("holds 50 records a page when per_page is left out", async ({ expect }) => {
    const holds = await program();
    await issue(holds, ...Array.from({ length: 51 }, () => ({})));

    const { items } = (await get(holds.customer.id, MY_COUPONS)).body;

    expect(items.store.map(({ id }: { id: string }) => id)).toEqual((await listed(holds.customer.id)).slice(0, 50));
  });

  it("brings every record's account, when a page begins in the middle of an account's coupons", async ({ expect }) => {
    const holds = await program();
    const other = { ...(await program()), customer: holds.customer };
    // The first of an account by id is the last of its coupons on the list.
    const ends = [3, 2, 1].map((day) => ({ issued: { expected_end_date: `2999-01-0${day}` } }));
    await issue(holds, ...ends);
    await issue(other, ...ends);

    for (const page of [1, 2, 3, 4, 5, 6]) {
      const [record] = (await get(holds.customer.id, MY_COUPONS, { per_page: 1, page })).body.items.store;
      expect(record.account.id).toBe(record.account_id);
    }
  });
});
