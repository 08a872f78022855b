import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { accountKeyOnce, couponAccountParts } from "../../accounts/queries.ts";
import { NOW } from "../../db/clock.ts";
import { compilePer, type Database, type RowOf, type Value } from "../../db/database.ts";
import { limitTo } from "../../db/limit.ts";
import { select, selectWith } from "../../db/select.ts";
import { accounts, coupons, customerCoupons, stores } from "../../db/tables/index.ts";
import { customerKeyOf } from "../../domain/customers.ts";
import { isAccountDeleted, isStoreDeleted, joinStoresOf } from "../../domain/stores.ts";
import type { Page } from "../../http/paging.ts";
import { fold } from "../../values/fold.ts";
import { LAST_SECOND } from "../../values/time-zone.ts";
import type { CouponKind } from "./kinds.ts";

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

/**
 * The coupons that are valid for the customer now: store, then mfg, then digital, each list in its order
 * (docs/contract/interface.md, 4.4 and 4.5). One round trip, or none if the filters leave no kind.
 */
export async function findCoupons(db: Database, query: CouponsQuery): Promise<CouponRow[]> {
  const { customerId, page, accounts } = query;
  const { kinds, search, type, accountId, storeIds = [] } = query.filter;
  if (kinds.length === 0) return [];
  const shape: Shape = {
    accounts,
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
  return db.all(couponList(shape, values));
}

/** What the text of the query depends on: what comes with the coupons, and which filters there are. */
type Shape = Pick<CouponsQuery, "accounts"> &
  Pick<CouponsFilter, "kinds"> & { [filter in keyof Omit<CouponsFilter, "kinds">]-?: boolean };

type Values = Value<"customerId" | "search" | "type" | "accountId" | "storeIds" | keyof Page>;

// By name, store, mfg and digital are in their order backwards.
const ORDER = sql`page.kind DESC, page.ends_at, page.created_at DESC, page.id`;

export type CouponRow = RowOf<ReturnType<typeof couponList>>;

const couponList = compilePer((shape: Shape, value: Values) => {
  const sources = [
    ...(shape.kinds.some((kind) => kind !== "digital") ? [issuedCoupons(shape, value)] : []),
    ...(shape.kinds.includes("digital") ? [digitalCoupons(shape, value)] : []),
  ];
  return selectWith(
    sql`page AS (
      SELECT * FROM (${sql.join(sources, sql` UNION ALL `)}) AS page
      ORDER BY ${ORDER} ${limitTo(value("limit"))} OFFSET ${value("offset")}
    )`,
    { ...COUPON, ...HELD, account_key: coupons.accountKey, ...couponAccountParts(shape.accounts || NO_IMAGES) },
    sql`FROM page
      CROSS JOIN ${coupons} ON ${coupons.key} = page.coupon_key
      LEFT JOIN ${customerCoupons} ON ${customerCoupons.id} = page.issued_id
      LEFT JOIN ${stores} ON ${stores.key} = ${customerCoupons.storeKey}
      LEFT JOIN ${accounts} ON ${accounts.key} = ${shape.accounts === false ? sql`NULL` : ACCOUNT_ONCE}
      ORDER BY ${ORDER}`,
  );
});

const ACCOUNT_ONCE = accountKeyOnce(sql`page.account_key`, { list: sql`page`, key: sql`page.id` });

const NO_IMAGES = { includeImages: false };

const COUPON = {
  kind: coupons.kind,
  id: coupons.id,
  campaignId: coupons.campaignId,
  sourceCampaignId: coupons.sourceCampaignId,
  filterItems: coupons.filterItems,
  barcode: coupons.couponBarcode,
  isCustom: coupons.isCustom,
  canCombineWithOther: coupons.canCombineWithOther,
  createdAt: coupons.createdAt,
  text: coupons.text,
};

/** What belongs to the customer who holds the coupon; NULL of a digital one. */
const HELD = {
  issuedId: customerCoupons.id,
  couponId: customerCoupons.couponId,
  expectedEndDate: sql<string | null>`iif(
    ${customerCoupons.expectedEndDate} IS NULL, NULL, min(${customerCoupons.endsAt}, ${sql.raw(`'${LAST_SECOND}'`)})
  )`,
  creationMethod: customerCoupons.creationMethod,
  reserved: customerCoupons.reserved,
  totalCount: customerCoupons.totalCount,
  usageCount: customerCoupons.usageCount,
  issuedAt: customerCoupons.createdAt,
  updatedAt: customerCoupons.updatedAt,
  deletedAt: customerCoupons.deletedAt,
  storeName: stores.name,
  storeImage: stores.storeImage,
};

/** The coupons of kind store and mfg that the customer holds: `usable` is what is neither deleted nor used up. */
function issuedCoupons(shape: Shape, value: Values): SQL {
  const atStores = shape.storeIds ? sql`AND ${customerCoupons.storeKey} IN ${storeKeys(value("storeIds"))}` : sql``;
  const kinds = sql.raw(shape.kinds.map((kind) => `'${kind}'`).join(", "));
  return select(
    {
      kind: coupons.kind,
      ends_at: sql`min(${customerCoupons.endsAt}, ${coupons.endsAt})`,
      created_at: customerCoupons.createdAt,
      id: customerCoupons.id,
      issued_id: customerCoupons.id,
      coupon_key: coupons.key,
      account_key: coupons.accountKey,
    },
    sql`FROM ${customerCoupons}
      CROSS JOIN ${coupons} ON ${coupons.key} = ${customerCoupons.campaignCouponKey}
      WHERE ${customerCoupons.customerKey} = ${customerKeyOf(value("customerId"))}
        AND ${customerCoupons.usable} = 1 AND ${customerCoupons.endsAt} >= ${NOW}
        AND ${coupons.kind} IN (${kinds}) AND NOT ${isStoreDeleted(sql`${customerCoupons.storeKey}`)} ${atStores}
        AND NOT ${isAccountDeleted(sql`${coupons.accountKey}`)} AND ${matches(shape, value)}`,
  );
}

/** The digital coupons of the accounts at one of whose stores the customer is a member. */
function digitalCoupons(shape: Shape, value: Values): SQL {
  const owners = sql`(
    SELECT ${stores.accountKey} FROM ${stores}
    WHERE ${stores.key} IN ${storeKeys(value("storeIds"))} AND ${stores.deleted} = 0
  )`;
  return select(
    {
      kind: coupons.kind,
      ends_at: coupons.endsAt,
      created_at: coupons.createdAt,
      id: coupons.id,
      issued_id: sql`NULL`,
      coupon_key: coupons.key,
      account_key: coupons.accountKey,
    },
    sql`FROM (
        SELECT DISTINCT ${stores.accountKey} AS account_key
        FROM (SELECT ${customerKeyOf(value("customerId"))} AS key) AS caller ${joinStoresOf(sql`caller.key`)}
      ) AS joined
      CROSS JOIN ${coupons} ON ${coupons.accountKey} = joined.account_key AND ${coupons.kind} = 'digital'
      WHERE ${matches(shape, value)} ${shape.storeIds ? sql`AND ${coupons.accountKey} IN ${owners}` : sql``}`,
  );
}

/** What must hold of a coupon, whatever its kind. The second of its end is the last that is valid. */
function matches(shape: Shape, value: Values): SQL {
  const conditions = [sql`${coupons.endsAt} >= ${NOW} AND ${coupons.deleted} = 0`];
  if (shape.accountId) {
    const account = sql`(SELECT ${accounts.key} FROM ${accounts} WHERE ${accounts.id} = ${value("accountId")})`;
    conditions.push(sql`${coupons.accountKey} = ${account}`);
  }
  if (shape.type) conditions.push(sql`${coupons.foldedType} = ${value("type")}`);
  if (shape.search) {
    const namesOfChain = sql`(
      SELECT ${accounts.foldedNames} FROM ${accounts} WHERE ${accounts.key} = ${coupons.accountKey}
    )`;
    // Not LIKE: D1 takes patterns of at most 50 bytes.
    const isIn = (text: SQL) => sql`instr(${text}, ${value("search")}) > 0`;
    conditions.push(sql`(${isIn(sql`${coupons.foldedText}`)} OR ${isIn(namesOfChain)})`);
  }
  return sql.join(conditions, sql` AND `);
}

function storeKeys(ids: Placeholder): SQL {
  return sql`(SELECT ${stores.key} FROM ${stores} WHERE ${stores.id} IN (SELECT value FROM json_each(${ids})))`;
}
