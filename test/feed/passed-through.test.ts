import { describe, it } from "vitest";
import {
  PASSED_THROUGH as ACCOUNT,
  PASSED_THROUGH_OPTIONS as LOYALTY_OPTIONS,
  namesIn,
} from "../support/account-fields.ts";
import { as, mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";

// Those of docs/contract/interface.md, 4.6.
const CAMPAIGN = namesIn(`
  age_range_type age_value min_age max_age campaign_type campaign_require_register allow_cash_tender
  allow_non_cash_tender
`);

const NOT_IN_COUPONS = ["agreement_type"];
const NOT_IN_SEARCHES = ["core_tenant_id", "core_app_account_id"];
const NULLABLE = ["db_name", "bucket_name", "state_id", "city_id", "data", "deleted_at", "campaign_type"];
const FLAGS =
  /^(can_|allow_|enable_|show_|is_|include_)|^(protected|stackable|chain_active|text_message_enable|branded_site|campaign_require_register)$/;

type Fields = Record<string, unknown>;
const allOf = (names: readonly string[], made: (name: string) => unknown): Fields =>
  Object.fromEntries(names.map((name) => [name, made(name)]));
const without = (names: readonly string[], others: readonly string[]) => names.filter((name) => !others.includes(name));

/** Feeds an account and a campaign with these fields, and answers both as the search and the coupon list show them. */
async function feedAndAsk(fields: { account: Fields; options: Fields; campaign: Fields }) {
  const word = seed.freshId("word");
  const account = seed.account({ ...fields.account, loyalty_options: fields.options });
  const store = seed.store(account.id);
  const customer = seed.customer();
  const digital = seed.coupon(account.id, { kind: "digital" });
  const campaign = seed.campaign(account.id, { ...fields.campaign, name: word });
  await mustFeed([account, store, customer, seed.membership(store.id, customer.id), digital, campaign]);
  const { items } = (await as(customer.id).post("/api/v1/customer/full-search", { query: word })).body;
  const coupons = (await as(customer.id).get("/api/v1/customer/my-coupons")).body.items;
  return { campaign: items.campaigns[0], account: coupons.digital[0].account };
}

describe("a field whose type the interface does not name", () => {
  it.for([["text"], [""], [7], [-1.5], [0], [true], [false], [null]])(
    "is answered as it was fed: %j",
    async ([value], { expect }) => {
      const fed = (names: readonly string[]) => allOf(names, () => value);

      const { account, campaign } = await feedAndAsk({
        account: fed(ACCOUNT),
        options: fed(LOYALTY_OPTIONS),
        campaign: fed(CAMPAIGN),
      });

      expect(campaign).toMatchObject(fed(CAMPAIGN));
      expect(campaign.account).toMatchObject(fed(without(ACCOUNT, NOT_IN_SEARCHES)));
      expect(account).toMatchObject(fed(without(ACCOUNT, NOT_IN_COUPONS)));
      expect(account.loyalty_options).toMatchObject(fed(LOYALTY_OPTIONS));
    },
  );

  it("has the value of its name where it is left out", async ({ expect }) => {
    const leftOut = (nullable: readonly string[]) => (name: string) => {
      if (nullable.includes(name)) return null;
      return FLAGS.test(name) ? 0 : "";
    };

    const { account, campaign } = await feedAndAsk({ account: {}, options: {}, campaign: {} });

    expect(campaign).toMatchObject(allOf(CAMPAIGN, leftOut(NULLABLE)));
    expect(campaign.account).toMatchObject(allOf(without(ACCOUNT, NOT_IN_SEARCHES), leftOut(NULLABLE)));
    expect(account).toMatchObject(allOf(without(ACCOUNT, NOT_IN_COUPONS), leftOut(NULLABLE)));
    // The interface calls none of the fields of 2.7 above nullable.
    expect(account.loyalty_options).toMatchObject(allOf(LOYALTY_OPTIONS, leftOut([])));
  });
});
