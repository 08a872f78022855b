import { not, type SQL, sql } from "drizzle-orm";
import { unionAll } from "../../db/json-rows.ts";
import { NOW } from "../../db/select.ts";
import { customerKeyOf } from "../../records/customer.ts";
import { customerCoupons } from "../../records/customer-coupon.ts";
import { redemptions } from "../../records/redemption.ts";
import { heldCouponChecks } from "../../records/views.ts";
import { accountOf, type Placeholders } from "./valid-coupons.ts";

/** At most this many are shown to a till (docs/contract/till.md, 2). */
const SHOWN = sql.raw("50");
/** Of each kind, and of those that are used up, have ended, or whose coupon has ended, this many are looked at: those with the latest end. */
const LOOKED_AT = sql.raw("500");

const { customer_coupon_key, redeemed_at, reverses } = redemptions;

/** The coupons at the account of a till's store that have ended or that the customer has used up: those that did so last first. */
export function selectEndedCoupons(placeholder: Placeholders): SQL {
  const { id, usable, kind, ends_at } = customerCoupons;
  const customerKey = customerKeyOf(placeholder("customerId"));
  // Walks of the index customer_coupons_usable, each from the latest end.
  const walk = (ofKind: string, which: SQL) => sql`SELECT * FROM (
    SELECT ${id} AS id FROM ${customerCoupons}
    WHERE ${customerCoupons.customer_key} = ${customerKey} AND ${kind} = ${sql.raw(`'${ofKind}'`)} AND ${which}
    ORDER BY ${ends_at} DESC LIMIT ${LOOKED_AT}
  )`;
  const walks = ["store", "mfg"].flatMap((ofKind) => [
    walk(ofKind, sql`${usable} = 0`),
    walk(ofKind, sql`${usable} = 1 AND ${ends_at} < ${NOW}`),
    walk(ofKind, sql`${usable} = 1 AND ${ends_at} >= ${NOW}`),
  ]);
  const checks = heldCouponChecks;
  const endsAt = sql`min(${checks.own_ends_at}, ${checks.coupon_ends_at})`;
  // A use that was fed in `usage_count` has no time of its own.
  const usedAt = sql`coalesce(
    (SELECT max(${redeemed_at}) FROM ${redemptions} WHERE ${customer_coupon_key} = ${checks.id} AND ${reverses} IS NULL),
    ${customerCoupons.updated_at}, ${customerCoupons.created_at}
  )`;
  const overAt = sql`max(iif(${endsAt} < ${NOW}, ${endsAt}, ''), iif(${checks.not_used_up}, '', ${usedAt}))`;
  const isOver = not(sql`(${checks.not_used_up} AND ${checks.own_end_not_passed} AND ${checks.coupon_end_not_passed})`);
  return sql`
    SELECT ${checks.kind} AS kind, ${checks.id} AS issued_id, ${checks.coupon_key} AS coupon_key,
      ${checks.account_key} AS account_key, ${checks.coupon_bytes} AS coupon_bytes,
      ${endsAt} AS ends_at, ${checks.created_at} AS created_at, ${checks.id} AS id
    FROM (${unionAll(walks)}) AS candidate CROSS JOIN ${checks} ON ${checks.id} = candidate.id
    CROSS JOIN ${customerCoupons} ON ${customerCoupons.id} = candidate.id
    WHERE ${checks.account_key} = (${accountOf(placeholder("tillStoreId"))}) AND ${isOver}
      AND ${checks.coupon_not_deleted} AND ${checks.account_not_deleted} AND ${checks.not_withdrawn}
    ORDER BY ${overAt} DESC, ${checks.created_at} DESC, ${checks.id} LIMIT ${SHOWN}`;
}
