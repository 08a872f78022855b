import * as z from "zod";
import { allPassedThrough, orElse, orNull, passedThrough } from "../values/scalar.ts";
import { AccountId, HTML_LIMIT, LOGO_LIMIT, LONG_TEXT_LIMIT, Name, ShortText, text } from "../values/text.ts";

/** The account object without its loyalty options (docs/contract/interface.md, 5.1). Feed lines and answers have it. */
export const Account = z.object({
  id: AccountId.describe("The merchant account's id."),
  parent_id: orNull(ShortText).describe("The account above it, or null."),
  company: Name.describe("The merchant's name."),
  ...allPassedThrough(
    "",
    "company_code domain_name tenancy_initialization identity_tenant_identifier core_tenant_id core_app_account_id slug",
    "cw_company sc_company cw_primary_contact account_package_id agreement_type phone address country_id city state zip",
    "type partner_code partner_notify created_at updated_at applicable_tier",
  ),
  ...allPassedThrough(0, "can_own_accounts protected include_child_buydowns"),
  ...allPassedThrough(null, "db_name bucket_name state_id city_id data deleted_at"),
});

/** The fields that every answer shows. They are stored together, as one JSON text. */
export const AccountFields = Account.omit({ agreement_type: true, core_tenant_id: true, core_app_account_id: true });

const ADMINS_LIMIT = 20_000;

const Percentage = z
  .preprocess((value) => value ?? undefined, ShortText.optional())
  .describe("The share of this level, as a percentage.");

/** The share of tokens that each level of a team earns. */
const TeamBreakdown = z
  .object(
    { level_1: Percentage, level_2: Percentage, level_3: Percentage, level_4: Percentage, level_5: Percentage },
    { error: "must be an object" },
  )
  .meta({ id: "TeamBreakdown" });

/**
 * The loyalty options of an account as a feed line gives them, without the seven `mailer_*` fields: those are credentials,
 * never stored and always `""` in an answer (docs/contract/interface.md, 5.2).
 */
export const LoyaltyOptions = z.object(
  {
    ...allPassedThrough(
      "",
      "id account_id acc_card_identifier chain_display_name default_balance_type point_conversion",
      "selected_proof_165_id selected_proof_323_id selected_proof_258_id selected_proof_212_id sign_up_bonus_points",
      "referral_bonus_points employee_referral_bonus_points interest_bonus inactivity_months participate_in_offer",
      "min_redeem_amount default_cash_tender_multiplier default_non_cash_tender_multiplier",
      "default_allow_cash_tender default_allow_non_cash_tender campaign_for_points_redemption shipping_contact_name",
      "shipping_address_line_1 shipping_address_line_2 shipping_city shipping_state shipping_zip",
      "earn_purchase_limit lock_on_purchase_limit lock_on_purchase_count temp_lock_enabled lock_duration_value",
      "lock_duration_units return_type split_points_with_clerk purchases_needed_to_redeem redemption_limit",
      "redemption_limit_interval branded_site_url partner_tier partner_ftp_connection_id partner_ftp_use_sub",
      "partner_ftp_sub_folder partner_notify_offers partner_main_email partner_company_id partner_notify_list",
      "alternate_slug branded_store_header_name branded_from_email token_sync_time level_sync_time created_at",
      "updated_at deleted_at chain_logo_extension notify_custom_admin_emails notify_per_day validate_referral_code",
    ),
    ...allPassedThrough(
      0,
      "chain_active show_on_customer_portal allow_employee_purchase_earning allow_employee_license_lookup",
      "text_message_enable stackable campaign_require_register enable_purchase_instant branded_site",
      "show_partner_offers",
    ),
    description: passedThrough("", LONG_TEXT_LIMIT),
    team_breakdown: orElse(TeamBreakdown, {}).describe("The share of tokens that each level of a team earns."),
    chain_logo: orElse(text(LOGO_LIMIT), "").describe("A picture in base64, where images were asked for, else empty."),
    chain_logo_type: orElse(ShortText, "").describe("Its media type."),
    chain_background: orElse(ShortText, "").describe("A colour."),
    early_registration_time: orElse(ShortText, "").describe("A duration."),
    term_contents: orElse(text(HTML_LIMIT), "").describe("The terms, in HTML."),
    notify_user_admin: orNull(
      // Zod makes a message for each bad item, so a line must not hold millions of them.
      z
        .array(ShortText, { error: "must be an array of strings" })
        .max(ADMINS_LIMIT, `must be at most ${ADMINS_LIMIT} strings`),
    ).describe("Addresses, or null."),
    purchase_report_time: orElse(ShortText, "").describe("A time of day."),
    branded_footer_content: passedThrough("", HTML_LIMIT),
    branded_email_header: passedThrough("", HTML_LIMIT),
    branded_email_footer: passedThrough("", HTML_LIMIT),
  },
  { error: "must be an object or null" },
);
export type LoyaltyOptions = z.output<typeof LoyaltyOptions>;

/** The credentials among the loyalty options: empty in every answer. */
export const NO_CREDENTIALS = {
  mailer_domain: "",
  mailer_secret: "",
  mailer_endpoint: "",
  mailer_username: "",
  mailer_password: "",
  mailer_from_email: "",
  mailer_from_name: "",
};
