import { type AnyColumn, and, eq, inArray, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { PlaceholderOf } from "../../db/compile.ts";
import { isAfter } from "../../db/cut.ts";
import { query } from "../../db/query.ts";
import { limitTo, pick, select } from "../../db/select.ts";
import type { Page } from "../../http/paging.ts";
import { accounts } from "../../records/account.ts";
import { coupons } from "../../records/coupon.ts";
import { customerKeyOf } from "../../records/customer.ts";
import { stores } from "../../records/store.ts";
import { digitalCoupons, heldCoupons, visibleStores } from "../../records/views.ts";
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
    /** Only coupons of the account of this store, for a till that stands there. */
    tillStoreId?: string | undefined;
  };
  page: Page<typeof BEGINNING>;
  /** Whether the coupons have account objects, and these the chain's logo. */
  accounts: { includeImages: boolean } | null;
  /** Whether each coupon has `campaign_coupon`. */
  isDetailed?: boolean;
}

/** Filters that a request may leave out. */
export const FILTERS = ["search", "type", "accountId", "storeIds", "tillStoreId"] as const;
type Filter = (typeof FILTERS)[number];

/** The text of the statement depends on these properties of the query. `list`: left out, the valid coupons of a customer. */
export type Shape = { list?: "of a till" | "ended" } & Required<Pick<CouponListQuery, "accounts" | "isDetailed">> &
  Pick<CouponListQuery["filter"], "kinds"> & { filters: readonly Filter[] };

export type Placeholders = PlaceholderOf<"customerId" | Filter | "limit" | "offset" | keyof typeof BEGINNING>;

/**
 * A page of the coupons that are valid for the customer now and pass the filters, and one more if there is one: store, then
 * mfg, then digital. SQLite reads the kinds in this order until it has enough, and leaves out those before the place.
 */
export function selectValidCoupons({ kinds, filters }: Shape, placeholder: Placeholders): SQL {
  const lists = COUPON_KINDS.filter((kind) => kinds.includes(kind)).map((kind) =>
    selectKind(kind, filters, placeholder),
  );
  return sql`${sql.join(lists, sql` UNION ALL `)}
    ${limitTo(sql`1 + ${placeholder("limit")}`)} OFFSET ${placeholder("offset")}`;
}

/** The coupons of a kind after the place. The filters look only at those that are listed. */
function selectKind(kind: CouponKind, filters: readonly Filter[], placeholder: Placeholders): SQL {
  const view = kind === "digital" ? digitalCoupons : heldCoupons;
  const conditions: Record<Filter, (value: Placeholder) => SQL | undefined> = {
    accountId: (id) =>
      eq(view.account_key, query.select(pick(accounts, "key")).from(accounts).where(eq(accounts.id, id))),
    tillStoreId: (id) => eq(view.account_key, accountOf(id)),
    type: (type) => eq(view.folded_type, type),
    // Looks at the listed coupons: see below.
    search: () => undefined,
    // Digital coupons have no store.
    storeIds: (ids) =>
      kind === "digital" ? inArray(view.account_key, accountsOf(ids)) : inArray(view.store_key, storesOf(ids)),
  };
  const name = sql.raw(`'${kind}'`);
  const listed = select(
    {
      ...pick(view, "kind", "issued_id", "coupon_key", "account_key", "coupon_bytes", "ends_at", "created_at", "id"),
      passes: sql`${and(sql`true`, ...filters.map((filter) => conditions[filter](placeholder(filter))))}`,
    },
    sql`
      FROM ${view}
      WHERE ${view.customer_key} = ${customerKeyOf(placeholder("customerId"))} AND ${view.kind} = ${name}
      ORDER BY ${view.ends_at}, ${view.created_at} DESC, ${view.id} LIMIT ${LISTED_COUPONS}`,
  );
  const isSearch = filters.includes("search");
  const isOnPage = isAfter([
    { column: name, after: placeholder("kind"), isDescending: true },
    { column: view.ends_at, after: placeholder("ends_at") },
    { column: view.created_at, after: placeholder("created_at"), isDescending: true },
    { column: view.id, after: placeholder("id") },
  ]);
  return sql`SELECT * FROM (
    WITH listed AS ${isSearch ? sql`MATERIALIZED` : sql``} (${listed})
    SELECT * FROM listed AS ${view}
    WHERE passes AND ${and(isSearch ? hasText(view, placeholder("search")) : undefined, isOnPage)}
  )`;
}

/** The most bytes of coupons' texts in which a search looks. They take SQLite about 20 ms. */
const SEARCHED_BYTES = sql.raw(String(4 * 1024 * 1024));

/**
 * Whether a coupon or its chain has this text. Each is looked at once, however often the coupon is listed. Not by LIKE: D1 takes
 * patterns of at most 50 bytes.
 */
function hasText({ coupon_key, account_key }: typeof heldCoupons, text: Placeholder): SQL {
  const sized = sql`
    SELECT ${coupons.key} AS key, sum(octet_length(${coupons.folded_text})) OVER (ORDER BY ${coupons.key}) AS bytes
    FROM ${coupons} WHERE ${coupons.key} IN (SELECT coupon_key FROM listed WHERE passes)`;
  return sql`(${coupon_key} IN (
      SELECT sized.key FROM (${sized}) AS sized CROSS JOIN ${coupons} ON ${coupons.key} = sized.key
      WHERE bytes <= ${SEARCHED_BYTES} AND instr(${coupons.folded_text}, ${text})
    ) OR ${account_key} IN (
      SELECT ${accounts.key} FROM ${accounts}
      WHERE ${accounts.key} IN (SELECT account_key FROM listed) AND instr(${accounts.folded_names}, ${text})
    ))`;
}

function storesOf(ids: Placeholder) {
  return query.select(pick(stores, "key")).from(stores).where(isListed(stores.id, ids));
}

function accountsOf(storeIds: Placeholder) {
  const { id, account_key } = visibleStores;
  return query.select({ account_key }).from(visibleStores).where(isListed(id, storeIds));
}

/** The account of a store. */
export function accountOf(storeId: Placeholder) {
  return query.select(pick(stores, "account_key")).from(stores).where(eq(stores.id, storeId));
}

function isListed(id: AnyColumn, ids: Placeholder): SQL {
  return inArray(id, sql`(SELECT value FROM json_each(${ids}))`);
}
