import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { accountsOf, type OfAccount } from "../../accounts/answers.ts";
import { couponAccount, oncePerAccount } from "../../accounts/queries.ts";
import { compilePer, type Database } from "../../db/database.ts";
import { membersOf, objectWith } from "../../db/json-objects.ts";
import { limitTo } from "../../db/limit.ts";
import { accounts, couponJson, coupons, customerCoupons, stores } from "../../db/tables/index.ts";
import { customerKeyOf } from "../../domain/customers.ts";
import { isAccountDeleted, isStoreDeleted, joinStoresOf } from "../../domain/stores.ts";
import { type JsonText, jsonArray, jsonObject, storedJson, withMember } from "../../http/json-text.ts";
import type { Page } from "../../http/paging.ts";
import { fold } from "../../values/fold.ts";
import type { CouponKind } from "./kinds.ts";

export interface CouponsFilter {
  kinds: readonly CouponKind[];
  /** Part of the coupon's name, of one of its lines or of its chain's name. */
  search?: string | undefined;
  /** The coupon's `type`. */
  type?: string | undefined;
  accountId?: string | undefined;
  /** None: at any store. */
  storeIds?: readonly string[];
}

export interface CouponsQuery {
  customerId: string;
  filter: CouponsFilter;
  page: Page;
  /** Whether the coupons bring their account objects, and these the chain's logo. */
  accounts: false | { includeImages: boolean };
  /** Whether they bring what stands in their `campaign_coupon` only. */
  details: boolean;
}

/** A coupon as it goes out: JSON that is text in the database, to be sent on without a look inside. */
export interface Coupon {
  kind: CouponKind;
  coupon: JsonText;
  /** Null where accounts are not wanted. */
  account: JsonText;
}

interface CouponRow extends OfAccount, Pick<typeof coupons.$inferSelect, "kind"> {
  coupon: string;
}

/**
 * The coupons that are valid for the customer now: store, then mfg, then digital, each list in its order
 * (docs/contract/interface.md, 4.4 and 4.5). One round trip, or none if the filters leave no kind.
 */
export async function findCoupons(db: Database, query: CouponsQuery): Promise<Coupon[]> {
  const { customerId, page, accounts, details } = query;
  const { kinds, search, type, accountId, storeIds = [] } = query.filter;
  if (kinds.length === 0) return [];
  const shape: Shape = {
    accounts,
    details,
    kinds,
    search: search !== undefined,
    type: type !== undefined,
    accountId: accountId !== undefined,
    storeIds: storeIds.length > 0,
  };
  const values = {
    ...page,
    customerId,
    search: fold(search ?? ""),
    type: fold(type ?? ""),
    accountId: accountId ?? "",
    storeIds: JSON.stringify(storeIds),
  };
  const rows = await db.all(couponList(shape, values));
  const accountOf = accountsOf(rows);
  return rows.map((row) => ({ kind: row.kind, coupon: storedJson(row.coupon), account: accountOf(row) }));
}

/** What the text of the query depends on: what comes with the coupons, and which filters there are. */
type Shape = Pick<CouponsQuery, "accounts" | "details"> &
  Pick<CouponsFilter, "kinds"> & { [filter in keyof Omit<CouponsFilter, "kinds">]-?: boolean };

type Value = (name: "customerId" | "search" | "type" | "accountId" | "storeIds" | keyof Page) => Placeholder;

const NOW = sql`(SELECT now FROM clock)`;
// By name, store, mfg and digital are in their order backwards.
const ORDER = sql`page.kind DESC, page.ends_at, page.created_at DESC, page.id`;

const couponList = compilePer((shape: Shape, value: Value) => {
  const sources = [
    ...(shape.kinds.some((kind) => kind !== "digital") ? [issuedCoupons(shape, value)] : []),
    ...(shape.kinds.includes("digital") ? [digitalCoupons(shape, value)] : []),
  ];
  return sql<CouponRow>`
    WITH page AS (
      SELECT * FROM (${sql.join(sources, sql` UNION ALL `)}) AS page
      ORDER BY ${ORDER} ${limitTo(value("limit"))} OFFSET ${value("offset")}
    )
    SELECT page.kind, page.account_key, ${couponPart(shape, value)} AS coupon, ${accountPart(shape)} AS account
    FROM page
    CROSS JOIN ${couponJson} AS json ON json.key = page.coupon_key
    LEFT JOIN ${customerCoupons} AS issued ON issued.id = page.issued_id
    LEFT JOIN ${stores} ON stores.key = issued.store_key
    ORDER BY ${ORDER}`;
});

/** The coupons of kind store and mfg that the customer holds: `usable` is what is neither deleted nor used up. */
function issuedCoupons(shape: Shape, value: Value): SQL {
  const atStores = shape.storeIds ? sql`AND issued.store_key IN ${storeKeys(value("storeIds"))}` : sql``;
  const kinds = sql.raw(shape.kinds.map((kind) => `'${kind}'`).join(", "));
  return sql`
    SELECT
      coupons.kind, min(issued.ends_at, coupons.ends_at) AS ends_at, issued.created_at, issued.id AS id,
      issued.id AS issued_id, coupons.key AS coupon_key, coupons.account_key
    FROM ${customerCoupons} AS issued
    CROSS JOIN ${coupons} ON coupons.key = issued.campaign_coupon_key
    WHERE issued.customer_key = ${customerKeyOf(value("customerId"))}
      AND issued.usable = 1 AND ${notOver(sql`issued.ends_at`)}
      AND coupons.kind IN (${kinds}) AND NOT ${isStoreDeleted(sql`issued.store_key`)} ${atStores}
      AND NOT ${isAccountDeleted(sql`coupons.account_key`)} AND ${matches(shape, value)}`;
}

