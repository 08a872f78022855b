import * as z from "zod";
import { toUtc } from "./time.ts";

// The kinds of record in a feed, their fields, and the values of the fields (docs/contract/feed.md, 3 and 4).

/** A text, its length in code points. It has no NUL, no half of a surrogate pair, and at most 30 marks in a row. */
export const text = (most: number, least = 0) =>
  z
    .string()
    .regex(/^(?!.*\p{M}{31})[^\0\p{Surrogate}]*$/su)
    .refine((value) => {
      const { length } = [...value.normalize("NFC")];
      return least <= length && length <= most;
    });
export const whole = (least: number, most: number) => z.int().min(least).max(most);
/** A JSON string, boolean, null, or a number that can be stored exactly. */
const any = (most: number) =>
  z.union([text(most), z.boolean(), z.null(), z.int(), z.number().refine((value) => !Number.isInteger(value))]);

export const id = text(64, 1).regex(/^(?!\.{1,2}$)\S(.*\S)?$/su);
const accountId = z.string().regex(/^[1-9]\d{0,14}$/);
const day = z.iso.date();
const time = z.preprocess((value) => (typeof value === "string" ? toUtc(value) : value), z.string());
const decimal = z.string().regex(/^-?\d{1,9}(\.\d{1,2})?$/);
// Intl also accepts offsets and abbreviations, which the contract refuses.
const ZONE = /^(?![a-z]{3}$|systemv\/)[a-z][\w+/-]{0,63}$|^(UTC|GMT|UCT|[CEMW]ET|[EHM]ST|PRC|ROC|ROK)$/i;

function isKnownZone(timeZone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone }));
  } catch {
    return false;
  }
}

// The shares of a team's levels. A level that is null is the same as one that is left out.
const SHARES = Object.fromEntries([1, 2, 3, 4, 5].map((level) => [`level_${level}`, any(2_000).optional()]));
const withoutNulls = (shares: object) => Object.fromEntries(Object.entries(shares).filter(([, part]) => part !== null));

/** Types of fields: the values that each type takes, and the default of a field that is left out. */
export type Types = Readonly<Record<string, readonly [schema: z.ZodType, valueIfLeftOut?: unknown]>>;

export const TYPES: Types = {
  text: [text(2_000), ""],
  name: [text(200), ""],
  long: [text(4_000), ""],
  html: [text(65_536), ""],
  logo: [text(262_144), ""],
  any: [any(2_000), ""],
  longAny: [any(4_000), ""],
  htmlAny: [any(65_536), ""],
  id: [id],
  event: [id.regex(/^(?!sealed:)/)],
  account: [accountId],
  digits: [accountId],
  barcode: [z.string().regex(/^[\x20-\x7e]{1,70}$/), "0"],
  decimal: [decimal.transform((amount) => Number(amount).toFixed(2)), "0.00"],
  flag: [whole(0, 1), 0],
  count: [whole(0, 999_999_999), 0],
  signed: [whole(-999_999_999, 999_999_999), 0],
  level: [whole(1, 5)],
  /** In the line of an undone event: which life of the customer earned it. */
  life: [whole(0, 999_999_999)],
  latitude: [z.number().min(-90).max(90)],
  longitude: [z.number().min(-180).max(180)],
  kind: [z.enum(["store", "mfg", "digital"])],
  date: [day],
  time: [time],
  /** A null means the current time. */
  now: [time.nullable(), null],
  end: [z.union([day, time])],
  zone: [z.string().regex(ZONE).refine(isKnownZone), "UTC"],
  shares: [z.object(SHARES).transform(withoutNulls), {}],
  lines: [z.array(text(200)).max(20), []],
  admins: [z.array(text(2_000)).max(20_000)],
  customers: [z.array(id).min(2).max(100)],
  stores: [z.union([z.literal("all"), z.array(id).max(20_000)]), "all"],
};

