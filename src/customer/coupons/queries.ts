import { type AnyColumn, type Placeholder, type SQL, sql } from "drizzle-orm";
import { compilePer } from "../../db/compile.ts";
import type { Database, RowOf } from "../../db/database.ts";
import { joinWithCommas, jsonOf, pick, type SelectedRow, select } from "../../db/select.ts";
import { ANSWER_BYTES } from "../../http/limits.ts";
import type { Paged } from "../../http/paging.ts";
import { accounts } from "../../records/account.ts";
import { coupons } from "../../records/coupon.ts";
import { customerCoupons } from "../../records/customer-coupon.ts";
import { stores } from "../../records/store.ts";
import { LAST_SECOND } from "../../values/time-zone.ts";
import { fold } from "../../values/words.ts";
import { NO_CREDENTIALS } from "../account.ts";
import {
  type CouponKind,
  type CouponListQuery,
  FILTERS,
  type Placeholders,
  type Shape,
  selectValidCoupons,
} from "./valid-coupons.ts";

/** The items of a page, and the JSON texts of their coupons and accounts by key, because several items share these. */
export interface CouponList extends Paged<ItemRow> {
  coupons: Map<number, string>;
  accounts: Map<number, string>;
}

/**
 * The coupons that are valid for the customer now: store, then mfg, then digital (docs/contract/interface.md, 4.4 and 4.5).
 * One round trip, or none if the filters leave no kind.
 */
export async function findCoupons(db: Database, query: CouponListQuery): Promise<CouponList> {
  const { customerId, page, accounts, isDetailed = false } = query;
  const { kinds, search, type, accountId, storeIds = [] } = query.filter;
  const found: CouponList = { items: [], hasMore: false, coupons: new Map(), accounts: new Map() };
  if (kinds.length === 0) return found;
  const values = {
    ...page,
    customerId,
    search: search === undefined ? null : fold(search),
    type: type === undefined ? null : fold(type),
    accountId: accountId ?? null,
    storeIds: storeIds.length === 0 ? null : JSON.stringify(storeIds),
  };
  const filters = FILTERS.filter((filter) => values[filter] !== null);
  for (const row of await db.all(selectCouponList({ kinds, accounts, isDetailed, filters }, values))) {
    if (row.part === "coupon") found.coupons.set(row.key, row.record);
    else if (row.part === "account") found.accounts.set(row.key, row.record);
    else found.items.push(row);
  }
  const listed = found.items[0]?.listed ?? 0;
  return { ...found, hasMore: listed > found.items.length };
}

type ListRow = RowOf<ReturnType<typeof selectCouponList>>;
export type ItemRow = Extract<ListRow, { part: CouponKind }>;

/**
 * The items of a page until they have 2 MiB, then the coupons and the accounts of these items. So the database sends the text
 * of a coupon once, even if it was issued a thousand times. `selectStepwise` would take half as long again here.
 */
const selectCouponList = compilePer("coupons/list", (shape: Shape, placeholder: Placeholders) => {
  const item = { ...ITEM, record: held(shape) };
  const coupon = { ...COUPON, record: couponText(shape, placeholder("customerId")) };
  const account = { ...ACCOUNT, record: couponAccount(shape) };
  const each = sql`FROM json_each(listed.entries) AS entry ${JOIN_HELD}`;
  const ofAccount = sql`LEFT JOIN ${accounts} ON ${accounts.key} = page.account_key`;
  return sql<SelectedRow<typeof item> | SelectedRow<typeof coupon> | SelectedRow<typeof account>>`
    WITH listed(items, bytes, entries, coupons, accounts) AS MATERIALIZED (
      SELECT count(*), sum(bytes),
        json_group_array(json_array(coupon_key, account_key, kind, issued_id, bytes)),
        json_group_array(DISTINCT coupon_key), json_group_array(DISTINCT account_key)
      FROM (
        SELECT page.*, ${sharedBytes(shape)} AS bytes
        FROM ${selectValidCoupons(shape, placeholder)} AS page ${shape.accounts ? ofAccount : sql``}
      )
    ),
    shown AS MATERIALIZED (
      SELECT *, iif(bytes + iif(items <= ${FEW}, 0, (SELECT sum(${heldBytes(shape)}) ${each})) < ${LIMIT}, items, 1 + (
        SELECT count(*)
        FROM (SELECT sum(${columnOfEntry(4)} + ${heldBytes(shape)}) OVER (ORDER BY entry.key) AS bytes ${each}) AS upto
        WHERE upto.bytes < ${LIMIT}
      )) AS fitting
      FROM listed
    )
    ${select(item, sql`FROM shown CROSS JOIN ${ENTRIES} ${JOIN_HELD} WHERE ${FITS} AND entry.key < ${placeholder("limit")}`)}
    UNION ALL ${select(coupon, sql`FROM ${coupons} WHERE ${coupons.key} IN ${keysOf(0, "coupons")}`)}
    ${shape.accounts ? sql`UNION ALL ${select(account, sql`FROM ${accounts} WHERE ${accounts.key} IN ${keysOf(1, "accounts")}`)}` : sql``}`;
});