/** The digital coupons of the accounts at one of whose stores the customer is a member. */
function digitalCoupons(shape: Shape, value: Value): SQL {
  const owners = sql`(SELECT account_key FROM ${stores} WHERE key IN ${storeKeys(value("storeIds"))} AND deleted = 0)`;
  const ofStores = shape.storeIds ? sql`AND coupons.account_key IN ${owners}` : sql``;
  return sql`
    SELECT
      coupons.kind, coupons.ends_at, coupons.created_at, coupons.id AS id,
      NULL AS issued_id, coupons.key AS coupon_key, coupons.account_key
    FROM (
      SELECT DISTINCT stores.account_key
      FROM (SELECT ${customerKeyOf(value("customerId"))} AS key) AS caller ${joinStoresOf(sql`caller.key`)}
    ) AS joined
    CROSS JOIN ${coupons} ON coupons.account_key = joined.account_key AND coupons.kind = 'digital'
    WHERE ${matches(shape, value)} ${ofStores}`;
}

/** What must hold of a coupon, whatever its kind. */
function matches(shape: Shape, value: Value): SQL {
  const conditions = [notOver(sql`coupons.ends_at`), sql`coupons.deleted = 0`];
  if (shape.accountId) {
    conditions.push(sql`coupons.account_key = (SELECT key FROM ${accounts} WHERE id = ${value("accountId")})`);
  }
  if (shape.type) conditions.push(sql`coupons.folded_type = ${value("type")}`);
  if (shape.search) {
    // Not LIKE: D1 takes patterns of at most 50 bytes.
    const namesOfChain = sql`(SELECT folded_names FROM ${accounts} WHERE accounts.key = coupons.account_key)`;
    const isIn = (text: SQL) => sql`instr(${text}, ${value("search")}) > 0`;
    conditions.push(sql`(${isIn(sql`coupons.folded_text`)} OR ${isIn(namesOfChain)})`);
  }
  return sql.join(conditions, sql` AND `);
}

/** An end's own second is the last that is valid. */
function notOver(end: SQL): SQL {
  return sql`${end} >= ${NOW}`;
}

function storeKeys(ids: Placeholder): SQL {
  return sql`(SELECT key FROM ${stores} WHERE id IN (SELECT value FROM json_each(${ids})))`;
}

// How a coupon's answer is put together: what is the same for every customer is JSON already (the view
// expected_coupon_json), what belongs to the holder is added in SQL, and the accounts and lists around it in JavaScript.

/** The coupon as one JSON object, without its account. */
function couponPart(shape: Shape, value: Value): SQL {
  const [text, record] = [membersOf(sql`json.text`), membersOf(sql`json.record`)];
  const details = sql`'"campaign_coupon":' || ${objectWith([text, membersOf(sql`json.detail`)])}`;
  const held = objectWith([membersOf(issuedPart(shape, value)), text, record, ...(shape.details ? [details] : [])]);
  return shape.kinds.includes("digital")
    ? sql`iif(page.kind = 'digital', ${objectWith([text, record])}, ${held})`
    : held;
}

/** What belongs to the customer who holds the coupon; where accounts are wanted, with what their variants have more. */
function issuedPart({ accounts }: Shape, value: Value): SQL {
  const more = accounts === false ? sql`` : sql`, 'coupon_id', issued.coupon_id, 'reserved', issued.reserved`;
  return sql`json_object(
    'id', issued.id, 'customer_id', ${value("customerId")}, 'expected_end_date', issued.expected_end_date,
    'creation_method', issued.creation_method, 'created_at', issued.created_at, 'updated_at', issued.updated_at,
    'deleted_at', issued.deleted_at, 'store_name', stores.name, 'store_image', stores.store_image,
    'total_count', issued.total_count, 'usage_count', issued.usage_count,
    'remaining_count', issued.total_count - issued.usage_count ${more}
  )`;
}

/** The account object beside one coupon of each account, where accounts are wanted. */
function accountPart({ accounts }: Shape): SQL {
  if (accounts === false) return sql`NULL`;
  const accountKey = sql`page.account_key`;
  return oncePerAccount(couponAccount(accountKey, accounts), { list: sql`page`, key: sql`page.id`, accountKey });
}

/** The `items` of the coupon list's simple variant. */
export function simpleItems(coupons: readonly Coupon[]): JsonText {
  return jsonArray(coupons.map(({ coupon }) => coupon));
}

/** The `items` of the coupon list's detailed variant. */
export function detailedItems(coupons: readonly Coupon[]): JsonText {
  return jsonObject({ stores: heldCoupons(coupons, "store"), mfg: heldCoupons(coupons, "mfg") });
}

/** The `items` of the combined coupon list. */
export function myItems(coupons: readonly Coupon[]): JsonText {
  const digital = coupons.filter(({ kind }) => kind === "digital");
  return jsonObject({
    store: heldCoupons(coupons, "store"),
    mfg: heldCoupons(coupons, "mfg"),
    digital: jsonArray(digital.map(({ coupon, account }) => jsonObject({ account, coupon }))),
  });
}

/** The coupons of one kind that the customer holds, each with its account. */
function heldCoupons(coupons: readonly Coupon[], wanted: "store" | "mfg"): JsonText {
  const held = coupons.filter(({ kind }) => kind === wanted);
  return jsonArray(held.map(({ coupon, account }) => withMember(coupon, "account", account)));
}
