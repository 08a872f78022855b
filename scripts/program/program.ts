import { accounts, campaigns, contests, coupons, employees, stores } from "./chains.ts";
import { blocks, customerCoupons, customers, friendships, memberships, registrations } from "./customers.ts";
import { balanceEntries, plays, tokenEarnings } from "./events.ts";
import type { Line } from "./line.ts";
import { messageGroups, messageStates, messages } from "./messages.ts";
import { DEMO, type Shape, type Size, shapeOf } from "./shape.ts";

// Each kind after those that it refers to.
const PARTS: readonly ((shape: Shape) => Iterable<Line>)[] = [
  accounts,
  stores,
  customers,
  campaigns,
  registrations,
  memberships,
  friendships,
  blocks,
  coupons,
  customerCoupons,
  messageGroups,
  messages,
  messageStates,
  employees,
  contests,
  balanceEntries,
  tokenEarnings,
  plays,
];

/** The lines of a program, in an order in which they can be fed in pieces: the same lines every time. */
export function* programLines(size: Size): Generator<Line> {
  const shape = shapeOf(size);
  for (const part of PARTS) yield* part(shape);
}

/** The customer whose token `npm start` prints. */
export const DEMO_CUSTOMER = "c1";

export function demoLines(): Line[] {
  return [...programLines(DEMO)];
}

/** The demo program's lines by kind. */
export function demoByKind(): (record: string) => readonly Line[] {
  const kinds = Map.groupBy(demoLines(), ({ record }) => record);
  return (record) => kinds.get(record) ?? [];
}
