import { type Placeholder, type SQL, sql } from "drizzle-orm";
import type { PlaceholderOf } from "../../db/database.ts";
import { customerKeyOf, isAccountDeleted, isStoreDeleted, joinStoresOf } from "../../db/rules.ts";
import { NOW, pick, select } from "../../db/select.ts";
import { accounts, coupons, customerCoupons, stores } from "../../db/tables.ts";
import type { Page } from "../../http/paging.ts";

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

/** The text of the statement depends on these properties of the query. */
export type Shape = Required<Pick<CouponListQuery, "accounts" | "isDetailed">> &
  Pick<CouponListQuery["filter"], "kinds">;

export type Placeholders = PlaceholderOf<"customerId" | "search" | "type" | "accountId" | "storeIds" | keyof Page>;

/** The coupons that are valid for the customer now and pass the filters. An absent filter is NULL. */
export function validCoupons({ kinds }: Shape, placeholder: Placeholders): SQL {
  const sources = [
    ...(kinds.some((kind) => kind !== "digital") ? [issuedCoupons(kinds, placeholder)] : []),
    ...(kinds.includes("digital") ? [digitalCoupons(placeholder)] : []),
  ];
  return sql.join(sources, sql` UNION ALL `);
}

/** The store and mfg coupons that the customer holds. A `usable` one is neither deleted nor used up. */
function issuedCoupons(kinds: Shape["kinds"], placeholder: Placeholders): SQL {
  const atStores = sql`${customerCoupons.store_key} IN ${storeKeys(placeholder("storeIds"))}`;
  return select(
    {
      kind: coupons.kind,
      ends_at: sql`min(${customerCoupons.ends_at}, ${coupons.ends_at})`,
      created_at: customerCoupons.created_at,
      id: customerCoupons.id,
      issued_id: customerCoupons.id,
      coupon_key: coupons.key,
      account_key: coupons.account_key,
      coupon_bytes: sql`octet_length(${coupons.text})`,
    },
    sql`FROM ${customerCoupons}
      CROSS JOIN ${coupons} ON ${coupons.key} = ${customerCoupons.campaign_coupon_key}
      WHERE ${customerCoupons.customer_key} = ${customerKeyOf(placeholder("customerId"))}
        AND ${customerCoupons.usable} = 1 AND ${customerCoupons.ends_at} >= ${NOW}
        AND ${coupons.kind} IN (${sql.raw(kinds.map((kind) => `'${kind}'`).join(", "))})
        AND NOT ${isStoreDeleted(sql`${customerCoupons.store_key}`)} AND ${ifGiven(placeholder("storeIds"), atStores)}
        AND NOT ${isAccountDeleted(sql`${coupons.account_key}`)} AND ${matches(placeholder)}`,
  );
}

/** The digital coupons of the accounts whose stores the customer has joined. */
function digitalCoupons(placeholder: Placeholders): SQL {
  const isOfOwner = sql`${coupons.account_key} IN (
    SELECT ${stores.account_key} FROM ${stores}
    WHERE ${stores.key} IN ${storeKeys(placeholder("storeIds"))} AND ${stores.deleted} = 0
  )`;
  return select(
    {
      ...pick(coupons, "kind", "ends_at", "created_at", "id"),
      issued_id: sql`NULL`,
      coupon_key: coupons.key,
      account_key: coupons.account_key,
      coupon_bytes: sql`octet_length(${coupons.text})`,
    },
    sql`FROM (
        SELECT DISTINCT ${stores.account_key} AS account_key
        FROM (SELECT ${customerKeyOf(placeholder("customerId"))} AS key) AS caller ${joinStoresOf(sql`caller.key`)}
      ) AS joined
      CROSS JOIN ${coupons} ON ${coupons.account_key} = joined.account_key AND ${coupons.kind} = 'digital'
      WHERE ${matches(placeholder)} AND ${ifGiven(placeholder("storeIds"), isOfOwner)}`,
  );
}

/** Whether a coupon of any kind is valid and passes the filters. It is still valid in the second of its end. */
function matches(placeholder: Placeholders): SQL {
  const account = sql`(SELECT ${accounts.key} FROM ${accounts} WHERE ${accounts.id} = ${placeholder("accountId")})`;
  const namesOfChain = sql`(
    SELECT ${accounts.folded_names} FROM ${accounts} WHERE ${accounts.key} = ${coupons.account_key}
  )`;
  // Not LIKE: D1 takes patterns of at most 50 bytes.
  const contains = (text: SQL) => sql`instr(${text}, ${placeholder("search")}) > 0`;
  return sql`${coupons.ends_at} >= ${NOW} AND ${coupons.deleted} = 0
    AND ${ifGiven(placeholder("accountId"), sql`${coupons.account_key} = ${account}`)}
    AND ${ifGiven(placeholder("type"), sql`${coupons.folded_type} = ${placeholder("type")}`)}
    AND ${ifGiven(placeholder("search"), sql`${contains(sql`${coupons.folded_text}`)} OR ${contains(namesOfChain)}`)}`;
}

function ifGiven(filter: Placeholder, condition: SQL): SQL {
  return sql`(${filter} IS NULL OR ${condition})`;
}

function storeKeys(ids: Placeholder): SQL {
  return sql`(SELECT ${stores.key} FROM ${stores} WHERE ${stores.id} IN (SELECT value FROM json_each(${ids})))`;
}
