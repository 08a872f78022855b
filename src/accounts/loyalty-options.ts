import * as z from "zod";
import { orElse, orNull, passedThrough } from "../values/scalar.ts";
import { Field, HTML_LIMIT, LOGO_LIMIT, LONG_LIMIT, text } from "../values/text.ts";

const ADMINS_LIMIT = 20_000;

const Percentage = z
  .preprocess((value) => value ?? undefined, Field.optional())
  .describe("The share of this level, as a percentage.");

/** The share of tokens that each level of a team earns. */
const TeamBreakdown = z.object(
  {
    level_1: Percentage,
    level_2: Percentage,
    level_3: Percentage,
    level_4: Percentage,
    level_5: Percentage,
  },
  { error: "must be an object" },
);

/**
 * The loyalty options of an account as a feed line gives them: without the seven `mailer_*`, which are credentials, never
 * stored and always `""` in an answer (docs/contract/interface.md, 5.2).
 */
export const LoyaltyOptions = z.object(
  {
    id: passedThrough(""),
    account_id: passedThrough(""),
    acc_card_identifier: passedThrough(""),
    chain_display_name: passedThrough(""),
    description: passedThrough("", LONG_LIMIT),
    default_balance_type: passedThrough(""),
    point_conversion: passedThrough(""),
    team_breakdown: orElse(TeamBreakdown, {}).describe("The share of tokens that each level of a team earns."),
    chain_active: passedThrough(0),
    show_on_customer_portal: passedThrough(0),
    selected_proof_165_id: passedThrough(""),
    selected_proof_323_id: passedThrough(""),
    selected_proof_258_id: passedThrough(""),
    selected_proof_212_id: passedThrough(""),
    sign_up_bonus_points: passedThrough(""),
    referral_bonus_points: passedThrough(""),
    employee_referral_bonus_points: passedThrough(""),
    interest_bonus: passedThrough(""),
    inactivity_months: passedThrough(""),
    participate_in_offer: passedThrough(""),
    min_redeem_amount: passedThrough(""),
    default_cash_tender_multiplier: passedThrough(""),
    default_non_cash_tender_multiplier: passedThrough(""),
    default_allow_cash_tender: passedThrough(""),
    default_allow_non_cash_tender: passedThrough(""),
    campaign_for_points_redemption: passedThrough(""),
    chain_logo: orElse(text(LOGO_LIMIT), "").describe("A picture in base64, where images were asked for, else empty."),
    chain_logo_extension: passedThrough(""),
    chain_logo_type: orElse(Field, "").describe("Its media type."),
    chain_background: orElse(Field, "").describe("A colour."),
    campaign_require_register: passedThrough(0),
    early_registration_time: orElse(Field, "").describe("A duration."),
    shipping_contact_name: passedThrough(""),
    shipping_address_line_1: passedThrough(""),
    shipping_address_line_2: passedThrough(""),
    shipping_city: passedThrough(""),
    shipping_state: passedThrough(""),
    shipping_zip: passedThrough(""),
    term_contents: orElse(text(HTML_LIMIT), "").describe("The terms, in HTML."),
    notify_custom_admin_emails: passedThrough(""),
    notify_user_admin: orNull(
      // Without a limit, a line of millions of bad items has a message for each.
      z
        .array(Field, { error: "must be an array of strings" })
        .max(ADMINS_LIMIT, `must be at most ${ADMINS_LIMIT} strings`),
    ).describe("Addresses, or null."),
    notify_per_day: passedThrough(""),
    enable_purchase_instant: passedThrough(0),
    purchase_report_time: orElse(Field, "").describe("A time of day."),
    earn_purchase_limit: passedThrough(""),
    lock_on_purchase_limit: passedThrough(""),
    lock_on_purchase_count: passedThrough(""),
    temp_lock_enabled: passedThrough(""),
    lock_duration_value: passedThrough(""),
    lock_duration_units: passedThrough(""),
    allow_employee_purchase_earning: passedThrough(0),
    allow_employee_license_lookup: passedThrough(0),
    return_type: passedThrough(""),
    split_points_with_clerk: passedThrough(""),
    purchases_needed_to_redeem: passedThrough(""),
    redemption_limit: passedThrough(""),
    redemption_limit_interval: passedThrough(""),
    text_message_enable: passedThrough(0),
    stackable: passedThrough(0),
    validate_referral_code: passedThrough(""),
    branded_site: passedThrough(0),
    branded_site_url: passedThrough(""),
    partner_tier: passedThrough(""),
    show_partner_offers: passedThrough(0),
    partner_ftp_connection_id: passedThrough(""),
    partner_ftp_use_sub: passedThrough(""),
    partner_ftp_sub_folder: passedThrough(""),
    partner_notify_offers: passedThrough(""),
    partner_main_email: passedThrough(""),
    partner_company_id: passedThrough(""),
    partner_notify_list: passedThrough(""),
    alternate_slug: passedThrough(""),
    branded_footer_content: passedThrough("", HTML_LIMIT),
    branded_email_header: passedThrough("", HTML_LIMIT),
    branded_email_footer: passedThrough("", HTML_LIMIT),
    branded_store_header_name: passedThrough(""),
    branded_from_email: passedThrough(""),
    token_sync_time: passedThrough(""),
    level_sync_time: passedThrough(""),
    created_at: passedThrough(""),
    updated_at: passedThrough(""),
    deleted_at: passedThrough(""),
  },
  { error: "must be an object or null" },
);
export type LoyaltyOptions = z.output<typeof LoyaltyOptions>;

/** What is stored together of them: the logo is large, and most answers leave it out. */
export function withoutLogo(options: LoyaltyOptions | null): Omit<LoyaltyOptions, "chain_logo"> | null {
  if (options === null) return null;
  const { chain_logo: _, ...rest } = options;
  return rest;
}

const Nothing = z.literal("").describe("Always empty: a credential.");

/** The credentials among the loyalty options. */
export const MailerFields = z.object({
  mailer_domain: Nothing,
  mailer_secret: Nothing,
  mailer_endpoint: Nothing,
  mailer_username: Nothing,
  mailer_password: Nothing,
  mailer_from_email: Nothing,
  mailer_from_name: Nothing,
});

/** The credentials as every answer has them. */
export const NO_CREDENTIALS = Object.fromEntries(Object.keys(MailerFields.shape).map((field) => [field, ""]));
