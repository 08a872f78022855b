import { describe, it } from "vitest";
import { as, mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";

const namesIn = (text: string) => text.trim().split(/\s+/);

// The passed-through fields of docs/contract/interface.md, 4.6, 5.1 and 5.2.
const ACCOUNT = namesIn(`
  company_code domain_name tenancy_initialization db_name bucket_name identity_tenant_identifier core_tenant_id
  core_app_account_id slug cw_company sc_company cw_primary_contact account_package_id can_own_accounts
  agreement_type protected phone address country_id state_id city_id city state zip type partner_code
  partner_notify include_child_buydowns data created_at updated_at deleted_at applicable_tier
`);
const LOYALTY_OPTIONS = namesIn(`
  id account_id acc_card_identifier chain_display_name description default_balance_type point_conversion
  chain_active show_on_customer_portal selected_proof_165_id selected_proof_323_id selected_proof_258_id
  selected_proof_212_id sign_up_bonus_points referral_bonus_points employee_referral_bonus_points interest_bonus
  inactivity_months participate_in_offer min_redeem_amount default_cash_tender_multiplier
  default_non_cash_tender_multiplier default_allow_cash_tender default_allow_non_cash_tender
  campaign_for_points_redemption chain_logo_extension campaign_require_register shipping_contact_name
  shipping_address_line_1 shipping_address_line_2 shipping_city shipping_state shipping_zip
  notify_custom_admin_emails notify_per_day enable_purchase_instant earn_purchase_limit lock_on_purchase_limit
  lock_on_purchase_count temp_lock_enabled lock_duration_value lock_duration_units allow_employee_purchase_earning
  allow_employee_license_lookup return_type split_points_with_clerk purchases_needed_to_redeem redemption_limit
  redemption_limit_interval text_message_enable stackable validate_referral_code branded_site branded_site_url
  partner_tier show_partner_offers partner_ftp_connection_id partner_ftp_use_sub partner_ftp_sub_folder
  partner_notify_offers partner_main_email partner_company_id partner_notify_list alternate_slug
  branded_footer_content branded_email_header branded_email_footer branded_store_header_name branded_from_email
  token_sync_time level_sync_time created_at updated_at deleted_at
`);
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
