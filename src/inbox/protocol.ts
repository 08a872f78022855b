// The messages between a Worker and an inbox. Listeners are in D1, for a day; subscriptions are in inboxes, for an hour.

/** The changes that an open app is told of, in the order in which a frame lists them. */
export const TOPICS = ["messages", "coupons", "balance"] as const;
export type Topic = (typeof TOPICS)[number];

export interface PollAnswer {
  /** Whether the inbox is sure that no group has a message later than the poll's `check_time`. */
  nothingNew: boolean;
  isSubscribed: boolean;
  /** Where D1 must read if the inbox does not know that nothing is new; empty: anywhere. */
  bookmark: string;
  /** The time by the inbox's clock. A subscription that follows gets it as its `at`. */
  at: number;
}

/** The primary's answer about a customer who was a listener before it was asked (docs/contract/live.md, 1). */
export interface Subscription {
  /** The time of the newest message in the customer's groups, shown or not; empty if there is none. */
  newestAt: string;
  /** A bookmark of what the primary had then, or later. */
  bookmark: string;
  /**
   * Just before the primary was asked, in milliseconds since 1970: by the inbox's clock after a poll, by the Worker's clock
   * for a socket. An inbox lowers a time that is later than its own.
   */
  at: number;
}

/** Changes that concern the customer. */
export interface Notification {
  topics: readonly (Topic | "erased")[];
  /** The time of the newest message among the changes; empty if there is none. */
  newestAt: string;
  /** A read at this bookmark of D1 shows the changes. */
  bookmark: string;
}

/** The notification of a customer's inbox. */
export type Call = Notification & { customerId: string };

/** The customers whose inboxes answered, and whether the platform has asked for fewer calls. */
export interface CallsOutcome {
  reached: Set<string>;
  isOverloaded: boolean;
}

/** A socket whose token the Worker has checked. */
export interface Connection {
  customerId: string;
  /** The token's `exp`, in seconds since 1970. */
  tokenExpires: number;
  /** The values by which REVOKED_TOKENS may list the token. The previous version of the Worker sends none. */
  tokenNames?: readonly string[];
  subscription: Subscription;
}

/** Carries the connection from the Worker to the inbox. A client's own header of this name is not passed on. */
export const CONNECTION_HEADER = "X-Loyalty-Connection";

/** A connection as a header's value. An id may have letters that a header must not have. */
export const writeConnection = (connection: Connection) => encodeURIComponent(JSON.stringify(connection));
export const readConnection = (headers: Headers): Connection =>
  JSON.parse(decodeURIComponent(headers.get(CONNECTION_HEADER) ?? ""));
