import { customerCoupons, messageGroups, messageStates, messages } from "./belongings.ts";
import { accounts, campaigns, coupons, eipCampaigns, employees, registrations, stores } from "./chains.ts";
import { balanceEntries, plays, tokenEarnings } from "./events.ts";
import { blocks, customers, friendships, memberships } from "./people.ts";
import { shapeOf } from "./shape.ts";

/** A line of the feed, before it is JSON text. */
export type ProgramLine = Readonly<Record<string, unknown>> & { record: string };

/** The lines of a program with so many customers, each kind after those that it refers to: the same lines every time. */
export function* programLines(customerCount: number): Generator<ProgramLine> {
  const shape = shapeOf(customerCount);
  yield* accounts(shape);
  yield* stores(shape);
  yield* customers(shape);
  yield* campaigns(shape);
  yield* registrations(shape);
  yield* memberships(shape);
  yield* friendships(shape);
  yield* blocks(shape);
  yield* coupons(shape);
  yield* customerCoupons(shape);
  yield* messageGroups(shape);
  yield* messages(shape);
  yield* messageStates(shape);
  yield* employees(shape);
  yield* eipCampaigns(shape);
  yield* balanceEntries(shape);
  yield* tokenEarnings(shape);
  yield* plays(shape);
}
