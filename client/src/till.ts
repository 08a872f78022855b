import { Acts, freeing, post } from "./acts.ts";
import { entriesOf } from "./entries.ts";
import type { CallOptions, LoyaltyError } from "./result.ts";
import { encode, rootOf, Service } from "./service.ts";
import type { TillCoupon } from "./shapes.ts";
import type { Act, ActNotes, Till } from "./till-calls.ts";

export { toDate } from "./poll.ts";
export * from "./result.ts";
export type {
  Booking,
  CardHolder,
  Check,
  Explanation,
  Failure,
  Freed,
  Hold,
  Redeemed,
  TillCoupon,
} from "./shapes.ts";
export type * from "./till-calls.ts";

export interface TillOptions {
  /** Where the service is, such as `https://loyalty.example`. */
  url: string;
  /** A till's token, or a function that returns one. It is called before each try, and may fetch a new token. */
  token: string | (() => string | Promise<string>);
  /** How long an act is repeated before it is given up, in milliseconds; 20,000 if left out. A call may have another time. */
  repeatForMs?: number;
  /** The longest time of one try, to the last byte of its answer, in milliseconds; 8,000 if left out. */
  answerWithinMs?: number;
  /** Keeps the acts that are not answered yet. Without it, a process that ends takes nothing back. */
  notes?: ActNotes;
  /** Is called with each failure of taking back. By default it is printed. */
  onError?: (error: LoyaltyError, act: Act) => void;
  /** A `fetch` to use instead of the global one. */
  fetch?: typeof fetch;
}

/** @throws a TypeError if `url` is not an address. */
export function createTill({
  url,
  token,
  repeatForMs = 20_000,
  answerWithinMs = 8_000,
  notes,
  onError = (error, { act, body }) => console.warn(`loyalty-edge: ${act} ${body.id} is not taken back yet.`, error),
  fetch: send = fetch,
}: TillOptions): Till {
  const askToken = async () => (typeof token === "string" ? token : token());
  const retry = { attempts: 3, longestWaitMs: 5_000, answerWithinMs };
  const service = new Service({ url: rootOf(url, "/api/v1/till"), askToken, send, retry });
  const acts = new Acts(service, { repeatForMs, answerWithinMs, notes, onError });

  const coupons = (customerId: string, query: object, call?: CallOptions) =>
    service.getPage<TillCoupon[]>(`/customers/${encode(customerId)}/coupons`, query, call);
  const allCoupons = (customerId: string, query: object, call?: CallOptions) =>
    entriesOf((options) => coupons(customerId, query, options), call);

  return {
    customerOf: (card, call) => service.post("/customers/find", { scan_id: card }, call),
    coupons: Object.assign(coupons, { all: allCoupons }),
    book: (body, options) => {
      // The service refuses an entry whose time is no longer kept. Without a time, a late repetition would be booked anew.
      const created_at = body.created_at ?? new Date().toISOString();
      return acts.perform({ act: "book", body: { ...identified(body), created_at } }, options);
    },
    hold: (body, options) => acts.perform({ act: "hold", body: identified(body) }, options),
    free: (holdId, options) => acts.repeat(...freeing(holdId), options),
    redeem: (body, options) => acts.perform({ act: "redeem", body: identified(body) }, options),
    reverse: (body, options) => acts.repeat("/reversals", post(identified(body)), options),
    explain: (query, call) => service.getPage("/explanations", query, call),
    takeBack: (act) => acts.takeBack(act),
    settled: () => acts.settled(),
  };
}

function identified<Body extends { id?: string | undefined }>(body: Body): Omit<Body, "id"> & { id: string } {
  return { ...body, id: body.id ?? crypto.randomUUID() };
}
