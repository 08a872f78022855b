import { type AnyColumn, and, eq, inArray, isNotNull, isNull, or, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { PlaceholderOf } from "../../db/compile.ts";
import { isAfter } from "../../db/cut.ts";
import { query } from "../../db/query.ts";
import { limitTo, pick, select } from "../../db/select.ts";
import type { Page } from "../../http/paging.ts";
import { accounts } from "../../records/account.ts";
import { customerKeyOf } from "../../records/customer.ts";
import { stores } from "../../records/store.ts";
import { digitalCoupons, heldCoupons, validCoupons, visibleStores } from "../../records/views.ts";
import { COUPON_KINDS, type CouponKind } from "./schema.ts";

/** A place before all coupons: the kinds are listed in descending order. */
export const BEGINNING = { kind: "~", ends_at: "", created_at: "", id: "" };

/** At most this many valid coupons of each kind are listed, so that a list has an end. */
const LISTED_COUPONS = sql.raw("5000");

export interface CouponListQuery {
  customerId: string;
  filter: {
    kinds: readonly CouponKind[];
    /** A part of the coupon's name, one of its lines, or its chain's name. */
    search?: string | undefined;
    type?: string | undefined;
    accountId?: string | undefined;
    /** Empty or left out: at any store. */
    storeIds?: readonly string[];
  };
  page: Page<typeof BEGINNING>;
  /** Whether the coupons have account objects, and these the chain's logo. */
  accounts: { includeImages: boolean } | null;
  /** Whether each coupon has `campaign_coupon`. */
  isDetailed?: boolean;
}

/** Filters that a request may leave out. */
export const FILTERS = ["search", "type", "accountId", "storeIds"] as const;
type Filter = (typeof FILTERS)[number];

/** The text of the statement depends on these properties of the query. */
export type Shape = Required<Pick<CouponListQuery, "accounts" | "isDetailed">> &
  Pick<CouponListQuery["filter"], "kinds"> & { filters: readonly Filter[] };

export type Placeholders = PlaceholderOf<"customerId" | Filter | "limit" | "offset" | keyof typeof BEGINNING>;

/**
 * A page of the coupons that are valid for the customer now and pass the filters, and one more if there is one: store, then
 * mfg, then digital.
 */
export function selectValidCoupons({ kinds, filters }: Shape, placeholder: Placeholders): SQL {
  const view = viewOf(kinds);
  const isOfAllKinds = kinds.length === COUPON_KINDS.length;
  const conditions: Record<Filter, (value: Placeholder) => SQL | undefined> = {
    accountId: (id) =>
      eq(view.account_key, query.select(pick(accounts, "key")).from(accounts).where(eq(accounts.id, id))),
    type: (type) => eq(view.folded_type, type),
    // Not LIKE: D1 takes patterns of at most 50 bytes.
    search: (text) => sql`(instr(${view.folded_text}, ${text}) OR instr(${namesOfChain(view)}, ${text}))`,
    // Digital coupons have no store.
    storeIds: (ids) =>
      and(
        or(isNull(view.store_key), inArray(view.store_key, storesOf(ids))),
        or(isNotNull(view.store_key), inArray(view.account_key, accountsOf(ids))),
      ),
  };
  const order = sql`${view.ends_at}, ${view.created_at} DESC, ${view.id}`;
  // The filters look at the coupons that are listed. So each coupon gets its number before they apply.
  const numbered = select(
    {
      ...pick(view, "kind", "issued_id", "coupon_key", "account_key", "coupon_bytes", "ends_at", "created_at", "id"),
      passes: and(sql`true`, ...filters.map((filter) => conditions[filter](placeholder(filter)))) ?? sql`true`,
      number: sql<number>`row_number() OVER (PARTITION BY ${view.kind} ORDER BY ${order})`,
    },
    sql`FROM ${view} WHERE ${and(
      sql`${view.customer_key} = ${customerKeyOf(placeholder("customerId"))}`,
      isOfAllKinds ? undefined : inArray(view.kind, kinds),
    )}`,
  );
  return sql`SELECT * FROM (${numbered}) AS ${view}
    WHERE number <= ${LISTED_COUPONS} AND passes AND ${isAfter([
      { column: view.kind, after: placeholder("kind"), isDescending: true },
      { column: view.ends_at, after: placeholder("ends_at") },
      { column: view.created_at, after: placeholder("created_at"), isDescending: true },
      { column: view.id, after: placeholder("id") },
    ])}
    ORDER BY ${view.kind} DESC, ${order} ${limitTo(sql`1 + ${placeholder("limit")}`)} OFFSET ${placeholder("offset")}`;
}

/** The view that has just these kinds. From `valid_coupons`, SQLite would also read the coupons of the others. */
function viewOf(kinds: Shape["kinds"]) {
  if (!kinds.includes("digital")) return heldCoupons;
  return kinds.length === 1 ? digitalCoupons : validCoupons;
}

function namesOfChain({ account_key }: typeof validCoupons) {
  return query.select(pick(accounts, "folded_names")).from(accounts).where(eq(accounts.key, account_key));
}

function storesOf(ids: Placeholder) {
  return query.select(pick(stores, "key")).from(stores).where(isListed(stores.id, ids));
}

function accountsOf(storeIds: Placeholder) {
  const { id, account_key } = visibleStores;
  return query.select({ account_key }).from(visibleStores).where(isListed(id, storeIds));
}

function isListed(id: AnyColumn, ids: Placeholder): SQL {
  return inArray(id, sql`(SELECT value FROM json_each(${ids}))`);
}
