import { beforeAll, describe, it } from "vitest";
import { as, mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";

describe("the filters `type` and `search` of coupons", () => {
  const [account, customer] = [seed.account(), seed.customer()];
  const store = seed.store(account.id);
  const types = ["パンダ", "ハンダ", "हिन्दी", "हन्द", "ไม้", "ไม", "Größe"];
  const coupons = types.map((type) => seed.coupon(account.id, { kind: "store", type, name: type }));
  const api = as(String(customer.id));

  beforeAll(async () => {
    await mustFeed([account, customer, store, ...coupons]);
    await mustFeed(coupons.map(({ id }) => seed.customerCoupon(customer.id, id, store.id)));
  });

  const typesBy = async (filter: string, value: string) => {
    const { body } = await api.get(`/api/v1/customer/coupons?${new URLSearchParams({ [filter]: value })}`);
    return body.status ? body.items.map(({ type }: { type: string }) => type) : body.errorCode;
  };

  it.for([
    ["パンダ", ["パンダ"]],
    ["ﾊﾟﾝﾀﾞ", ["パンダ"]],
    ["ハンダ", ["ハンダ"]],
    ["हिन्दी", ["हिन्दी"]],
    ["ไม", ["ไม"]],
    ["GROSSE", ["Größe"]],
  ] as const)("`type` %s is one type", async ([type, found], { expect }) => {
    expect(await typesBy("type", type)).toEqual(found);
  });

  it.for(["type", "search"])("a `%s` of one mark finds nothing", async (filter, { expect }) => {
    expect(await typesBy(filter, "\u0301")).toBe("NO_ITEMS");
  });

  it("`search` finds only coupons with the same marks", async ({ expect }) => {
    expect([await typesBy("search", "パン"), await typesBy("search", "หม")]).toEqual([["パンダ"], "NO_ITEMS"]);
  });
});
