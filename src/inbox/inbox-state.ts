import { LEEWAY_SECONDS } from "../auth/token.ts";
import { type Connection, type Notification, type Subscription, TOPICS, type Topic } from "./protocol.ts";

/** The state of an inbox. It is stored, because an idle object loses its memory. */
export interface InboxState {
  subscription: Pick<Subscription, "newestAt" | "at"> | null;
  /** `newestAt`: the time of the newest message of all notifications. `at`: when the last notification came. */
  notified: { newestAt: string; at: number } | null;
  /** A read at it shows all that the inbox has heard of. */
  bookmark: { text: string; grewAt: number };
  /** The changes that the next frame will list; null: no frame is pending. */
  frame: { topics: readonly Topic[]; dueAt: number } | null;
}

const NOTHING = { text: "", grewAt: 0 };
export const EMPTY_INBOX: InboxState = { subscription: null, notified: null, bookmark: NOTHING, frame: null };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/**
 * How long a notification is remembered. It must outlast a subscription that read the primary before the message was stored
 * and arrives after the notification: that ends within an hour. Later it is forgotten, because the database may be set back.
 */
const REMEMBER_MS = 2 * HOUR_MS;
// Changes within this time are sent in one frame.
const GATHER_MS = 250;
/** An inbox is deleted this long after its last subscription has ended. */
const DELETE_AFTER_MS = 7 * 24 * HOUR_MS;

const endOf = ({ at }: { at: number }) => at + HOUR_MS;

export function isSubscribed({ subscription }: InboxState, now: number): boolean {
  return subscription !== null && now < endOf(subscription);
}

/** Whether the inbox is sure that no group has a message later than this time. */
export function nothingNew(state: InboxState, checkTime: string, now: number): boolean {
  const newestAt = state.subscription?.newestAt ?? "";
  return isSubscribed(state, now) && newestAt <= checkTime && notifiedOf(state, now) <= checkTime;
}

/** The state after a subscription. Of two subscriptions, the one that asked the primary last wins, even if it arrives first. */
export function afterSubscription(state: InboxState, asked: Subscription, now: number): InboxState {
  // If the clock of the subscription is ahead, `min` keeps the subscription from lasting longer.
  const subscription = { newestAt: asked.newestAt, at: Math.min(asked.at, now) };
  const isOlder = state.subscription !== null && state.subscription.at >= subscription.at;
  // Clocks differ by less than a minute. So the bookmark of a subscription that asked so much later is the greater one, unless
  // the database was replaced since: then it is the only right one.
  const replaces = subscription.at > state.bookmark.grewAt + MINUTE_MS;
  return {
    ...state,
    subscription: isOlder ? state.subscription : subscription,
    bookmark: replaces ? { text: asked.bookmark, grewAt: now } : greaterBookmark(state, asked.bookmark, now),
  };
}

/** The state after a notification, which may come late or twice. Without a socket nobody gets a frame. */
export function afterNotification(
  state: InboxState,
  { topics, newestAt, bookmark }: Notification,
  { hasSockets, now }: { hasSockets: boolean; now: number },
): InboxState {
  const known = notifiedOf(state, now);
  const listed = TOPICS.filter((topic) => topics.includes(topic) || state.frame?.topics.includes(topic));
  return {
    ...state,
    notified: { newestAt: newestAt > known ? newestAt : known, at: now },
    bookmark: greaterBookmark(state, bookmark, now),
    frame: hasSockets && listed.length > 0 ? { topics: listed, dueAt: state.frame?.dueAt ?? now + GATHER_MS } : null,
  };
}

/** The bookmarks of one database are ordered as texts (`npm run edge -- probe` measures it). */
function greaterBookmark(state: InboxState, text: string, now: number): InboxState["bookmark"] {
  return text > bookmarkOf(state, now) ? { text, grewAt: now } : state.bookmark;
}

/** The bookmark at which a read shows all that the inbox has heard of; empty: nothing in two hours. */
export function bookmarkOf({ bookmark }: InboxState, now: number): string {
  return now <= bookmark.grewAt + REMEMBER_MS ? bookmark.text : "";
}

/** When the inbox can be deleted; infinite: it stores nothing. */
export function deletableAt({ subscription, notified }: InboxState): number {
  const forgottenAt = notified === null ? Infinity : notified.at + REMEMBER_MS;
  if (subscription === null) return forgottenAt;
  return Math.max(endOf(subscription) + DELETE_AFTER_MS, notified === null ? 0 : forgottenAt);
}

function notifiedOf({ notified }: InboxState, now: number): string {
  return notified !== null && now <= notified.at + REMEMBER_MS ? notified.newestAt : "";
}

/** The data of a socket. It survives hibernation, and unlike storage it is not billed by the row. */
export interface Attachment extends Omit<Connection, "subscription"> {
  /** The number of the socket in its inbox: the oldest has the lowest. */
  order: number;
  /** How many frames the app has sent in the minute from `since`. */
  frames: { since: number; count: number };
}

/** When the token of a socket expires, with the usual leeway, in milliseconds since 1970. */
export const expiresAt = ({ tokenExpires }: Attachment) => (tokenExpires + LEEWAY_SECONDS) * 1_000;

/**
 * When the inbox must act next; infinite: never. Without sockets it is deleted then. With one, it subscribes again within the
 * hour, and closes the sockets whose tokens were revoked.
 */
export function nextAlarm(state: InboxState, sockets: readonly Attachment[], now: number): number {
  const due = sockets.length === 0 ? [deletableAt(state)] : [renewAt(state, now), ...sockets.map(expiresAt)];
  return Math.min(state.frame?.dueAt ?? Infinity, ...due);
}

/** A renewal that fails is tried again. An erased customer's inbox has no subscription, and needs none. */
function renewAt({ subscription }: InboxState, now: number): number {
  if (subscription === null) return now + HOUR_MS;
  return now < endOf(subscription) ? endOf(subscription) : now + MINUTE_MS;
}
