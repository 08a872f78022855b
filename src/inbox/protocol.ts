// What a Worker and an inbox say to each other.

/** What can change for a customer while their app is open, in the order in which a frame lists it. */
export const CHANGE_KINDS = ["messages", "coupons", "balance"] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** How an inbox answers a poll. */
export interface PollAnswer {
  /** Whether it is sure that no group has a message later than the poll's `check_time`. */
  nothingNew: boolean;
  isSubscribed: boolean;
  /** Its clock, for a subscription. */
  at: number;
}

/** What the primary said of the customer, who is a listener since before it was asked (docs/contract/live.md, 1). */
export interface Subscription {
  /** The time of the newest message in the customer's groups, shown or not; empty where there is none. */
  newestAt: string;
  /**
   * Just before the primary was asked, in milliseconds since 1970. It is by the inbox's clock after a poll, and by the
   * Worker's for a socket: an inbox lowers a time that is later than its own.
   */
  at: number;
}

/** Something that concerns the customer has changed. */
export interface Notification {
  kinds: readonly (ChangeKind | "erased")[];
  /** The time of the newest message that it is about; empty where it is about none. */
  newestAt: string;
  /** Milliseconds until its messages are shown, from its receipt: clocks of two machines differ. */
  messageWaitMs: number;
}

/** A socket whose token the Worker has checked. */
export interface Connection {
  customerId: string;
  /** The token's `exp`, in seconds since 1970. */
  tokenExpires: number;
  subscription: Subscription;
  /** Milliseconds until a message that is stored is shown; null: none waits to be shown. */
  messageWaitMs: number | null;
}

/** Carries the connection from the Worker to the inbox; a client's own header of that name goes no further. */
export const CONNECTION_HEADER = "X-Loyalty-Connection";

/** A connection as a header's value: an id may have letters that a header may not, and the runtime would log them. */
export function writeConnection(connection: Connection): string {
  return encodeURIComponent(JSON.stringify(connection));
}

export function readConnection(header: string): Connection {
  return JSON.parse(decodeURIComponent(header));
}
