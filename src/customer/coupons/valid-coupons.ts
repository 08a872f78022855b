import { type Placeholder, type SQL, sql } from "drizzle-orm";
import type { Value } from "../../db/database.ts";
import { customerKeyOf, isAccountDeleted, isStoreDeleted, joinStoresOf } from "../../db/rules.ts";
import { NOW, pick, select } from "../../db/select.ts";
import { accounts, coupons, customerCoupons, stores } from "../../db/tables.ts";
import type { Page } from "../../http/paging.ts";
import type { CouponKind } from "./routes.ts";

interface CouponsFilter {
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
}

/** What the text of the query depends on: what comes with the coupons, and which filters there are. */
export type Shape = Pick<CouponsQuery, "accounts"> &
  Pick<CouponsFilter, "kinds"> & { [filter in keyof Omit<CouponsFilter, "kinds">]-?: boolean };

export type Values = Value<"customerId" | "search" | "type" | "accountId" | "storeIds" | keyof Page>;

/** The coupons that are valid for the customer now and pass the filters: the columns of the order, and keys. */
export function validCoupons(shape: Shape, value: Values): SQL {
  const sources = [
    ...(shape.kinds.some((kind) => kind !== "digital") ? [issuedCoupons(shape, value)] : []),
    ...(shape.kinds.includes("digital") ? [digitalCoupons(shape, value)] : []),
  ];
  return sql.join(sources, sql` UNION ALL `);
}

/** The coupons of kind store and mfg that the customer holds: `usable` is what is neither deleted nor used up. */
function issuedCoupons(shape: Shape, value: Values): SQL {
  const atStores = shape.storeIds ? sql`AND ${customerCoupons.store_key} IN ${storeKeys(value("storeIds"))}` : sql``;
  const kinds = sql.raw(shape.kinds.map((kind) => `'${kind}'`).join(", "));
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
      WHERE ${customerCoupons.customer_key} = ${customerKeyOf(value("customerId"))}
        AND ${customerCoupons.usable} = 1 AND ${customerCoupons.ends_at} >= ${NOW}
        AND ${coupons.kind} IN (${kinds}) AND NOT ${isStoreDeleted(sql`${customerCoupons.store_key}`)} ${atStores}
        AND NOT ${isAccountDeleted(sql`${coupons.account_key}`)} AND ${matches(shape, value)}`,
  );
}

/** The digital coupons of the accounts at one of whose stores the customer is a member. */
function digitalCoupons(shape: Shape, value: Values): SQL {
  const owners = sql`(
    SELECT ${stores.account_key} FROM ${stores}
    WHERE ${stores.key} IN ${storeKeys(value("storeIds"))} AND ${stores.deleted} = 0
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
        FROM (SELECT ${customerKeyOf(value("customerId"))} AS key) AS caller ${joinStoresOf(sql`caller.key`)}
      ) AS joined
      CROSS JOIN ${coupons} ON ${coupons.account_key} = joined.account_key AND ${coupons.kind} = 'digital'
      WHERE ${matches(shape, value)} ${shape.storeIds ? sql`AND ${coupons.account_key} IN ${owners}` : sql``}`,
  );
}

/** What must hold of a coupon, whatever its kind. The second of its end is the last that is valid. */
function matches(shape: Shape, value: Values): SQL {
  const conditions = [sql`${coupons.ends_at} >= ${NOW} AND ${coupons.deleted} = 0`];
  if (shape.accountId) {
    const account = sql`(SELECT ${accounts.key} FROM ${accounts} WHERE ${accounts.id} = ${value("accountId")})`;
    conditions.push(sql`${coupons.account_key} = ${account}`);
  }
  if (shape.type) conditions.push(sql`${coupons.folded_type} = ${value("type")}`);
  if (shape.search) {
    const namesOfChain = sql`(
      SELECT ${accounts.folded_names} FROM ${accounts} WHERE ${accounts.key} = ${coupons.account_key}
    )`;
    // Not LIKE: D1 takes patterns of at most 50 bytes.
    const isIn = (text: SQL) => sql`instr(${text}, ${value("search")}) > 0`;
    conditions.push(sql`(${isIn(sql`${coupons.folded_text}`)} OR ${isIn(namesOfChain)})`);
  }
  return sql.join(conditions, sql` AND `);
}

function storeKeys(ids: Placeholder): SQL {
  return sql`(SELECT ${stores.key} FROM ${stores} WHERE ${stores.id} IN (SELECT value FROM json_each(${ids})))`;
}
