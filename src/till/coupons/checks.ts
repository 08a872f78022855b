import type { Check } from "../../http/answer-schema.ts";

// The conditions of a coupon (docs/contract/till.md, 4). Each is a column of the views `held_coupon_checks` and `coupon_checks`
// (migrations/0011_coupons.sql), of which lists ask that all hold. So they have one definition: here are their order and words.

/** What the details of checks show. */
export interface CheckedFacts {
  total_count?: number;
  /** How often the coupon was used. */
  uses?: number;
  /** How many uses tills hold. */
  holds?: number;
  own_ends_at?: string;
  coupon_ends_at?: string;
}

/** The conditions that hide a coupon that a customer holds, in the order in which an explanation shows them. */
export const HELD_CHECKS = [
  "coupon_not_deleted",
  "account_not_deleted",
  "store_not_deleted",
  "not_withdrawn",
  "not_used_up",
  "own_end_not_passed",
  "coupon_end_not_passed",
] as const;

/** Those that hide a digital coupon. */
export const DIGITAL_CHECKS = [
  "coupon_not_deleted",
  "account_not_deleted",
  "coupon_end_not_passed",
  "joined_a_store",
] as const;

/** Those that a redemption or a hold needs. */
export const REDEMPTION_CHECKS = [...HELD_CHECKS, "a_use_is_free", "store_of_the_account"] as const;

export const REVERSAL_CHECKS = ["store_of_the_account", "redemption_not_a_reversal", "not_reversed"] as const;

const whether = (ifHolds: string, otherwise: string) => (_: CheckedFacts, holds: boolean) =>
  holds ? ifHolds : otherwise;
const endAt = (what: string, end: "own_ends_at" | "coupon_ends_at") => (facts: CheckedFacts) =>
  facts[end] === "never" ? `${what} has no end` : `${what} ends at ${facts[end]}`;
const uses = ({ uses: used, total_count }: CheckedFacts) => `${used} of ${total_count} uses`;

const DETAILS = {
  belongs_to_customer: whether("the customer holds it", "another customer holds it"),
  coupon_not_deleted: whether("the coupon is there", "the coupon was deleted"),
  account_not_deleted: whether("the account is there", "the account was deleted"),
  store_not_deleted: whether("the store where it was issued is there", "the store where it was issued was deleted"),
  not_withdrawn: whether("it is there", "it was withdrawn"),
  not_used_up: uses,
  own_end_not_passed: endAt("the customer's coupon", "own_ends_at"),
  coupon_end_not_passed: endAt("the coupon", "coupon_ends_at"),
  joined_a_store: whether(
    "the customer has joined a store of the account",
    "the customer has joined no store of the account",
  ),
  a_use_is_free: (facts: CheckedFacts) => `${uses(facts)}, and ${facts.holds} held`,
  store_of_the_account: whether("the store is of the coupon's account", "the store is of another account"),
  redemption_not_a_reversal: whether("it used the coupon", "it is itself a reversal"),
  not_reversed: whether("it was not reversed", "it was reversed already"),
} satisfies Record<string, (facts: CheckedFacts, holds: boolean) => string>;

export type CheckName = keyof typeof DETAILS;

/** The checks with these names. */
export function checksOf<Name extends CheckName>(
  names: readonly Name[],
  facts: CheckedFacts & Readonly<Record<Name, number | null>>,
): Check[] {
  return names.map((check) => {
    const holds = facts[check] === 1;
    return { check, holds, detail: DETAILS[check](facts, holds) };
  });
}
