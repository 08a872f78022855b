import { CHANGE_KINDS, type ChangeKind, type Subscription } from "./protocol.ts";

/** What an inbox remembers. It is stored, because an idle object loses its memory. */
export interface InboxState {
  subscription: Subscription | null;
  /** The latest message of which it was notified, and when the last notification came. */
  notified: { newestAt: string; at: number } | null;
  /** When the last message is shown of which it was notified: a socket that opens before is sent a frame then. */
  shownAt: number;
}

export const EMPTY_INBOX: InboxState = { subscription: null, notified: null, shownAt: 0 };

const HOUR_MS = 3_600_000;
const SUBSCRIBED_MS = HOUR_MS;
/**
 * How long a notification is remembered. A subscription that read the primary before the message may arrive after its
 * notification, and ends within the hour. Then the time is forgotten, because the database may have been set back.
 */
const REMEMBER_MS = 2 * HOUR_MS;
/** An inbox is deleted this long after its last subscription has ended. */
const DELETE_AFTER_MS = 7 * 24 * HOUR_MS;

export function isSubscribed({ subscription }: InboxState, now: number): boolean {
  return subscription !== null && now < endOf(subscription);
}

export function endOf({ at }: Subscription): number {
  return at + SUBSCRIBED_MS;
}

/** Whether no group has a message later than this time: the answer of an inbox, if it can be sure. */
export function nothingNew(state: InboxState, checkTime: string, now: number): boolean {
  const newestAt = state.subscription?.newestAt ?? "";
  return isSubscribed(state, now) && newestAt <= checkTime && notifiedOf(state, now) <= checkTime;
}

/** After a subscription. Of two, the one that asked the primary later counts, whichever arrives later. */
export function afterSubscription(state: InboxState, { newestAt, at }: Subscription, now: number): InboxState {
  // A clock that is ahead is no reason to be subscribed for longer.
  const subscription = { newestAt, at: Math.min(at, now) };
  const isOlder = state.subscription !== null && state.subscription.at >= subscription.at;
  return isOlder ? state : { ...state, subscription };
}

/** After a notification, which may come late, or a second time. One that is about no message changes nothing. */
export function afterNotification(
  state: InboxState,
  { newestAt, shownAt }: { newestAt: string; shownAt: number },
  now: number,
): InboxState {
  if (newestAt === "") return state;
  const known = notifiedOf(state, now);
  const notified = { newestAt: newestAt > known ? newestAt : known, at: now };
  return { ...state, notified, shownAt: Math.max(state.shownAt, shownAt) };
}

/** When the inbox can be deleted; null: it remembers nothing. */
export function deletableAt({ subscription, notified }: InboxState): number | null {
  if (subscription === null && notified === null) return null;
  return Math.max(
    subscription === null ? 0 : endOf(subscription) + DELETE_AFTER_MS,
    notified === null ? 0 : notified.at + REMEMBER_MS,
  );
}

function notifiedOf({ notified }: InboxState, now: number): string {
  return notified !== null && now <= notified.at + REMEMBER_MS ? notified.newestAt : "";
}

/** Changes that were not sent in a frame yet, each with the time from which its endpoint shows it. */
export type Pending = readonly { kind: ChangeKind; readyAt: number }[];

// Changes that come shortly after each other are sent in one frame.
const GATHER_MS = 250;
// Times are rounded up to these, so that no number of changes makes many entries.
const STEP_MS = 50;

/** Adds a change that can be shown from `readyAt` on, in milliseconds since 1970. */
export function addChange(pending: Pending, kind: ChangeKind, readyAt: number): Pending {
  const rounded = Math.ceil(readyAt / STEP_MS) * STEP_MS;
  const isPending = pending.some((one) => one.kind === kind && one.readyAt === rounded);
  return isPending ? pending : [...pending, { kind, readyAt: rounded }];
}

/** When the next frame is due; null: none is. */
export function nextFrameAt(pending: Pending): number | null {
  return pending.length === 0 ? null : Math.min(...pending.map(({ readyAt }) => readyAt)) + GATHER_MS;
}

/** The changes for a frame that is sent now, none if no frame is due, and those for later ones. */
export function takeFrame(pending: Pending, now: number): { kinds: ChangeKind[]; left: Pending } {
  const due = nextFrameAt(pending);
  if (due === null || due > now) return { kinds: [], left: pending };
  const isReady = (kind: ChangeKind) => pending.some((one) => one.kind === kind && one.readyAt <= now);
  return { kinds: CHANGE_KINDS.filter(isReady), left: pending.filter(({ readyAt }) => readyAt > now) };
}