const LIMIT = sql.raw(String(ANSWER_BYTES));
/** A list of at most this many items is not measured: their texts, three of 2,000 characters in each, are 3.6 MB at most. */
const FEW = sql.raw("100");
const JOIN_HELD = sql`
  LEFT JOIN ${customerCoupons} ON ${customerCoupons.id} = ${columnOfEntry(3)}
  LEFT JOIN ${stores} ON ${stores.key} = ${customerCoupons.store_key}`;
const ENTRIES = sql`json_each(shown.entries) AS entry`;
const FITS = sql`entry.key < shown.fitting`;

/**
 * The keys at a position of the entries that fit; an entry is a JSON array. If all entries fit, `columnOfAll` has these keys.
 */
function keysOf(position: number, columnOfAll: "coupons" | "accounts"): SQL {
  return sql`(
    SELECT value FROM json_each((
      SELECT iif(fitting = items, ${sql.raw(columnOfAll)}, (SELECT json_group_array(${columnOfEntry(position)}) FROM ${ENTRIES} WHERE ${FITS}))
      FROM shown
    ))
  )`;
}

function columnOfEntry(index: number): SQL {
  return sql`(entry.value ->> ${sql.raw(String(index))})`;
}

const NONE = sql<null>`NULL`;
/** Each part of the union has these columns, in this order. */
const PART = { part: NONE, key: NONE, record: NONE, account_key: NONE, listed: NONE };

const ITEM = {
  ...PART,
  part: sql<CouponKind>`${columnOfEntry(2)}`,
  key: sql<number>`${columnOfEntry(0)}`,
  account_key: sql<number>`${columnOfEntry(1)}`,
  /** How many items were found, including the first after the page. */
  listed: sql<number>`shown.items`,
};

/** The bytes of the long texts in `held`. Measuring all of `held` would make SQLite plan its expression twice more. */
function heldBytes(shape: Shape): SQL {
  const { creation_method, coupon_id } = customerCoupons;
  const texts = [creation_method, stores.store_image, ...(shape.accounts ? [coupon_id] : [])];
  return sql`octet_length(json_array(${joinWithCommas(texts)}))`;
}

/** The fewest bytes that the coupon and the account add to an item. */
function sharedBytes(shape: Shape): SQL {
  const logo = shape.accounts?.includeImages ? [accounts.chain_logo] : [];
  const parts = shape.accounts ? [accounts.fields, accounts.loyalty_options, ...logo] : [];
  return sql.join([sql`coupon_bytes`, ...parts.map((part) => sql`coalesce(octet_length(${part}), 0)`)], sql` + `);
}

/** The fields of a coupon that a customer holds, as JSON; NULL for a digital coupon, which nobody holds. */
function held(shape: Shape): SQL<string | null> {
  const fields = {
    id: customerCoupons.id,
    expected_end_date: sql`iif(
      ${customerCoupons.expected_end_date} IS NULL, NULL, min(${customerCoupons.ends_at}, ${sql.raw(`'${LAST_SECOND}'`)})
    )`,
    ...pick(customerCoupons, "creation_method", "created_at", "updated_at", "deleted_at"),
    store_name: stores.name,
    total_count: customerCoupons.total_count,
    usage_count: customerCoupons.usage_count,
    remaining_count: sql`${customerCoupons.total_count} - ${customerCoupons.usage_count}`,
    store_image: stores.store_image,
    ...(shape.accounts && { coupon_id: customerCoupons.coupon_id, reserved: customerCoupons.reserved }),
  };
  return sql`iif(${customerCoupons.id} IS NULL, NULL, ${jsonOf(fields)})`;
}

const ACCOUNT = { ...PART, part: sql<"account">`'account'`, key: accounts.key };

/** A number here, but a text in a digital coupon (docs/contract/interface.md, 5.3 and 5.4). */
const BARCODE = sql`CAST(${coupons.coupon_barcode} AS INTEGER)`;
const CAMPAIGN_ID = sql`coalesce(${coupons.campaign_id}, '')`;

const DIGITAL = jsonOf({
  ...pick(coupons, "id", "coupon_barcode"),
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

const COUPON = { ...PART, part: sql<"coupon">`'coupon'`, key: coupons.key };

/** The JSON that all items of a coupon share. Most of it is stored as JSON. */
function couponText({ isDetailed }: Shape, customerId: Placeholder): SQL<string> {
  const issued = jsonOf({
    customer_id: customerId,
    campaign_coupon_id: coupons.id,
    campaign_id: CAMPAIGN_ID,
    coupon_barcode: BARCODE,
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
