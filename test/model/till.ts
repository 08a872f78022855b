import { entryOf, redeemed } from "./coupons.ts";
import type { Row } from "./kinds.ts";
import type { State } from "./state.ts";
import { addSeconds } from "./time.ts";

// What a till is told of the coupons that customers hold (docs/contract/till.md, 3 and 4).

/** A hold of a till, by its id. */
export type Holds = ReadonlyMap<string, { customer_coupon_id: string; held_until: string }>;

/** How many uses of the coupon are held at the second `now`. */
export function liveHolds(holds: Holds, id: unknown, now: string): number {
  return [...holds.values()].filter((hold) => hold.customer_coupon_id === id && hold.held_until >= now).length;
}

/** The conditions of a customer's coupon, each with whether it holds. */
function conditionsOf(state: State, issued: Row, now: string): Record<string, boolean> {
  const coupon = state.find("coupon", issued.campaign_coupon_id) ?? {};
  const { issued: own, coupon: offer } = entryOf(coupon, issued);
  const isOver = (end: string | null) => end !== null && end < now;
  return {
    coupon_not_deleted: !coupon.deleted,
    account_not_deleted: !state.find("account", coupon.account_id)?.deleted,
    store_not_deleted: !state.find("store", issued.store_id)?.deleted,
    not_withdrawn: !issued.deleted && issued.deleted_at === null,
    not_used_up: issued.usage_count + redeemed(state, issued.id) < issued.total_count,
    own_end_not_passed: !isOver(own.expected_end_date),
    coupon_end_not_passed: coupon.can_expire !== 1 || !isOver(offer.expiration_date),
  };
}

/** The names of the conditions that do not hold, in an explanation for the coupon's own customer. */
export function explain(state: State, id: string, now: string): string[] {
  const issued = state.find("customer_coupon", id) ?? {};
  return failed(conditionsOf(state, issued, now));
}

/** What hinders a redemption or a hold with this id at a store of the coupon's account. */
export function hindrances(state: State, holds: Holds, act: { id: string; coupon: string }, now: string): string[] {
  const issued = state.find("customer_coupon", act.coupon) ?? {};
  const left =
    issued.total_count - issued.usage_count - redeemed(state, act.coupon) - liveHolds(holds, act.coupon, now);
  const own = holds.get(act.id);
  const isHeld = own !== undefined && own.customer_coupon_id === act.coupon && own.held_until >= now;
  return failed({ ...conditionsOf(state, issued, now), a_use_is_free: isHeld || left > 0 });
}

/** The last second of a hold that begins now. */
export function heldUntil(state: State, coupon: string, seconds: number, now: string): string {
  const issued = state.find("customer_coupon", coupon) ?? {};
  const { end } = entryOf(state.find("coupon", issued.campaign_coupon_id) ?? {}, issued);
  return [addSeconds(now, seconds), end].sort()[0];
}

const failed = (conditions: Record<string, boolean>) =>
  Object.entries(conditions).flatMap(([name, holds]) => (holds ? [] : [name]));
