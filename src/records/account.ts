import { sql } from "drizzle-orm";
import { text as textColumn } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import { bySql, fed, fedJson, key, owner, rowKey, softDelete, together } from "../db/columns.ts";
import type { Kind } from "../db/kind.ts";
import { state } from "../db/record.ts";
import { foldAll } from "../values/fold.ts";
import { allPassedThrough, orNull, passedThrough, withDefault } from "../values/scalar.ts";
import { AccountId, HTML_LIMIT, LOGO_LIMIT, LONG_TEXT_LIMIT, Name, ShortText, text } from "../values/text.ts";
import { joinedWords } from "../values/words.ts";

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
    team_breakdown: withDefault(TeamBreakdown, {}).describe("The share of tokens that each level of a team earns."),
    chain_logo: withDefault(text(LOGO_LIMIT), "").describe("A picture in base64 if images were asked for, else empty."),
    chain_logo_type: withDefault(ShortText, "").describe("Its media type."),
    chain_background: withDefault(ShortText, "").describe("A colour."),
    early_registration_time: withDefault(ShortText, "").describe("A duration."),
    term_contents: withDefault(text(HTML_LIMIT), "").describe("The terms, in HTML."),
    notify_user_admin: orNull(
      // Zod makes a message for each bad item, so a line must not hold millions of them.
      z
        .array(ShortText, { error: "must be an array of strings" })
        .max(ADMINS_LIMIT, `must be at most ${ADMINS_LIMIT} strings`),
    ).describe("Addresses, or null."),
    purchase_report_time: withDefault(ShortText, "").describe("A time of day."),
    branded_footer_content: passedThrough("", HTML_LIMIT),
    branded_email_header: passedThrough("", HTML_LIMIT),
    branded_email_footer: passedThrough("", HTML_LIMIT),
  },
  { error: "must be an object or null" },
);

/** A merchant's account: a chain of stores, or a single one. */
const record = state(
  "account",
  "accounts",
  {
    key: rowKey(),
    id: owner(key(fed(textColumn().notNull().unique(), AccountId.describe("The merchant account's id.")))),
    company: fed(textColumn().notNull(), Name.describe("The merchant's name.")),
    /** The account object of every answer. The other fields of the object are in columns of their own. */
    fields: together({
      parent_id: orNull(ShortText).describe("The account above it, or null."),
      ...allPassedThrough(
        "",
        "company_code domain_name tenancy_initialization identity_tenant_identifier slug cw_company sc_company",
        "cw_primary_contact account_package_id phone address country_id city state zip type partner_code partner_notify",
        "created_at updated_at applicable_tier",
      ),
      ...allPassedThrough(0, "can_own_accounts protected include_child_buydowns"),
      ...allPassedThrough(null, "db_name bucket_name state_id city_id data deleted_at"),
    }),
    /** Only search results have it. */
    agreement_type: fedJson(passedThrough("")),
    /** Only lists of coupons have these three. */
    core_tenant_id: fedJson(passedThrough("")),
    core_app_account_id: fedJson(passedThrough("")),
    /** JSON without the logo; NULL: none. */
    loyalty_options: bySql(
      textColumn(),
      { loyalty_options: orNull(LoyaltyOptions.meta({ id: "LoyaltyOptionsLine" })) },
      sql`json_remove(line.loyalty_options, '$.chain_logo')`,
      "json",
    ),
    /** A column of its own, because it is large, and most answers leave it out. */
    chain_logo: bySql(textColumn(), {}, sql`line.loyalty_options ->> '$.chain_logo'`),
    deleted: softDelete(),
  },
  {
    made: {
      /** For a search of coupons. */
      folded_names: ({ company, loyalty_options }) => foldAll([company, loyalty_options?.chain_display_name]),
      words: ({ company }) => joinedWords(company),
    },
    alsoTogether: ({ id, company }) => ({ id, company }),
    vocabulary: "merchant",
    idsAtOnce: true,
    hasLongRows: true,
  },
);
export const accounts = record.table;

export const account = {
  ...record,
  read: {
    fields: {
      loyalty_options: {
        sql: sql`json_set(${accounts.loyalty_options}, '$.chain_logo', ${accounts.chain_logo})`,
        isJson: true,
      },
    },
  },
} satisfies Kind;
