import { LEEWAY_SECONDS } from "../auth/token.ts";
import { CHANGE_KINDS, type ChangeKind, type Subscription } from "./protocol.ts";

/** The state of an inbox. It is stored, because an idle object loses its memory. */
export interface InboxState {
  subscription: Subscription | null;
  /** `newestAt`: the time of the newest message of all notifications. `at`: when the last notification came. */
  notified: { newestAt: string; at: number } | null;
  /** When all messages of the notifications are shown. A socket that opens earlier gets a frame at this time. */
  shownAt: number;
}

export const EMPTY_INBOX: InboxState = { subscription: null, notified: null, shownAt: 0 };

const HOUR_MS = 3_600_000;
const SUBSCRIBED_MS = HOUR_MS;
/**
 * How long a notification is remembered. It must outlast a subscription that read the primary before the message was stored
 * and arrives after the notification: that ends within an hour. Later it is forgotten, because the database may be set back.
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

/** Whether the inbox is sure that no group has a message later than this time. */
export function nothingNew(state: InboxState, checkTime: string, now: number): boolean {
  const newestAt = state.subscription?.newestAt ?? "";
  return isSubscribed(state, now) && newestAt <= checkTime && notifiedOf(state, now) <= checkTime;
}

/** The state after a subscription. Of two subscriptions, the one that asked the primary last wins, even if it arrives first. */
export function afterSubscription(state: InboxState, { newestAt, at }: Subscription, now: number): InboxState {
  // If the clock of the subscription is ahead, `min` keeps the subscription from lasting longer.
  const subscription = { newestAt, at: Math.min(at, now) };
  const isOlder = state.subscription !== null && state.subscription.at >= subscription.at;
  return isOlder ? state : { ...state, subscription };
}

/** The state after a notification, which may come late or twice. A notification of no message changes nothing. */
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

/** When the inbox can be deleted; null: it has nothing to remember. */
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

/** The data of a socket. It survives hibernation, and unlike storage it is not billed by the row. */
export interface Attachment {
  customerId: string;
  tokenExpires: number;
  /** The number of the socket in its inbox: the oldest has the lowest. */
  order: number;
  /** How many frames the app has sent in the minute from `since`. */
  frames: { since: number; count: number };
}

/** When the token of a socket expires, with the usual leeway, in milliseconds since 1970. */
export function expiresAt({ tokenExpires }: Attachment): number {
  return (tokenExpires + LEEWAY_SECONDS) * 1_000;
}

/** Changes that the next frames will report. `readyAt`: from then on, the endpoint of the change shows it. */
export type PendingChanges = readonly { kind: ChangeKind; readyAt: number }[];

// Changes within this time are sent in one frame.
const GATHER_MS = 250;
// Times are rounded up to this, so that many changes make few entries.
const STEP_MS = 50;

/** Adds a change that can be shown from `readyAt` on, in milliseconds since 1970. */
export function addChange(pending: PendingChanges, kind: ChangeKind, readyAt: number): PendingChanges {
  const rounded = Math.ceil(readyAt / STEP_MS) * STEP_MS;
  const isPending = pending.some((change) => change.kind === kind && change.readyAt === rounded);
  return isPending ? pending : [...pending, { kind, readyAt: rounded }];
}

/** When the next frame is due; null: none is. */
export function nextFrameAt(pending: PendingChanges): number | null {
  return pending.length === 0 ? null : Math.min(...pending.map(({ readyAt }) => readyAt)) + GATHER_MS;
}

/** The changes for a frame now (none if no frame is due), and the changes for later frames. */
export function takeFrame(pending: PendingChanges, now: number): { kinds: ChangeKind[]; laterChanges: PendingChanges } {
  const due = nextFrameAt(pending);
  if (due === null || due > now) return { kinds: [], laterChanges: pending };
  const isReady = (kind: ChangeKind) => pending.some((change) => change.kind === kind && change.readyAt <= now);
  return { kinds: CHANGE_KINDS.filter(isReady), laterChanges: pending.filter(({ readyAt }) => readyAt > now) };
}
