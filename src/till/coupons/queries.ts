import { and, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { PlaceholderOf } from "../../db/compile.ts";
import type { Selection } from "../../db/query.ts";
import { pick, type SelectedRow, selectList } from "../../db/select.ts";
import { tillHolds } from "../../db/tables.ts";
import { takeVersion } from "../../records/acts.ts";
import { customerCoupons } from "../../records/customer-coupon.ts";
import { programState } from "../../records/program.ts";
import { redemptions, remainingCount, USAGE_COUNT } from "../../records/redemption.ts";
import { stores } from "../../records/store.ts";
import { heldCouponChecks, liveHolds, visibleStores } from "../../records/views.ts";
import { isCovered } from "../queries.ts";

// What the database knows of a coupon at a till, for holds, redemptions and reversals. Each reads it three times in its
// transaction: to take a version, to store, and to answer.

type Placeholders = PlaceholderOf<"id" | "store_id" | "accounts">;

const idOfStore = (key: SQL) => sql<string>`(SELECT named.id FROM ${stores} AS named WHERE named.key = ${key})`;
const accountOfStore = (key: SQL) => sql`(SELECT named.account_key FROM ${stores} AS named WHERE named.key = ${key})`;

/** The facts. Those of a record that is not stored are NULL. */
export function couponFacts(placeholder: Placeholders) {
  const covered = (accountKey: SQL) => isCovered(accountKey, placeholder("accounts"));
  const remaining = remainingCount(sql`held.holds`);
  const ownHold = sql`EXISTS (SELECT 1 FROM ${liveHolds}
    WHERE ${liveHolds.id} = ${placeholder("id")} AND ${liveHolds.customer_coupon_key} = ${customerCoupons.id})`;
  return {
    is_covered: sql<0 | 1>`(${stores.key} IS NULL OR ${covered(sql`${stores.account_key}`)})
      AND (${heldCouponChecks.id} IS NULL OR ${covered(sql`${heldCouponChecks.account_key}`)})`,
    has_store: sql<0 | 1>`${visibleStores.key} IS NOT NULL`,
    store_key: stores.key,
    coupon: sql<string | null>`${heldCouponChecks.id}`,
    ...pick(heldCouponChecks, "coupon_not_deleted", "account_not_deleted", "store_not_deleted"),
    ...pick(heldCouponChecks, "not_withdrawn", "not_used_up", "own_end_not_passed", "coupon_end_not_passed"),
    ...pick(heldCouponChecks, "own_ends_at", "coupon_ends_at"),
    // The hold of the same id protects its redemption.
    a_use_is_free: sql<0 | 1>`${ownHold} OR ${remaining} > 0`,
    store_of_the_account: sql<0 | 1>`${heldCouponChecks.account_key} = ${stores.account_key}`,
    total_count: customerCoupons.total_count,
    uses: USAGE_COUNT,
    holds: sql<number>`held.holds`,
    remaining_count: remaining,
    // The redemption or reversal with this id.
    stored_id: sql<string | null>`${redemptions.id}`,
    stored_coupon: sql<string>`${redemptions.customer_coupon_key}`,
    stored_store: idOfStore(sql`${redemptions.store_key}`),
    redeemed_at: redemptions.redeemed_at,
    reverses: sql<string | null>`${redemptions.reverses}`,
    // The hold with this id.
    hold_id: sql<string | null>`${tillHolds.id}`,
    hold_coupon: sql<string | null>`${tillHolds.customer_coupon_key}`,
    hold_store: idOfStore(sql`${tillHolds.store_key}`),
    held_until: tillHolds.held_until,
    is_stored_covered: covered(accountOfStore(sql`${redemptions.store_key}`)),
    is_hold_covered: covered(accountOfStore(sql`${tillHolds.store_key}`)),
  };
}
export type CouponFacts = SelectedRow<ReturnType<typeof couponFacts>>;

/**
 * For a `WITH` clause: `asked`, one row with the facts.
 * @param couponId the id of the coupon; no expression on a table of the statement.
 * @param more other facts, and joins that they need.
 */
export function withCouponFacts(
  placeholder: Placeholders,
  couponId: SQL | Placeholder,
  more: Selection = {},
  joins = sql``,
): SQL {
  return sql`WITH asked AS (
    SELECT ${selectList({ ...couponFacts(placeholder), ...more })} FROM ${programState}
    LEFT JOIN ${stores} ON ${stores.id} = ${placeholder("store_id")}
    LEFT JOIN ${visibleStores} ON ${visibleStores.key} = ${stores.key}
    ${joins}
    LEFT JOIN ${customerCoupons} ON ${customerCoupons.id} = ${couponId}
    LEFT JOIN ${checksOfHeld(couponId)} ON true
    CROSS JOIN (SELECT count(*) AS holds FROM ${liveHolds} WHERE ${liveHolds.customer_coupon_key} = ${couponId}) AS held
    LEFT JOIN ${redemptions} ON ${redemptions.id} = ${placeholder("id")}
    LEFT JOIN ${tillHolds} ON ${tillHolds.id} = ${placeholder("id")}
  )`;
}

/** The conditions of one coupon, for a join: SQLite would compute a joined view for all coupons. */
export const checksOfHeld = (couponId: SQL | Placeholder) =>
  sql`(SELECT * FROM ${heldCouponChecks} WHERE ${heldCouponChecks.id} = ${couponId}) AS ${heldCouponChecks}`;

/** Takes the next version if all these conditions on `asked` hold. */
export function takeVersionIf(placeholder: PlaceholderOf<"act">, tables: SQL, conditions: readonly string[]): SQL {
  const all = and(...conditions.map((condition) => sql.raw(condition)));
  return takeVersion(placeholder("act"), sql`EXISTS (SELECT 1 FROM asked WHERE ${all})`, tables);
}
