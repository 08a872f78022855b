import { type AnyColumn, type Placeholder, type SQL, sql } from "drizzle-orm";
import { compilePer } from "../../db/compile.ts";
import { bytesOf, untilFull } from "../../db/cut.ts";
import type { Database, RowOf } from "../../db/database.ts";
import { jsonOf, pick, type SelectedRow, select } from "../../db/select.ts";
import { type JsonText, jsonObject, storedJson } from "../../http/json-text.ts";
import { ANSWER_BYTES } from "../../http/limits.ts";
import { accounts } from "../../records/account.ts";
import { coupons } from "../../records/coupon.ts";
import { customerCoupons } from "../../records/customer-coupon.ts";
import { LIVE_HOLDS, remainingCount, USAGE_COUNT } from "../../records/redemption.ts";
import { stores } from "../../records/store.ts";
import { heldCouponChecks } from "../../records/views.ts";
import { fold } from "../../values/fold.ts";
import { LAST_SECOND } from "../../values/time-zone.ts";
import { NO_CREDENTIALS } from "../account.ts";
import { selectEndedCoupons } from "./ended-coupons.ts";
import type { CouponKind } from "./schema.ts";
import { type CouponListQuery, FILTERS, type Placeholders, type Shape, selectValidCoupons } from "./valid-coupons.ts";

/** The items of a page, and one more if more follow; and the JSON of their coupons and accounts by key: items share these. */
export interface CouponList {
  items: ItemRow[];
  coupons: Map<number, JsonText>;
  /** Each in an object, as its member `account`. */
  accounts: Map<number, JsonText>;
}

/**
 * The coupons that are valid for the customer now: store, then mfg, then digital (docs/contract/interface.md, 4.4 and 4.5).
 * One round trip, or none if the filters leave nothing.
 */
export async function findCoupons(db: Database, query: CouponListQuery): Promise<CouponList> {
  const { kinds, search, type } = query.filter;
  const findsNothing = kinds.length === 0 || [foldFilter(search), foldFilter(type)].includes("");
  return toCouponList(findsNothing ? [] : await db.all(couponListStatement(query)));
}

/** The statement for the coupons of a list. `list`: left out, those that are valid for the customer. */
export function couponListStatement(query: CouponListQuery, list?: Shape["list"]) {
  const { customerId, page, accounts, isDetailed = false } = query;
  const { kinds, search, type, accountId, storeIds = [], tillStoreId } = query.filter;
  const values = {
    limit: page.limit,
    offset: page.offset,
    ...page.after,
    customerId,
    search: foldFilter(search),
    type: foldFilter(type),
    accountId: accountId ?? null,
    storeIds: storeIds.length === 0 ? null : JSON.stringify(storeIds),
    tillStoreId: tillStoreId ?? null,
  };
  const filters = FILTERS.filter((filter) => values[filter] !== null);
  return selectCouponList({ ...(list && { list }), kinds, accounts, isDetailed, filters }, values);
}

export function toCouponList(rows: readonly ListRow[]): CouponList {
  const found: CouponList = { items: [], coupons: new Map(), accounts: new Map() };
  for (const row of rows) {
    if (row.part === "coupon") found.coupons.set(row.key, storedJson(row.record));
    else if (row.part === "account") found.accounts.set(row.key, jsonObject({ account: storedJson(row.record) }));
    else found.items.push(row);
  }
  return found;
}

/** Null: no filter. Empty: the text has only characters that do not count, so that it finds nothing. */
const foldFilter = (text: string | undefined) => (text === undefined ? null : fold(text));

type ListRow = RowOf<ReturnType<typeof selectCouponList>>;
export type ItemRow = Extract<ListRow, { part: CouponKind }>;

const NONE = sql<null>`NULL`;
/** Each part of the union has these columns, in this order. */
const PART = { part: NONE, key: NONE, record: NONE, account_key: NONE, ends_at: NONE, facts: NONE };

