import { type SQL, sql } from "drizzle-orm";
import { couponAccount } from "../../accounts/queries.ts";
import type { Database } from "../../db/database.ts";
import { limitTo } from "../../db/limit.ts";
import { accounts, coupons, customerCoupons, memberships, stores } from "../../db/tables.ts";
import type { Page } from "../../http/paging.ts";
import { fold } from "../../values/fold.ts";
import type { CouponKind } from "./kinds.ts";
import type { CouponRow } from "./records.ts";

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
}

/** The page of a list that is not cut: SQLite takes a negative limit for none. */
export const WHOLE_LIST: Page = { offset: 0, limit: -1 };

const NOW = sql`(SELECT now FROM clock)`;
// By name, store, mfg and digital are in their order backwards.
const ORDER = sql`page.kind DESC, page.ends_at, page.created_at DESC, page.id`;

/**
 * The coupons that are valid for the customer now: store, then mfg, then digital, each list in its order (decisions.md,
 * section 4). The first coupon of an account brings the account object. One round trip, none where no kind is left.
 */
export async function findCoupons(db: Database, query: CouponsQuery): Promise<CouponRow[]> {
  const { customerId, filter, page } = query;
  const sources = [
    ...(filter.kinds.some((kind) => kind !== "digital") ? [issuedCoupons(customerId, filter)] : []),
    ...(filter.kinds.includes("digital") ? [digitalCoupons(customerId, filter)] : []),
  ];
  if (sources.length === 0) return [];
  return db.all<CouponRow>(sql`
    SELECT
      page.kind, page.id, page.created_at,
      issued.customer_id, issued.coupon_id, issued.expected_end_date, issued.creation_method, issued.reserved,
      issued.updated_at, issued.deleted_at, issued.total_count, issued.usage_count,
      issued.total_count - issued.usage_count AS remaining_count,
      stores.name AS store_name, stores.store_image,
      coupons.id AS campaign_coupon_id, coupons.account_id, coalesce(coupons.campaign_id, '') AS campaign_id,
      coupons.source_campaign_id, coupons.name, coupons.type, coupons.value, coupons.header_lines, coupons.text_lines,
      coupons.can_expire, coupons.expiration_type, coupons.expiration_date, coupons.expiration, coupons.once_per_sale,
      coupons.filter_items, coupons.coupon_barcode, coupons.is_custom, coupons.can_combine_with_other,
      coupons.created_at AS campaign_coupon_created,
      ${accountOfFirst(query.accounts)} AS account
    FROM (
      SELECT * FROM (${sql.join(sources, sql` UNION ALL `)}) AS page
      ORDER BY ${ORDER} ${limitTo(page.limit)} OFFSET ${page.offset}
    ) AS page
    CROSS JOIN ${coupons} ON coupons.key = page.coupon_key
    LEFT JOIN ${customerCoupons} AS issued ON issued.id = page.issued_id
    LEFT JOIN ${stores} ON stores.id = issued.store_id
    ORDER BY ${ORDER}`);
}

/** The coupons of kind store and mfg that the customer holds: `usable` is what is neither deleted nor used up. */
function issuedCoupons(customerId: string, filter: CouponsFilter): SQL {
  const { storeIds = [] } = filter;
  const atStores = storeIds.length === 0 ? sql`` : sql`AND issued.store_id IN ${idsIn(storeIds)}`;
  return sql`
    SELECT
      coupons.kind, min(issued.ends_at, coupons.ends_at) AS ends_at, issued.created_at, issued.id AS id,
      issued.id AS issued_id, coupons.key AS coupon_key
    FROM ${customerCoupons} AS issued
    CROSS JOIN ${coupons} ON coupons.id = issued.campaign_coupon_id
    CROSS JOIN ${stores} ON stores.id = issued.store_id
    CROSS JOIN ${accounts} ON accounts.id = coupons.account_id
    WHERE issued.customer_id = ${customerId} AND issued.usable = 1 AND ${notOver(sql`issued.ends_at`)}
      AND coupons.kind IN ${filter.kinds} AND stores.set_aside = 0 ${atStores} AND ${matches(filter)}`;
}

/** The digital coupons of the accounts at one of whose stores the customer is a member. */
function digitalCoupons(customerId: string, filter: CouponsFilter): SQL {
  const { storeIds = [] } = filter;
  const owners = sql`(SELECT account_id FROM ${stores} WHERE id IN ${idsIn(storeIds)} AND set_aside = 0)`;
  const ofStores = storeIds.length === 0 ? sql`` : sql`AND accounts.id IN ${owners}`;
  return sql`
    SELECT
      coupons.kind, coupons.ends_at, coupons.created_at, coupons.id AS id,
      NULL AS issued_id, coupons.key AS coupon_key
    FROM (
      SELECT DISTINCT stores.account_id
      FROM ${memberships} CROSS JOIN ${stores} ON stores.id = memberships.store_id
      WHERE memberships.customer_id = ${customerId} AND memberships.joined = 1 AND stores.set_aside = 0
    ) AS joined
    CROSS JOIN ${accounts} ON accounts.id = joined.account_id
    CROSS JOIN ${coupons} ON coupons.account_id = accounts.id AND coupons.kind = 'digital'
    WHERE ${matches(filter)} ${ofStores}`;
}

/** What must hold of a coupon and its account, whatever its kind. */
function matches({ search, type, accountId }: CouponsFilter): SQL {
  const conditions = [notOver(sql`coupons.ends_at`), sql`coupons.set_aside = 0`, sql`accounts.set_aside = 0`];
  if (accountId !== undefined) conditions.push(sql`accounts.id = ${accountId}`);
  if (type !== undefined) conditions.push(sql`coupons.folded_type = ${fold(type)}`);
  if (search !== undefined) {
    // Not LIKE: D1 takes patterns of at most 50 bytes.
    const needle = fold(search);
    conditions.push(sql`(instr(coupons.folded_text, ${needle}) > 0 OR instr(accounts.folded_names, ${needle}) > 0)`);
  }
  return sql.join(conditions, sql` AND `);
}

/** An end's own second is the last that is valid. */
function notOver(end: SQL): SQL {
  return sql`${end} >= ${NOW}`;
}

function idsIn(ids: readonly string[]): SQL {
  return sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
}

/** The account object beside the first coupon of each account, so that it travels once however many there are. */
function accountOfFirst(wanted: CouponsQuery["accounts"]): SQL {
  if (wanted === false) return sql`NULL`;
  return sql`iif(
    row_number() OVER (PARTITION BY coupons.account_id ORDER BY ${ORDER}) = 1,
    (SELECT ${couponAccount(wanted)} FROM ${accounts} WHERE accounts.id = coupons.account_id), NULL
  )`;
}
