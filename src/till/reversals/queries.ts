import { sql } from "drizzle-orm";
import { compileOnce, type PlaceholderOf } from "../../db/compile.ts";
import { columnNames, NOW } from "../../db/select.ts";
import { type Actor, isNew, isTakenBy } from "../../records/acts.ts";
import { programState } from "../../records/program.ts";
import { redemptions } from "../../records/redemption.ts";
import { stores } from "../../records/store.ts";
import { REVERSAL_CHECKS } from "../coupons/checks.ts";
import { type CouponFacts, takeVersionIf, withCouponFacts } from "../coupons/queries.ts";
import { fromStore } from "../queries.ts";
import { addToTotals, journalRedemption } from "../redemptions/queries.ts";
import type { ReversalBody } from "./schema.ts";

/** The statements that give a use back, for `act` (docs/contract/till.md, 2). `answer` has one row. */
export function reverse(asked: ReversalBody & { accounts: string | null }, { act, ...actor }: { act: string } & Actor) {
  const { id } = asked;
  const values = { ...asked, act };
  return {
    begun: [begin(values)],
    stored: [store(values)],
    added: addToTotals({ act, id }),
    changes: [journalRedemption({ act, ...actor, id })],
    answer: [selectAnswer(values)],
  };
}

export type ReversalFacts = CouponFacts & {
  redemption_not_a_reversal: 0 | 1;
  not_reversed: 0 | 1;
  has_redemption: 0 | 1;
  is_new: 0 | 1;
};

type Placeholders = PlaceholderOf<"act" | "accounts" | keyof ReversalBody>;

function withFacts(placeholder: Placeholders) {
  const facts = {
    has_redemption: sql`reversed.id IS NOT NULL`,
    redemption_not_a_reversal: sql`reversed.reverses IS NULL`,
    not_reversed: sql`NOT EXISTS (SELECT 1 FROM ${redemptions} AS other WHERE other.reverses = reversed.id)`,
  };
  const couponId = sql`(
    SELECT ${redemptions.customer_coupon_key} FROM ${redemptions} WHERE ${redemptions.id} = ${placeholder("redemption_id")}
  )`;
  return withCouponFacts(placeholder, couponId, facts, joinReversed(placeholder));
}

const joinReversed = (placeholder: PlaceholderOf<"redemption_id">) =>
  sql`LEFT JOIN ${redemptions} AS reversed ON reversed.id = ${placeholder("redemption_id")}`;

const begin = compileOnce("till/reversals/begin", (placeholder: Placeholders) =>
  takeVersionIf(placeholder, withFacts(placeholder), [
    "is_covered AND stored_id IS NULL AND hold_id IS NULL",
    "has_store AND has_redemption",
    ...REVERSAL_CHECKS,
  ]),
);

const { id, customer_coupon_key, store_key, redeemed_at, reverses, request } = redemptions;

const store = compileOnce(
  "till/reversals/store",
  (placeholder: Placeholders) => sql`
    INSERT INTO ${redemptions} (${columnNames(id, customer_coupon_key, store_key, redeemed_at, reverses, request)})
    SELECT ${placeholder("id")}, reversed.customer_coupon_key, ${stores.key}, ${NOW}, reversed.id, ${programState.version}
    ${fromStore(placeholder)} ${joinReversed(placeholder)}
    WHERE ${isTakenBy(placeholder)}`,
);

const selectAnswer = compileOnce(
  "till/reversals/answer",
  (placeholder: Placeholders) =>
    sql<ReversalFacts>`${withFacts(placeholder)} SELECT asked.*, ${isNew(placeholder("act"))} AS is_new FROM asked`,
);
