import { employees, plays } from "./boards.ts";
import { accounts, campaigns, type DemoLine, stores } from "./chains.ts";
import { coupons, customerCoupons } from "./coupons.ts";
import { balanceEntries, customers, memberships, registrations, tokenEarnings } from "./customers.ts";

import { friendships, messageGroups, messageStates, messages } from "./messages.ts";

/** The customer whose token `npm start` prints. */
export const DEMO_CUSTOMER = "c1";

/** The demo program: every line of it, in an order in which it can be fed in pieces. */
export function demoLines(): DemoLine[] {
  return [
    ...accounts(),
    ...stores(),
    ...campaigns(),
    ...customers(),
    ...memberships(),
    ...registrations(),
    ...friendships(),
    ...messageGroups(),
    ...messageStates(),
    ...coupons(),
    ...customerCoupons(),
    ...employees(),
    ...plays(),
    ...tokenEarnings(),
    ...messages(),
    ...balanceEntries(),
  ];
}

/** The balance entry of the last line: where it is stored, the demo was loaded whole. */
export function lastEntryId(): string {
  return String(balanceEntries().at(-1)?.id);
}
