import { sql } from "drizzle-orm";
import { compileOnce, type PlaceholderOf } from "../../db/compile.ts";
import { columnNames, jsonOf, NOW } from "../../db/select.ts";
import { type Actor, isNew, isTakenBy, journalAct, upkeepOfActs } from "../../records/acts.ts";
import { programState } from "../../records/program.ts";
import { redemption, redemptions } from "../../records/redemption.ts";
import { stores } from "../../records/store.ts";
import { REDEMPTION_CHECKS } from "../coupons/checks.ts";
import { type CouponFacts, takeVersionIf, withCouponFacts } from "../coupons/queries.ts";
import { fromStore, hasHappened } from "../queries.ts";
import type { RedemptionBody } from "./schema.ts";

/** The statements that redeem a coupon, for `act` (docs/contract/till.md, 2). `answer` has one row. */
export function redeem(
  asked: RedemptionBody & { accounts: string | null },
  { act, ...actor }: { act: string } & Actor,
) {
  const { id, redeemed_at = null } = asked;
  const values = { ...asked, redeemed_at, act };
  return {
    begun: [begin(values)],
    stored: [store(values)],
    added: addToTotals({ act, id }),
    changes: [journalRedemption({ act, ...actor, id })],
    answer: [selectAnswer(values)],
  };
}

export type RedemptionFacts = CouponFacts & { has_happened: 0 | 1; is_new: 0 | 1 };

type Placeholders = PlaceholderOf<"act" | "accounts" | keyof RedemptionBody>;

const timeOf = (placeholder: Placeholders) => sql`coalesce(${placeholder("redeemed_at")}, ${NOW})`;

const withFacts = (placeholder: Placeholders) =>
  withCouponFacts(placeholder, placeholder("customer_coupon_id"), { has_happened: hasHappened(timeOf(placeholder)) });

const begin = compileOnce("till/redemptions/begin", (placeholder: Placeholders) =>
  takeVersionIf(placeholder, withFacts(placeholder), [
    "is_covered",
    // The id is free, or of a hold of this coupon.
    "stored_id IS NULL AND coalesce(hold_coupon, coupon) = coupon",
    "has_store AND coupon IS NOT NULL AND has_happened",
    ...REDEMPTION_CHECKS,
  ]),
);

const { id, customer_coupon_key, store_key, redeemed_at, reverses, request } = redemptions;

const store = compileOnce(
  "till/redemptions/store",
  (placeholder: Placeholders) => sql`
    INSERT INTO ${redemptions} (${columnNames(id, customer_coupon_key, store_key, redeemed_at, request)})
    SELECT ${placeholder("id")}, ${placeholder("customer_coupon_id")}, ${stores.key}, ${timeOf(placeholder)}, ${programState.version}
    ${fromStore(placeholder)} WHERE ${isTakenBy(placeholder)}`,
);

/** Also of reversals. */
export const addToTotals = upkeepOfActs(redemption);

/** Writes the redemption or reversal of this act into the journal. */
export const journalRedemption = compileOnce(
  "till/redemptions/journal",
  (placeholder: PlaceholderOf<"act" | keyof Actor | "id">) => {
    const line = jsonOf({
      record: sql`'redemption'`,
      id,
      customer_coupon_id: customer_coupon_key,
      store_id: sql`(SELECT ${stores.id} FROM ${stores} WHERE ${stores.key} = ${store_key})`,
      redeemed_at,
      reverses,
    });
    return journalAct(placeholder, line, sql`CROSS JOIN ${redemptions} ON ${id} = ${placeholder("id")}`);
  },
);

const selectAnswer = compileOnce(
  "till/redemptions/answer",
  (placeholder: Placeholders) =>
    sql<RedemptionFacts>`${withFacts(placeholder)} SELECT asked.*, ${isNew(placeholder("act"))} AS is_new FROM asked`,
);
