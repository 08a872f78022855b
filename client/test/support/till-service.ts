import { vi } from "vitest";
import { createTill, type TillOptions } from "../../src/till.ts";
import { NOW, URL_OF_SERVICE } from "./scripted-service.ts";

/**
 * What happens to a request. `lost`: it is done, and its answer is lost. `unsent`: the service never gets it. `silence`: it is
 * done, and no answer ever comes. A number: the service answers with this status, and does nothing. A Response: it answers so.
 * Null: no fault.
 */
export type Fault = "lost" | "unsent" | "silence" | number | Response | null;
export const lostConnection = new TypeError("connection lost");
export const REFUSED = { status: false, errorCode: "NOT_POSSIBLE", message: "Not now." };

interface Sent {
  /** Milliseconds since the test began. */
  at: number;
  method: string;
  path: string;
  body: Record<string, unknown> & { id?: string };
}

/** A service that knows the ids that tills have used. Its requests have these faults in turn, then none. */
export class TillService {
  readonly sent: Sent[] = [];
  /** By its id, the path and the body of what is done. */
  readonly done = new Map<string, { path: string; body: Sent["body"] }>();
  readonly faults: Fault[];

  constructor(...faults: Fault[]) {
    this.faults = faults;
  }

  /** Opens a till. Each is like a new process. */
  open(options: Partial<TillOptions> = {}) {
    const onError = vi.fn<NonNullable<TillOptions["onError"]>>();
    return { ...createTill({ url: URL_OF_SERVICE, token: "t0", fetch: this.#fetch, onError, ...options }), onError };
  }

  /** The uses of coupons that are not given back, and the sum of the points booked. */
  get left(): { uses: number; points: number } {
    const acts = [...this.done.values()];
    const count = (path: string) => acts.filter((act) => act.path === path).length;
    const points = acts.reduce((sum, { body }) => sum + Number(body.amount ?? 0), 0);
    return { uses: count("/redemptions") - count("/reversals"), points };
  }

  #fetch: typeof fetch = async (input, init) => {
    const path = String(input).slice(`${URL_OF_SERVICE}/api/v1/till`.length);
    const sent = {
      at: Date.now() - NOW,
      method: init?.method ?? "GET",
      path,
      body: JSON.parse(String(init?.body ?? "{}")),
    };
    this.sent.push(sent);
    const fault = this.faults.shift();
    if (fault instanceof Response) return fault;
    if (typeof fault === "number") return Response.json({ status: false }, { status: fault });
    if (fault === "unsent") throw lostConnection;
    const answer = this.#answer(sent);
    if (fault === "lost") throw lostConnection;
    return fault === "silence" ? new Promise(() => {}) : answer;
  };

  #answer({ method, path, body }: Sent): Response {
    const { id = "" } = body;
    if (method === "DELETE") return Response.json({ status: true, items: { freed: true, redeemed: false } });
    if (path === "/reversals") {
      const isReversed = [...this.done.values()].some((act) => act.body.redemption_id === body.redemption_id);
      const checks = [{ check: "not_reversed", holds: false, detail: "reversed" }];
      if (isReversed && !this.done.has(id)) return Response.json({ ...REFUSED, checks }, { status: 422 });
    }
    const repeated = this.done.has(id) ? { repeated: true } : {};
    this.done.set(id, { path, body });
    return Response.json({ status: true, items: { ...body, ...repeated } });
  }
}

export const REDEMPTION = { customer_coupon_id: "cc1", store_id: "s1" };
export const ENTRY = { customer_id: "c1", store_id: "s1", amount: "-5.00", minimum_balance: "0.00" };
export const HOLD = { ...REDEMPTION, seconds: 60 };
