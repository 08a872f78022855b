import type * as fc from "fast-check";
import { inject } from "vitest";
import { Random } from "../../scripts/program/random.ts";
import { type FuzzedRequest, fromEachCall, type GoodRequest, program, spoilRequest, systemClaims } from "./requests.ts";

const random = new Random(`tills ${inject("fuzz").seed}`);
const claims = systemClaims("till");
const PATH = "/api/v1/till";

const idOf = (record: Parameters<typeof program.idsOf>[0]) => random.pick(program.idsOf(record));
/** Few ids, so that requests repeat, contradict and reverse each other. */
const writeId = () => `till-${random.integer(1, 60)}`;
const post = (path: string, parameters: object): GoodRequest => ({
  method: "POST",
  path: PATH + path,
  parameters: { ...parameters },
  names: Object.keys(parameters),
  claims,
});
const get = (path: string, parameters: object, id = "") => ({ ...post(path, parameters), method: "GET" as const, id });
const ofCoupon = () => ({ id: writeId(), customer_coupon_id: idOf("customer_coupon"), store_id: idOf("store") });
const amount = () => random.pick(["5.00", "0.01", "-1", "-12.50", "999999999.99"]);

const REQUESTS: readonly (() => GoodRequest)[] = [
  () => post("/customers/find", { scan_id: String(random.integer(1, 9)) }),
  () => get("/customers/:id/coupons", { store_id: idOf("store") }, idOf("customer")),
  () => post("/redemptions", { ...ofCoupon(), redeemed_at: random.pick([null, "2026-11-20 10:00:00"]) }),
  () => post("/redemptions", ofCoupon()),
  () => post("/holds", { ...ofCoupon(), seconds: random.pick([1, 60, 86_400]) }),
  () => ({ ...post("/holds/:id", {}), method: "DELETE", id: writeId() }),
  () => post("/reversals", { id: writeId(), redemption_id: writeId(), store_id: idOf("store") }),
  () => get("/explanations", { customer_id: idOf("customer"), customer_coupon_id: idOf("customer_coupon") }),
  () => get("/explanations", { customer_id: idOf("customer"), coupon_id: idOf("coupon") }),
  () =>
    post("/entries", {
      id: writeId(),
      customer_id: idOf("customer"),
      store_id: idOf("store"),
      amount: amount(),
      campaign_id: random.pick([null, idOf("campaign")]),
      description: "Coffee",
      created_at: random.pick([null, "2026-11-20 10:00:00"]),
      ...(random.next() < 0.3 && { minimum_balance: "0.00" }),
    }),
];

/** A request of a till, or one that is spoilt. */
export const tillRequest: fc.Arbitrary<FuzzedRequest> = fromEachCall(() => random.pick(REQUESTS)())
  .chain(spoilRequest)
  .map((request) => (["GET", "HEAD"].includes(request.method) ? { ...request, body: null } : request));