// `name*` is a field of the key, `name!` is required, `name?` may be null. After `:` comes the field's type; for a field
// with the id of another record, that record's kind. A field without a type is a text, or has the type after the name of
// the record. After `=` comes the default, as JSON.
const TABLE = `
account:any id*:digits parent_id?:text company!:name company_code domain_name tenancy_initialization db_name? bucket_name?
  identity_tenant_identifier core_tenant_id core_app_account_id slug cw_company sc_company cw_primary_contact
  account_package_id can_own_accounts agreement_type protected phone address country_id state_id? city_id? city state zip
  type partner_code partner_notify include_child_buydowns data? created_at updated_at deleted_at? applicable_tier
  loyalty_options?:options
store id*:id account_id!:account name!:name latitude!:latitude longitude!:longitude store_image address_line_1
  address_line_2 city state zip phone
campaign id*:id account_id!:account name!:name campaign_description:long campaign_image campaign_start_date!:date
  campaign_end_date?:date time_zone:zone status:count=1 age_range_type:any age_value:any min_age:any max_age:any
  campaign_type?:any trigger_type="None" reward_type="PercentDollarValue" campaign_require_register:any
  cash_tender_multiplier:decimal="1.00" non_cash_tender_multiplier:decimal="1.00" allow_cash_tender:any
  allow_non_cash_tender:any trigger_amount:decimal store_ids:stores
customer id*:id first_name!:name last_name!:name scan_id date_of_birth?:date address_line_1 address_line_2 city state zip
  customer_description:long avatar
membership store_id*:store customer_id*:customer referrer_id?:customer joined_at:now
token_earning id*:event store_id!:store customer_id!:customer level_no!:level tokens!:decimal life?:life earned_at:now
registration campaign_id*:campaign customer_id*:customer
friendship customer_id*:customer friend_id*:customer status!:flag
block customer_id*:customer blocked_id*:customer
coupon id*:id account_id!:account kind!:kind name!:name type!:text value!:decimal campaign_id?:campaign
  source_campaign_id?:text header_lines:lines text_lines:lines can_expire:flag expiration_type="Never_Expires"
  expiration_date?:end time_zone:zone expiration once_per_sale:flag filter_items?:any coupon_barcode:barcode is_custom:flag
  can_combine_with_other:flag created_at:now
customer_coupon id*:id customer_id!:customer campaign_coupon_id!:coupon store_id!:store coupon_id?:text
  expected_end_date?:end time_zone:zone creation_method="TriggeredSale" reserved:count total_count:count=1 usage_count:count
  created_at:now updated_at?:time deleted_at?:time
redemption id*:event customer_coupon_id!:customer_coupon store_id!:store redeemed_at:now reverses?:redemption
message_group id*:id initial_customer_id!:customer member_ids!:customers group_image?:text created_at:now
message_state group_id*:message_group customer_id*:customer read_at?:time notifications_disabled:flag
employee id*:id account_id!:account name!:name avatar
eip_campaign id*:id account_id!:account name!:name start_date!:date end_date?:date time_zone:zone
balance_entry id*:event customer_id!:customer store_id!:store amount!:decimal campaign_id?:campaign description
  created_at:now
play id*:event eip_campaign_id!:eip_campaign location_id!:store employee_id!:employee runs:decimal hits:signed
  doubles:signed triples:signed played_at:now
message id*:event group_id!:message_group customer_id!:customer body!:long sent_at:now`;

/** The fields of `loyalty_options`. The seven `mailer_*` fields are left out, because they are never stored. */
const OPTIONS_TABLE = `
options:any id account_id acc_card_identifier chain_display_name description:longAny default_balance_type point_conversion
  team_breakdown:shares chain_active show_on_customer_portal selected_proof_165_id selected_proof_323_id
  selected_proof_258_id selected_proof_212_id sign_up_bonus_points referral_bonus_points employee_referral_bonus_points
  interest_bonus inactivity_months participate_in_offer min_redeem_amount default_cash_tender_multiplier
  default_non_cash_tender_multiplier default_allow_cash_tender default_allow_non_cash_tender
  campaign_for_points_redemption chain_logo:logo chain_logo_extension chain_logo_type:text chain_background:text
  campaign_require_register early_registration_time:text shipping_contact_name shipping_address_line_1
  shipping_address_line_2 shipping_city shipping_state shipping_zip term_contents:html notify_custom_admin_emails
  notify_user_admin?:admins notify_per_day enable_purchase_instant purchase_report_time:text earn_purchase_limit
  lock_on_purchase_limit lock_on_purchase_count temp_lock_enabled lock_duration_value lock_duration_units
  allow_employee_purchase_earning allow_employee_license_lookup return_type split_points_with_clerk
  purchases_needed_to_redeem redemption_limit redemption_limit_interval text_message_enable stackable
  validate_referral_code branded_site branded_site_url partner_tier show_partner_offers partner_ftp_connection_id
  partner_ftp_use_sub partner_ftp_sub_folder partner_notify_offers partner_main_email partner_company_id
  partner_notify_list alternate_slug branded_footer_content:htmlAny branded_email_header:htmlAny
  branded_email_footer:htmlAny branded_store_header_name branded_from_email token_sync_time level_sync_time created_at
  updated_at deleted_at`;

/** The names of passed-through fields with the default 0, because they are flags. The default of others is `""`. */
const FLAGS =
  /^(can_|allow_|enable_|show_|is_|include_)|^(protected|stackable|chain_active|text_message_enable|branded_site|campaign_require_register)$/;

// biome-ignore lint/suspicious/noExplicitAny: the types of the fields are in the tables above.
export type Row = Record<string, any>;

/** Some fields of a row. The names are separated by blanks. */
export const pick = (row: Row, names: string): Row =>
  Object.fromEntries(names.split(" ").map((name) => [name, row[name]]));

