import { withTimeout } from "../values/timeout.ts";
import type { Notification } from "./inbox.ts";
import type { Inboxes } from "./inboxes.ts";
import type { Changes } from "./queries.ts";

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
    for (const customerId of customers) {
      const call = calls.get(customerId) ?? { customerId, kinds: [], newestAt: "", shownAt, isErased: false };
      calls.set(customerId, addTo(call, { kind, newestAt }));
    }
  }
  return [...calls.values()];
}

function addTo(call: Call, { kind, newestAt }: Pick<Changes["changes"][number], "kind" | "newestAt">): Call {
  if (kind === "erased") return { ...call, isErased: true };
  const kinds = call.kinds.includes(kind) ? call.kinds : [...call.kinds, kind];
  return { ...call, kinds, newestAt: newestAt > call.newestAt ? newestAt : call.newestAt };
}

/** Makes these calls for so many milliseconds, and resolves with the customers whose inbox answered. None is repeated. */
export async function makeCalls(inboxes: Inboxes, calls: readonly Call[], milliseconds: number): Promise<Set<string>> {
  const endsAt = performance.now() + milliseconds;
  const reached = new Set<string>();
  await atOnce(CALLS_AT_ONCE, calls, async ({ customerId, shownAt, ...about }) => {
    const left = endsAt - performance.now();
    if (left <= 0) return;
    const notification = { ...about, messageWaitMs: Math.max(0, shownAt - Date.now()) };
    // Whoever is not reached stays in the outbox.
    await withTimeout(Math.min(left, CALL_MS), inboxes.notify(customerId, notification)).then(
      () => reached.add(customerId),
      () => {},
    );
  });
  return reached;
}

/** Does this for each item, for so many at a time. */
export async function atOnce<Item>(count: number, items: readonly Item[], work: (item: Item) => Promise<void>) {
  const queue = items.values();
  const workOn = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: count }, workOn));
}