const ITEM = {
  part: sql<CouponKind>`kind`,
  key: sql<number>`coupon_key`,
  record: sql<string>`record`,
  account_key: sql<number>`account_key`,
  ends_at: sql<string>`ends_at`,
  /** JSON, only for a till: what the checks of a coupon show that it cannot redeem. */
  facts: sql<string | null>`facts`,
};

/**
 * The items of a page, then the coupons and the accounts of these items. So the database sends the text of a coupon once, even
 * if it was issued a thousand times. But its bytes count for each item.
 */
const selectCouponList = compilePer("coupons/list", (shape: Shape, placeholder: Placeholders) => {
  const isOf = (column: AnyColumn, key: string) => sql`WHERE ${column} IN (SELECT ${sql.raw(key)} FROM page)`;
  const record = couponText(shape, placeholder("customerId"));
  const coupon = { ...PART, part: sql<"coupon">`'coupon'`, key: coupons.key, record };
  const account = { ...PART, part: sql<"account">`'account'`, key: accounts.key, record: couponAccount(shape) };
  const accountPart = sql`UNION ALL ${select(account, sql`FROM ${accounts} ${isOf(accounts.key, "account_key")}`)}`;
  return sql<SelectedRow<typeof ITEM> | SelectedRow<typeof coupon> | SelectedRow<typeof account>>`
    WITH page AS MATERIALIZED ${untilFull(selectItems(shape, placeholder), ITEM_BYTES, ANSWER_BYTES)}
    ${select(ITEM, sql`FROM page`)}
    UNION ALL ${select(coupon, sql`FROM ${coupons} ${isOf(coupons.key, "coupon_key")}`)}
    ${shape.accounts ? accountPart : sql``}`;
});

const ITEM_BYTES = sql`coupon_bytes + account_bytes + ${bytesOf(sql`record`)}`;

/** The items of a page with their records. Nobody holds a digital coupon, so its record has only what its place needs. */
function selectItems(shape: Shape, placeholder: Placeholders): SQL {
  const { fields, loyalty_options, chain_logo } = accounts;
  const logo = shape.accounts?.includeImages ? [chain_logo] : [];
  const accountBytes = shape.accounts ? bytesOf(fields, loyalty_options, ...logo) : sql`0`;
  const digital = jsonOf({ id: sql`valid.id`, created_at: sql`valid.created_at` });
  return sql`
    SELECT valid.*, ${accountBytes} AS account_bytes,
      iif(valid.kind = 'digital', ${digital}, ${heldRecord(shape)}) AS record, ${factsOf(shape)} AS facts
    FROM (${shape.list === "ended" ? selectEndedCoupons(placeholder) : selectValidCoupons(shape, placeholder)}) AS valid
    LEFT JOIN ${customerCoupons} ON ${customerCoupons.id} = valid.issued_id
    LEFT JOIN ${stores} ON ${stores.key} = ${customerCoupons.store_key}
    ${shape.accounts ? sql`CROSS JOIN ${accounts} ON ${accounts.key} = valid.account_key` : sql``}`;
}

/** What the checks of a coupon show that a till cannot redeem; NULL for any other. A valid coupon lacks at most a free use. */
function factsOf({ list }: Shape): SQL {
  if (list === undefined) return sql`NULL`;
  const facts = jsonOf({
    ...pick(heldCouponChecks, "own_ends_at", "coupon_ends_at", "coupon_not_deleted", "account_not_deleted"),
    ...pick(heldCouponChecks, "store_not_deleted", "not_withdrawn", "not_used_up", "own_end_not_passed"),
    coupon_end_not_passed: heldCouponChecks.coupon_end_not_passed,
    a_use_is_free: sql`${remainingCount(LIVE_HOLDS)} > 0`,
    total_count: customerCoupons.total_count,
    uses: USAGE_COUNT,
    holds: LIVE_HOLDS,
  });
  return sql`(SELECT iif(${list === "ended" ? sql`false` : sql`${remainingCount(LIVE_HOLDS)} > 0`}, NULL, ${facts})
    FROM ${heldCouponChecks} WHERE ${heldCouponChecks.id} = ${customerCoupons.id})`;
}

