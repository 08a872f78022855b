import { accounts, campaigns, contests, coupons, employees, stores } from "./chains.ts";
import {
  blocks,
  customerCoupons,
  customers,
  friendships,
  memberships,
  redemptions,
  registrations,
} from "./customers.ts";
import { balanceEntries, plays, tokenEarnings } from "./events.ts";
import type { Line } from "./line.ts";
import { messageGroups, messageStates, messages } from "./messages.ts";
import { DEMO, type Size, shapeOf } from "./shape.ts";

// The generators of lines by kind. Each kind comes after the kinds that it refers to.
const PARTS = {
  account: accounts,
  store: stores,
  customer: customers,
  campaign: campaigns,
  registration: registrations,
  membership: memberships,
  friendship: friendships,
  block: blocks,
  coupon: coupons,
  customer_coupon: customerCoupons,
  message_group: messageGroups,
  message: messages,
  message_state: messageStates,
  employee: employees,
  eip_campaign: contests,
  balance_entry: balanceEntries,
  redemption: redemptions,
  token_earning: tokenEarnings,
  play: plays,
};

/** The lines of a program, the same ones every time, in an order in which they can be fed in several requests. */
export function* programLines(size: Size): Generator<Line> {
  const shape = shapeOf(size);
  for (const part of Object.values(PARTS)) yield* part(shape);
}

export type PartName = keyof typeof PARTS;
export const KINDS_IN_ORDER = Object.keys(PARTS) as PartName[];

export function linesOf(size: Size, record: PartName): Generator<Line> {
  return PARTS[record](shapeOf(size));
}

/** The customer whose token `npm start` prints. */
export const DEMO_CUSTOMER = "c1";

export function demoLines(): Line[] {
  return [...programLines(DEMO)];
}
