import { not, type SQL, sql } from "drizzle-orm";
import { unionAll } from "../../db/json-rows.ts";
import { NOW } from "../../db/select.ts";
import { customerKeyOf } from "../../records/customer.ts";
import { customerCoupons } from "../../records/customer-coupon.ts";
import { heldCouponChecks } from "../../records/views.ts";
import { accountOf, type Placeholders } from "./valid-coupons.ts";

/** At most this many are shown to a till (docs/contract/till.md, 2). */
const SHOWN = sql.raw("50");
/** Of each kind, and of those that are used up, have ended, or whose coupon has ended, this many are looked at: those with the latest end. */
const LOOKED_AT = sql.raw("500");

/** The coupons at the account of a till's store that the customer has used up, or that have ended; those with the latest end first. */
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
  const isOver = not(sql`(${checks.not_used_up} AND ${checks.own_end_not_passed} AND ${checks.coupon_end_not_passed})`);
  return sql`
    SELECT ${checks.kind} AS kind, ${checks.id} AS issued_id, ${checks.coupon_key} AS coupon_key,
      ${checks.account_key} AS account_key, ${checks.coupon_bytes} AS coupon_bytes,
      min(${checks.own_ends_at}, ${checks.coupon_ends_at}) AS ends_at, ${checks.created_at} AS created_at, ${checks.id} AS id
    FROM (${unionAll(walks)}) AS candidate CROSS JOIN ${checks} ON ${checks.id} = candidate.id
    WHERE ${checks.account_key} = (${accountOf(placeholder("tillStoreId"))}) AND ${isOver}
      AND ${checks.coupon_not_deleted} AND ${checks.account_not_deleted} AND ${checks.not_withdrawn}
    ORDER BY min(${checks.own_ends_at}, ${checks.coupon_ends_at}) DESC, ${checks.created_at} DESC, ${checks.id} LIMIT ${SHOWN}`;
}
