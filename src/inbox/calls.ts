import { TimedOut, withTimeout } from "../values/timeout.ts";
import type { Notification } from "./inbox.ts";
import type { Inboxes } from "./inboxes.ts";
import type { Changes } from "./outbox/queries.ts";

/** What a customer's inbox is notified of. */
export interface Call extends Omit<Notification, "messageWaitMs"> {
  customerId: string;
  /** When its messages are shown, in milliseconds since 1970: a call may wait for others. */
  shownAt: number;
}

// Of the six connections of an invocation, one is left for D1: a call beyond them would be queued, or cancelled.
export const CALLS_AT_ONCE = 5;
// So that inboxes that hang do not take the time of the others.
const CALL_MS = 2_000;

/** One call for each customer. */
export function toCalls({ changes, shownAt }: Changes): Call[] {
  const calls = new Map<string, Call>();
  for (const { kind, customers, newestAt } of changes) {
    const about = { kinds: kind === "erased" ? [] : [kind], newestAt, shownAt, isErased: kind === "erased" };
    for (const customerId of customers) calls.set(customerId, merge(calls.get(customerId), { customerId, ...about }));
  }
  return [...calls.values()];
}

/** One call that says what both say. */
export function merge(before: Call | undefined, call: Call): Call {
  if (before === undefined) return call;
  return {
    ...call,
    kinds: [...new Set([...before.kinds, ...call.kinds])],
    newestAt: before.newestAt > call.newestAt ? before.newestAt : call.newestAt,
    isErased: before.isErased || call.isErased,
  };
}

/** Whose inbox answered, and whether the platform said that no more objects must be called now. */
export interface Outcome {
  reached: Set<string>;
  isOverloaded: boolean;
}

/** Makes these calls for so many milliseconds. None is repeated: whoever is not reached stays in the outbox. */
export function makeCalls(inboxes: Inboxes, calls: readonly Call[], milliseconds: number): Promise<Outcome> {
  const limits = { milliseconds, callMs: CALL_MS, failure: "INBOXES_UNREACHED" };
  return callEach(inboxes.underWay, calls, limits, async ({ customerId, shownAt, ...about }) => {
    await inboxes.notify(customerId, { ...about, messageWaitMs: Math.max(0, shownAt - Date.now()) });
    return { reached: new Set([customerId]), isOverloaded: false };
  });
}

/** Calls an object for each item, and logs how many did not answer. */
export async function callEach<Item>(
  underWay: Set<Promise<void>>,
  items: readonly Item[],
  { milliseconds, callMs, failure }: { milliseconds: number; callMs: number; failure: string },
  call: (item: Item) => Promise<Outcome>,
): Promise<Outcome> {
  const endsAt = performance.now() + milliseconds;
  const left = () => endsAt - performance.now();
  const outcome: Outcome = { reached: new Set(), isOverloaded: false };
  let [answered, cause] = [0, ""];
  const take = ({ reached, isOverloaded }: Outcome) => {
    answered += 1;
    for (const customerId of reached) outcome.reached.add(customerId);
    outcome.isOverloaded ||= isOverloaded;
  };
  const fail = (error: unknown) => {
    cause ||= error instanceof Error ? error.name : "";
    outcome.isOverloaded ||= error instanceof Error && "overloaded" in error && error.overloaded === true;
  };
  const waiting: Promise<void>[] = [];
  for (const item of items) {
    // A call of which nobody waits for the answer any longer still has its connection.
    while (underWay.size >= CALLS_AT_ONCE && left() > 0) await withTimeout(left(), Promise.race(underWay)).catch(fail);
    if (left() <= 0 || outcome.isOverloaded) break;
    const work = call(item)
      .then(take, fail)
      .finally(() => underWay.delete(work));
    underWay.add(work);
    waiting.push(withTimeout(Math.min(left(), callMs), work).catch(fail));
  }
  await Promise.all(waiting);
  const count = items.length - answered;
  if (count > 0) console.error(JSON.stringify({ error: failure, count, cause: cause || TimedOut.name }));
  return outcome;
}