/** The fields of a coupon that a customer holds, as JSON. */
function heldRecord(shape: Shape): SQL<string> {
  return jsonOf({
    id: customerCoupons.id,
    expected_end_date: sql`iif(
      ${customerCoupons.expected_end_date} IS NULL, NULL, min(${customerCoupons.ends_at}, ${sql.raw(`'${LAST_SECOND}'`)})
    )`,
    ...pick(customerCoupons, "creation_method", "created_at", "updated_at", "deleted_at"),
    store_name: stores.name,
    total_count: customerCoupons.total_count,
    usage_count: USAGE_COUNT,
    remaining_count: remainingCount(LIVE_HOLDS),
    store_image: stores.store_image,
    ...(shape.accounts && {
      coupon_id: customerCoupons.coupon_id,
      reserved: sql`${customerCoupons.reserved} + ${LIVE_HOLDS}`,
    }),
  });
}

/** A number here, 0 where it is none; but a text in a digital coupon (docs/contract/interface.md, 5.3 and 5.4). */
const BARCODE = sql`iif(
  length(${coupons.coupon_barcode}) <= 15 AND ${coupons.coupon_barcode} NOT GLOB '*[^0-9]*', CAST(${coupons.coupon_barcode} AS INTEGER), 0
)`;
const CAMPAIGN_ID = sql`coalesce(${coupons.campaign_id}, '')`;

const DIGITAL = jsonOf({
  ...pick(coupons, "id", "coupon_barcode"),
  barcode: coupons.coupon_barcode,
  is_digital: sql`1`,
  ...pick(coupons, "is_custom", "can_combine_with_other", "created_at"),
});

const CAMPAIGN_COUPON = jsonOf({
  id: coupons.id,
  campaign_id: CAMPAIGN_ID,
  source_campaign_id: coupons.source_campaign_id,
  coupon_barcode: BARCODE,
  filter_items: sql`json(coalesce(${coupons.filter_items}, 'null'))`,
});

/** The JSON that all items of a coupon share. Most of it is stored as JSON. */
function couponText({ isDetailed }: Shape, customerId: Placeholder): SQL<string> {
  const issued = jsonOf({
    customer_id: customerId,
    campaign_coupon_id: coupons.id,
    campaign_id: CAMPAIGN_ID,
    coupon_barcode: BARCODE,
    barcode: coupons.coupon_barcode,
    campaign_coupon_created: coupons.created_at,
  });
  const text = opened(coupons.text);
  const campaignCoupon = sql`',"campaign_coupon":' || ${text} || ',' || substr(${CAMPAIGN_COUPON}, 2) ||`;
  return sql<string>`${text} || ${isDetailed ? campaignCoupon : sql``}
    ',' || substr(iif(${coupons.kind} = 'digital', ${DIGITAL}, ${issued}), 2)`;
}

function couponAccount(shape: Shape): SQL<string> {
  const logo = shape.accounts?.includeImages ? sql`coalesce(json_quote(${accounts.chain_logo}), 'null')` : sql`'""'`;
  const credentials = sql.raw(`',${JSON.stringify(NO_CREDENTIALS).slice(1)}'`);
  return sql<string>`(
    ${opened(accounts.fields)} || ',"core_tenant_id":' || coalesce(${accounts.core_tenant_id}, 'null') ||
    ',"core_app_account_id":' || coalesce(${accounts.core_app_account_id}, 'null') || ',"loyalty_options":' ||
    coalesce(${opened(accounts.loyalty_options)} || ',"chain_logo":' || ${logo} || ${credentials}, 'null') || '}'
  )`;
}

/** The text of a JSON object without its closing brace, so that more members can be appended. */
function opened(json: AnyColumn): SQL {
  return sql`substr(${json}, 1, length(${json}) - 1)`;
}
