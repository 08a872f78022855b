import {
  type AnyColumn,
  and,
  desc,
  eq,
  inArray,
  isNotNull,
  isNull,
  or,
  type Placeholder,
  type SQL,
  sql,
} from "drizzle-orm";
import type { PlaceholderOf } from "../../db/compile.ts";
import { atMost, query } from "../../db/query.ts";
import { pick } from "../../db/select.ts";
import type { Page } from "../../http/paging.ts";
import { accounts } from "../../records/account.ts";
import { coupons } from "../../records/coupon.ts";
import { customerKeyOf } from "../../records/customer.ts";
import { stores } from "../../records/store.ts";
import { digitalCoupons, heldCoupons, validCoupons, visibleStores } from "../../records/views.ts";

export const COUPON_KINDS = coupons.kind.enumValues;
export type CouponKind = (typeof COUPON_KINDS)[number];

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
  page: Page;
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

export type Placeholders = PlaceholderOf<"customerId" | Filter | keyof Page>;

/**
 * A page of the coupons that are valid for the customer now and pass the filters, and one more if there is one: store, then
 * mfg, then digital.
 */
export function selectValidCoupons({ kinds, filters }: Shape, placeholder: Placeholders) {
  const view = viewOf(kinds);
  const isOfAllKinds = kinds.length === COUPON_KINDS.length;
  const conditions: Record<Filter, (value: Placeholder) => SQL | undefined> = {
    accountId: (id) =>
      eq(view.account_key, query.select(pick(accounts, "key")).from(accounts).where(eq(accounts.id, id))),
    type: (type) => eq(view.folded_type, type),
    // Not LIKE: D1 takes patterns of at most 50 bytes.
    search: (text) => sql`(instr(${view.folded_text}, ${text}) OR instr(${namesOfChain(view)}, ${text}))`,
    // Digital coupons have no store. The first condition reads no coupon, so SQLite leaves out other stores by the index.
    storeIds: (ids) =>
      and(
        or(isNull(view.store_key), inArray(view.store_key, storesOf(ids))),
        or(isNotNull(view.store_key), inArray(view.account_key, accountsOf(ids))),
      ),
  };
  return query
    .select(pick(view, "kind", "issued_id", "coupon_key", "account_key", "coupon_bytes"))
    .from(view)
    .where(
      and(
        sql`${view.customer_key} = ${customerKeyOf(placeholder("customerId"))}`,
        isOfAllKinds ? undefined : inArray(view.kind, kinds),
        ...filters.map((filter) => conditions[filter](placeholder(filter))),
      ),
    )
    .orderBy(desc(view.kind), view.ends_at, desc(view.created_at), view.id)
    .limit(atMost(sql`1 + ${placeholder("limit")}`))
    .offset(placeholder("offset"));
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
