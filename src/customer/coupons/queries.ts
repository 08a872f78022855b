import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { couponAccountParts, fewestBytes } from "../../accounts/queries.ts";
import { NOW } from "../../db/clock.ts";
import { compilePer, type Database, type RowOf, type Value } from "../../db/database.ts";
import { customerKeyOf, isAccountDeleted, isStoreDeleted, joinStoresOf } from "../../db/rules.ts";
import { jsonOf, pick, type Row, select } from "../../db/select.ts";
import { entryValue, hasMoreAfter, isFirst, keyOf, selectStepwise } from "../../db/stepwise.ts";
import { accounts, coupons, customerCoupons, stores } from "../../db/tables/index.ts";
import type { Page, Paged } from "../../http/paging.ts";
import { LAST_SECOND } from "../../values/time-zone.ts";
import { fold } from "../../values/words.ts";
import type { CouponKind, Cursor } from "./schema.ts";

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
  /** Where the answer before ended: this one begins there, whatever the page's offset. */
  after: Cursor | undefined;
  /** Whether the coupons bring their account objects, and these the chain's logo. */
  accounts: false | { includeImages: boolean };
}

/**
 * The coupons that are valid for the customer now: store, then mfg, then digital, each list in its order
 * (docs/contract/interface.md, 4.4 and 4.5). One round trip, or none if the filters leave no kind.
 */
export async function findCoupons(db: Database, query: CouponsQuery): Promise<Paged<CouponRow>> {
  const { customerId, page, after, accounts } = query;
  const { kinds, search, type, accountId, storeIds = [] } = query.filter;
  if (kinds.length === 0) return { items: [], hasMore: false };
  const shape: Shape = {
    accounts,
    kinds,
    search: search !== undefined,
    type: type !== undefined,
    accountId: accountId !== undefined,
    storeIds: storeIds.length > 0,
    after: after !== undefined,
  };
  const values = {
    limit: page.limit,
    offset: after === undefined ? page.offset : 0,
    afterKind: after?.kind ?? "",
    afterEnd: after?.endsAt ?? "",
    afterCreated: after?.createdAt ?? "",
    afterId: after?.id ?? "",
    customerId,
    search: fold(search ?? ""),
    type: fold(type ?? ""),
    accountId: accountId ?? "",
    storeIds: JSON.stringify(storeIds),
  };
  const items = await db.all(couponList(shape, values));
  return { items, hasMore: hasMoreAfter(items) };
}

/** What the text of the query depends on: what comes with the coupons, and which filters there are. */
type Shape = Pick<CouponsQuery, "accounts"> &
  Pick<CouponsFilter, "kinds"> & { [filter in keyof Omit<CouponsFilter, "kinds"> | "after"]-?: boolean };

type CursorValue = "afterKind" | "afterEnd" | "afterCreated" | "afterId";
type Values = Value<"customerId" | "search" | "type" | "accountId" | "storeIds" | keyof Page | CursorValue>;

// By name, store, mfg and digital are in their order backwards.
const ORDER = sql`page.kind DESC, page.ends_at, page.created_at DESC, page.id`;

export type CouponRow = RowOf<ReturnType<typeof couponList>>;

const couponList = compilePer((shape: Shape, value: Values) => {
  const sources = [
    ...(shape.kinds.some((kind) => kind !== "digital") ? [issuedCoupons(shape, value)] : []),
    ...(shape.kinds.includes("digital") ? [digitalCoupons(shape, value)] : []),
  ];
  return selectStepwise({
    list: sql`(
      SELECT * FROM (${sql.join(sources, sql` UNION ALL `)}) AS page
      ${shape.after ? isAfter(value) : sql``}
      ORDER BY ${ORDER} LIMIT 1 + ${value("limit")} OFFSET ${value("offset")}
    )`,
    entry: sql`coupon_key, account_key, kind, issued_id, ends_at, created_at, id`,
    limit: value("limit"),
    fields: {
      ...LISTED,
      held: heldPart(shape),
      coupon: COUPON,
      ...TEXTS,
      ...couponAccountParts(shape.accounts || NO_IMAGES),
    },
    joins: sql`
      LEFT JOIN ${coupons} ON ${coupons.key} = ${once("c", KEY)}
      LEFT JOIN ${customerCoupons} ON ${customerCoupons.id} = ${entryValue(3)}
      LEFT JOIN ${stores} ON ${stores.key} = ${customerCoupons.store_key}
      LEFT JOIN ${accounts} ON ${accounts.key} = ${shape.accounts === false ? sql`NULL` : once("a", ACCOUNT_KEY)}`,
    shared: [
      { key: keyOf("c", KEY), bytes: sql`octet_length(${coupons.text})` },
      ...(shape.accounts === false ? [] : [{ key: keyOf("a", ACCOUNT_KEY), bytes: fewestBytes(shape.accounts) }]),
    ],
    long: {
      json: [
        "held",
        "coupon",
        "text",
        "filter_items",
        "fields",
        "core_tenant_id",
        "core_app_account_id",
        "loyalty_options",
      ],
      texts: ["chain_logo"],
    },
  });
});

const [KEY, ACCOUNT_KEY] = [entryValue(0), entryValue(1)];

/** A key where no row before has it. */
function once(sort: string, key: SQL): SQL {
  return sql`iif(${isFirst(keyOf(sort, key))}, ${key}, NULL)`;
}

/** In the order of the list, which `ORDER` says. */
function isAfter(value: Values): SQL {
  const [kind, end, created] = [value("afterKind"), value("afterEnd"), value("afterCreated")];
  return sql`WHERE kind <= ${kind} AND (kind < ${kind} OR ends_at > ${end} OR ends_at = ${end} AND (
    created_at < ${created} OR created_at = ${created} AND id > ${value("afterId")}
  ))`;
}

const NO_IMAGES = { includeImages: false };

const LISTED = {
  key: sql<number>`${KEY}`,
  account_key: sql<number>`${ACCOUNT_KEY}`,
  kind: sql<CouponKind>`${entryValue(2)}`,
  /** Where the row is in the list, as JSON: `[…, ends_at, created_at, id]`. */
  place: sql<string>`step.entry`,
};

/** As the answers have it; NULL of a digital coupon, which nobody holds. */
function heldPart({ accounts: isInDetail }: Shape): SQL<string | null> {
  const held = {
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
    ...(isInDetail && { coupon_id: customerCoupons.coupon_id, reserved: customerCoupons.reserved }),
  };
  return sql`iif(${customerCoupons.id} IS NULL, NULL, ${jsonOf(held)})`;
}

// NULL but in the first row of a coupon, which may have been issued a thousand times.

const STORED_COUPON = pick(
  coupons,
  "id",
  "campaign_id",
  "source_campaign_id",
  "coupon_barcode",
  "is_custom",
  "can_combine_with_other",
  "created_at",
);
/** What `coupon` of a row holds as JSON. */
export type StoredCoupon = Row<typeof STORED_COUPON>;

const COUPON = sql<string | null>`iif(${coupons.key} IS NULL, NULL, ${jsonOf(STORED_COUPON)})`;

const TEXTS = { text: coupons.text, filter_items: coupons.filter_items };

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