/** These fields, each with an empty text. The names are separated by blanks. */
export const emptyTexts = (names: string): Row => Object.fromEntries(names.split(" ").map((name) => [name, ""]));

const RECORDS = TABLE.match(/^\w+/gm) ?? [];

export type Field = ReturnType<typeof fieldOf>;

/** @param declaration such as `total_count:count=1`. */
function fieldOf(declaration: string, usualType: string, types: Types) {
  const [, name = "", mark = "", type = usualType, text] =
    /^(\w+)([*!?]?)(?::(\w+))?(?:=(.*))?$/.exec(declaration) ?? [];
  const [typeSchema, typeDefault] = types[type] ?? [id];
  const isPassedThrough = /any$/i.test(type);
  const usualDefault = isPassedThrough && FLAGS.test(name) ? 0 : typeDefault;
  const declared = text === undefined ? usualDefault : JSON.parse(text);
  const valueIfLeftOut: unknown = mark === "?" ? null : declared;
  /** The kind of record that the field refers to, by an id or a list of ids. */
  const to = RECORDS.find((record) => record === type || `${record}s` === type);
  /** Whether the field cannot change once the record is stored. */
  const isFixed = name === "kind" || name === "referrer_id" || (mark === "!" && to === type);
  const [isKey, isRequired] = [mark === "*", mark === "*" || mark === "!"];
  const nullMeansDefault = typeSchema.nullish().transform((value) => value ?? valueIfLeftOut);
  const optional = isPassedThrough || type === "now" ? typeSchema.default(valueIfLeftOut) : nullMeansDefault;
  return { name, type, to, isFixed, valueIfLeftOut, isKey, isRequired, schema: isRequired ? typeSchema : optional };
}

export type Kind = ReturnType<typeof kindOf>;

/** @param declaration the name of the kind, perhaps with the type of most fields; then the declarations of its fields. */
function kindOf(declaration: string, types: Types) {
  const [name = "", ...fieldDeclarations] = declaration.split(/\s+/);
  const [record = "", usualType = "text"] = name.split(":");
  const fields = fieldDeclarations.map((text) => fieldOf(text, usualType, types));
  const isEvent = fields.some(({ type }) => type === "event");
  /** The name of the field with the event's time, or `""` for a kind that is no event. */
  const timeField = (isEvent && fields.find(({ type }) => type === "now")?.name) || "";
  const owner = fields.find(({ to }) => to === "account" || to === "store" || to === "campaign");
  /** The field from which the record's account follows. Null: records of this kind have no account. */
  const ownerField = record === "account" ? "id" : (owner?.name ?? null);
  const key = fields.filter(({ isKey }) => isKey).map((field) => field.name);
  return { record, fields, key, isEvent, timeField, ownerField };
}

/** Reads a table of declarations. A line that begins with a blank continues the declaration before it. */
export function kindsOf(table: string, types: Types): Kind[] {
  const declarations = table.trim().split(/\n(?! )/);
  return declarations.map((declaration) => kindOf(declaration, types));
}

const [OPTIONS] = kindsOf(OPTIONS_TABLE, TYPES);
const options = z.object(Object.fromEntries(OPTIONS?.fields.map(({ name, schema }) => [name, schema]) ?? []));

/** The fields of the objects inside a record, by their path. `mailer_*` are known, and never stored. */
const INNER_FIELDS: Readonly<Record<string, RegExp>> = {
  loyalty_options: new RegExp(`^(mailer_.*|${OPTIONS?.fields.map(({ name }) => name).join("|")})$`),
  "loyalty_options.team_breakdown": /^level_[1-5]$/,
};

/** The names of fields of a line that its kind does not have. */
export function unknownFields({ fields }: Kind, line: Row): string[] {
  const names = new RegExp(`^(record|deleted|${fields.map(({ name }) => name).join("|")})$`);
  const unknownIn = (object: Row, known: RegExp, path: string): string[] =>
    Object.entries(object).flatMap(([name, value]) => {
      if (!known.test(name)) return [`${path}${name}`];
      const inner = INNER_FIELDS[`${path}${name}`];
      return inner && Object(value) === value && !Array.isArray(value)
        ? unknownIn(value, inner, `${path}${name}.`)
        : [];
    });
  return unknownIn(line, names, "");
}

/** All kinds. Each comes after the kinds that its records refer to. */
export const KINDS: readonly Kind[] = kindsOf(TABLE, { ...TYPES, options: [options] });

/** Reads fields. Returns them in the form in which they are stored, and the names of the wrong ones. */
export function readFields(fields: readonly Field[], values: Row): { row: Row; bad: string[] } {
  const results = fields.map(({ name, schema }) => ({ name, ...schema.safeParse(values[name]) }));
  const row = Object.fromEntries(results.map(({ name, data }) => [name, data]));
  return { row, bad: results.filter(({ success }) => !success).map(({ name }) => name) };
}
