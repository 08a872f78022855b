import type { Paged } from "./calls.ts";
import type { CallOptions, Result } from "./result.ts";
import type { Booking, CardHolder, Explanation, Freed, Hold, Redeemed, TillCoupon } from "./shapes.ts";
import type { Act, EntryBody, ExplanationQuery, HoldBody, RedemptionBody, ReversalBody } from "./till-bodies.ts";

/**
 * The calls of a till. A call resolves with the service's answer, also if that is a failure. If no answer comes in time, it
 * throws a LoyaltyError with the cause.
 */
export interface Till {
  /** The customers whose card has exactly this `scan_id`: usually one. */
  customerOf: (card: string, call?: CallOptions) => Promise<Result<CardHolder[]>>;

  /** The coupons that a customer holds at the account of a store, each with whether it can be redeemed there. */
  coupons: Paged<[customerId: string, query: { store_id: string }, call?: CallOptions], TillCoupon[]>;

  /** Books points. With `minimum_balance` it is refused if the balance would be lower. */
  book: (body: EntryBody, options?: ActOptions) => Promise<Result<Booking>>;

  /** Reserves one use of a coupon for 1 to 86,400 seconds. The redemption with the same id takes it. */
  hold: (body: HoldBody, options?: ActOptions) => Promise<Result<Hold>>;

  /** Frees a hold. A hold with this id that arrives later holds nothing. */
  free: (holdId: string, options?: RepeatOptions) => Promise<Result<Freed>>;

  /** Uses a coupon once. */
  redeem: (body: RedemptionBody, options?: ActOptions) => Promise<Result<Redeemed>>;

  /** Gives the use of a redemption back. It is not taken back if it is given up: call it again. */
  reverse: (body: ReversalBody, options?: RepeatOptions) => Promise<Result<Redeemed>>;

  /** Why a coupon is not shown, or cannot be used. */
  explain: (query: ExplanationQuery, call?: CallOptions) => Promise<Result<Explanation>>;

  /** Repeats an act of a former process until it is answered, and then reverses it. */
  takeBack: (act: Act) => Promise<void>;

  /** Resolves once all that was given up is taken back. */
  settled: () => Promise<void>;
}

export interface RepeatOptions extends CallOptions {
  /** How long the call is repeated, in milliseconds, instead of the till's `repeatForMs`. */
  repeatForMs?: number | undefined;
}

export interface ActOptions extends RepeatOptions {
  /** False: an act that is given up is not taken back, because somebody else feeds or repeats it under its id. */
  takeBack?: boolean | undefined;
}

/** Keeps the acts that are not answered yet, such as a Map over a file. A process that ended takes them back at its next start. */
export interface ActNotes {
  /** Is called, and waited for, before an act is sent. */
  set: (key: string, act: Act) => unknown;
  /** Is called once an act is answered or taken back. */
  delete: (key: string) => unknown;
}
