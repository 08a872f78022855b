import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { MAILER_FIELDS, PASSED_THROUGH, PASSED_THROUGH_OPTIONS } from "../../support/account-fields.ts";
import { as, mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";
import { value } from "../../support/state.ts";

// The fields of docs/contract/interface.md, 5.1 and 5.2, in a coupon list.
const ACCOUNT_FIELDS = ["id", "parent_id", "company", "loyalty_options", ...PASSED_THROUGH].filter(
  (field) => field !== "agreement_type",
);
const LOYALTY_FIELDS = [
  ...PASSED_THROUGH_OPTIONS,
  ...["team_breakdown", "chain_logo", "chain_logo_type", "chain_background", "early_registration_time"],
  ...["term_contents", "notify_user_admin", "purchase_report_time"],
  ...MAILER_FIELDS,
];
const TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 4) <> '_cf_'";

/** A customer with a coupon of each kind at a chain of these fields. */
async function holder(fields: Record<string, unknown>) {
  const account = seed.account(fields);
  const store = seed.store(account.id);
  const customer = seed.customer();
  const [offer, mfg, digital] = ["store", "mfg", "digital"].map((kind) => seed.coupon(account.id, { kind }));
  await mustFeed([account, store, customer, offer ?? "", mfg ?? "", digital ?? ""]);
  await mustFeed([
    seed.membership(store.id, customer.id),
    seed.customerCoupon(customer.id, offer?.id, store.id),
    seed.customerCoupon(customer.id, mfg?.id, store.id),
  ]);
  return { account, get: (path: string) => as(customer.id).get(`/api/v1/customer/${path}`) };
}

describe("the account object of the coupon lists", () => {
  it("has every field of the interface and no other, in each list", async ({ expect }) => {
    const { get } = await holder({ agreement_type: "hidden", loyalty_options: {} });
    const detailed = (await get("coupons?includemfg=true")).body.items;
    const mine = (await get("my-coupons")).body.items;
    const accounts = [...detailed.stores, ...detailed.mfg, ...mine.store, ...mine.mfg, ...mine.digital].map(
      ({ account }) => account,
    );

    expect(accounts).toHaveLength(5);
    for (const account of accounts) {
      expect(Object.keys(account).sort()).toEqual([...ACCOUNT_FIELDS].sort());
      expect(Object.keys(account.loyalty_options).sort()).toEqual([...LOYALTY_FIELDS].sort());
    }
  });

  it("stands in every record, also where their logos are long", async ({ expect }) => {
    const chain_logo = "é".repeat(262_144);
    const account = seed.account({ loyalty_options: { chain_logo } });
    const store = seed.store(account.id);
    const customer = seed.customer();
    const coupon = seed.coupon(account.id, { name: 'The "last" one: é' });
    const issued = Array.from({ length: 3 }, () => seed.customerCoupon(customer.id, coupon.id, store.id));
    await mustFeed([account, store, customer, coupon, ...issued]);

    const answer = await as(customer.id).get("/api/v1/customer/coupons?includemfg=true&include_images=true");

    const { stores } = answer.body.items;
    expect(answer.headers.get("Content-Type")).toBe("application/json");
    expect(stores.map(({ name }: { name: string }) => name)).toEqual(issued.map(() => 'The "last" one: é'));
    for (const { account } of stores) expect(account.loyalty_options.chain_logo === chain_logo).toBe(true);
  });

  it("never holds the mailer's credentials, nor is any of them stored", async ({ expect }) => {
    const canaries = Object.fromEntries(MAILER_FIELDS.map((field) => [field, `canary-${field}`]));
    const { account, get } = await holder({ ...canaries, loyalty_options: { chain_display_name: "Cup", ...canaries } });
    await mustFeed([{ ...account, loyalty_options: { ...canaries, mailer_secret: { deep: "canary" } } }]);

    const paths = [
      "coupons",
      "coupons?includemfg=true",
      "coupons?includemfg=true&include_images=true",
      "my-coupons",
      "my-coupons?digitalonly=true",
      "my-coupons?type=store",
      "my-coupons?type=mfg&per_page=1",
    ];
    for (const path of paths) {
      const { body } = await get(path);
      expect(body.status).toBe(true);
      expect(JSON.stringify(body)).not.toContain("canary");
    }
    const { store, digital } = (await get("my-coupons")).body.items;
    for (const field of MAILER_FIELDS) {
      expect(store[0].account.loyalty_options[field]).toBe("");
      expect(digital[0].account.loyalty_options[field]).toBe("");
    }
    const tables = (await env.DB.prepare(TABLES).all<{ name: string }>()).results;
    expect(tables).toContainEqual({ name: "accounts" });
    for (const { name } of tables) {
      const { results } = await env.DB.prepare(`SELECT * FROM ${name}`).all();
      expect(JSON.stringify(results)).not.toContain("canary");
    }
  });

  it("is as it was fed last, its loyalty options and its logo too", async ({ expect }) => {
    const { account, get } = await holder({ loyalty_options: { description: "Points", chain_logo: "T05F" } });
    const shown = async (path: string) => (await get(path)).body.items;
    const withImages = "coupons?includemfg=true&include_images=true";
    expect((await shown(withImages)).stores[0].account.loyalty_options.chain_logo).toBe("T05F");

    const loyalty_options = { description: "Stars", chain_logo: "VFdP" };
    await mustFeed([{ ...account, loyalty_options }]);
    expect((await shown("my-coupons")).store[0].account.loyalty_options.description).toBe("Stars");
    expect((await shown(withImages)).stores[0].account.loyalty_options).toMatchObject(loyalty_options);

    await mustFeed([{ ...account, slug: "tea", loyalty_options: null }]);
    expect((await shown("my-coupons")).store[0].account).toMatchObject({ slug: "tea", loyalty_options: null });
  });

  it("is stored for the largest account that the feed takes", async ({ expect }) => {
    const odd = Object.fromEntries(
      ["phone", "address", "city", "zip", "data"].map((name) => [name, "\u0001".repeat(2_000)]),
    );
    const loyalty_options = { notify_user_admin: Array.from({ length: 490 }, () => "a".repeat(2_000)) };
    const { account } = await holder({ ...odd, loyalty_options });

    const bytes = Number(
      await value("SELECT octet_length(fields) + octet_length(loyalty_options) FROM accounts WHERE id = ?", account.id),
    );

    expect(bytes).toBeGreaterThan(1_000_000);
    expect(bytes).toBeLessThan(1_100_000);
  });
});
