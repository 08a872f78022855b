import { sql } from "drizzle-orm";
import { compileOnce, type PlaceholderOf } from "../../db/compile.ts";
import type { Database } from "../../db/database.ts";
import { pick, select } from "../../db/select.ts";
import { customerCoupons } from "../../records/customer-coupon.ts";
import { programState } from "../../records/program.ts";
import { USAGE_COUNT } from "../../records/redemption.ts";
import { couponChecks, heldCouponChecks, holdings, visibleCustomers } from "../../records/views.ts";
import { type CheckedFacts, type CheckName, checksOf, DIGITAL_CHECKS, HELD_CHECKS } from "../coupons/checks.ts";
import { checksOfHeld } from "../coupons/queries.ts";
import { isCovered, onlyRow } from "../queries.ts";

interface Asked {
  customerId: string;
  couponId: string;
  /** Those that the token covers: JSON, or null for all. */
  accounts: string | null;
}
type Placeholders = PlaceholderOf<keyof Asked>;

const HAS_CUSTOMER = sql<0 | 1>`${visibleCustomers.key} IS NOT NULL`;
const joinCustomer = (placeholder: Placeholders) =>
  sql`FROM ${programState} LEFT JOIN ${visibleCustomers} ON ${visibleCustomers.id} = ${placeholder("customerId")}`;

/** The conditions of a coupon that was issued. One round trip. */
export const explainHeld = async (db: Database, asked: Asked) =>
  explain(onlyRow(await db.all(selectHeld({ ...asked }))), ["belongs_to_customer", ...HELD_CHECKS]);

/** The conditions of a digital coupon. One round trip. */
export const explainDigital = async (db: Database, asked: Asked) =>
  explain(onlyRow(await db.all(selectDigital({ ...asked }))), DIGITAL_CHECKS);

/** What is there. `is_covered`: whether the token covers the coupon. */
interface Found {
  has_customer: 0 | 1;
  has_coupon: 0 | 1;
  is_covered: 0 | 1;
}

function explain<Name extends CheckName>(
  facts: Found & CheckedFacts & Readonly<Record<Name, number | null>>,
  names: readonly Name[],
) {
  const { has_customer, has_coupon, is_covered } = facts;
  return { has_customer, has_coupon, is_covered, checks: checksOf(names, facts) };
}

const selectHeld = compileOnce("till/explanations/held", (placeholder: Placeholders) =>
  select(
    {
      has_customer: HAS_CUSTOMER,
      has_coupon: sql<0 | 1>`${heldCouponChecks.id} IS NOT NULL`,
      is_covered: isCovered(heldCouponChecks.account_key, placeholder("accounts")),
      belongs_to_customer: sql<0 | 1>`${heldCouponChecks.customer_key} = ${visibleCustomers.key}`,
      ...pick(heldCouponChecks, "coupon_not_deleted", "account_not_deleted", "store_not_deleted"),
      ...pick(heldCouponChecks, "not_withdrawn", "not_used_up", "own_end_not_passed", "coupon_end_not_passed"),
      ...pick(heldCouponChecks, "own_ends_at", "coupon_ends_at"),
      total_count: customerCoupons.total_count,
      uses: USAGE_COUNT,
    },
    sql`${joinCustomer(placeholder)}
      LEFT JOIN ${customerCoupons} ON ${customerCoupons.id} = ${placeholder("couponId")}
      LEFT JOIN ${checksOfHeld(placeholder("couponId"))} ON true`,
  ),
);

const selectDigital = compileOnce("till/explanations/digital", (placeholder: Placeholders) =>
  select(
    {
      has_customer: HAS_CUSTOMER,
      has_coupon: sql<0 | 1>`${couponChecks.key} IS NOT NULL`,
      is_covered: isCovered(couponChecks.account_key, placeholder("accounts")),
      ...pick(couponChecks, "coupon_not_deleted", "account_not_deleted", "coupon_end_not_passed"),
      coupon_ends_at: couponChecks.ends_at,
      joined_a_store: sql<0 | 1>`coalesce(${holdings.joined_a_store}, 0)`,
    },
    sql`${joinCustomer(placeholder)}
      LEFT JOIN ${couponChecks} ON ${couponChecks.id} = ${placeholder("couponId")} AND ${couponChecks.kind} = 'digital'
      LEFT JOIN ${holdings} ON ${holdings.customer_key} = ${visibleCustomers.key}
        AND ${holdings.account_key} = ${couponChecks.account_key}`,
  ),
);
