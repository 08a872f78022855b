import fc from "fast-check";
import { inject } from "vitest";
import { Random } from "../../scripts/program/random.ts";
import * as seed from "../support/seed.ts";
import { type FuzzedRequest, fromEachCall, type GoodRequest, program, spoilRequest, systemClaims } from "./requests.ts";

const random = new Random(`tills ${inject("fuzz").seed}`);
const claims = systemClaims("till");
const PATH = "/api/v1/till";

const [account, customer] = [seed.account(), seed.customer()];
const [shop, coupon] = [seed.store(account.id), seed.coupon(account.id)];
const issued = [3, 999, 999].map((total_count) =>
  seed.customerCoupon(customer.id, coupon.id, shop.id, { total_count }),
);
/** A shop, and coupons that can be redeemed there. */
export const SHOP_LINES = [account, customer, shop, coupon, ...issued];

const idOf = (record: Parameters<typeof program.idsOf>[0]) => random.pick(program.idsOf(record));
const mostly = <Value>(usual: Value, other: () => Value): Value => (random.next() < 0.9 ? usual : other());
const storeId = () => mostly(shop.id, () => idOf("store"));
const customerCoupon = () => mostly(random.pick(issued).id, () => idOf("customer_coupon"));

const post = (path: string, parameters: object): GoodRequest => ({
  method: "POST",
  path: PATH + path,
  parameters: { ...parameters },
  names: Object.keys(parameters),
  claims,
});
const get = (path: string, parameters: object, id = "") => ({ ...post(path, parameters), method: "GET" as const, id });

let wishes = 0;
/** What a customer wants to use. */
function wish() {
  wishes += 1;
  return { id: `till-${wishes}`, customer_coupon_id: customerCoupon(), store_id: storeId() };
}
type Wish = ReturnType<typeof wish>;

const hold = (wanted: Wish) => post("/holds", { ...wanted, seconds: random.pick([1, 60, 86_400]) });
const free = ({ id }: Wish): GoodRequest => ({ ...post("/holds/:id", {}), method: "DELETE", id });
const redeem = (wanted: Wish) =>
  post("/redemptions", { ...wanted, redeemed_at: random.pick([null, "2026-11-20 10:00:00"]) });
const reverse = ({ id }: Wish) => post("/reversals", { ...wish(), redemption_id: id });
const book = () =>
  post("/entries", {
    id: `till-${random.integer(1, 60)}`,
    customer_id: mostly(customer.id, () => idOf("customer")),
    store_id: storeId(),
    amount: random.pick(["5.00", "0.01", "-1", "-12.50", "999999999.99"]),
    campaign_id: random.pick([null, idOf("campaign")]),
    description: "Coffee",
    created_at: random.pick([null, "2026-11-20 10:00:00"]),
    ...(random.next() < 0.3 && { minimum_balance: "0.00" }),
  });

/** Requests that follow each other: they repeat, contradict and take back. */
const VISITS: readonly ((wanted: Wish) => readonly GoodRequest[])[] = [
  (wanted) => [hold(wanted), redeem(wanted), redeem(wanted), reverse(wanted), reverse(wanted)],
  (wanted) => [redeem(wanted), reverse(wanted), hold(wanted), free(wanted)],
  (wanted) => [hold(wanted), hold(wanted), free(wanted), redeem(wanted)],
  (wanted) => [hold(wanted), redeem({ ...wish(), id: wanted.id })],
  () => [book(), book()],
  () => [
    post("/customers/find", { scan_id: String(random.integer(1, 9)) }),
    get(
      "/customers/:id/coupons",
      { store_id: storeId() },
      mostly(customer.id, () => idOf("customer")),
    ),
    get("/explanations", { customer_id: idOf("customer"), customer_coupon_id: customerCoupon() }),
    get("/explanations", { customer_id: idOf("customer"), coupon_id: idOf("coupon") }),
  ],
];

const coming: GoodRequest[] = [];
const requests = fromEachCall(() => {
  if (coming.length === 0) coming.push(...random.pick(VISITS)(wish()));
  return coming.shift() as GoodRequest;
});

/** A request of a till as it should be, or one that is spoilt. */
export const tillRequest: fc.Arbitrary<FuzzedRequest> = fc
  .oneof(requests.chain(spoilRequest), { weight: 2, arbitrary: requests.map(asItShouldBe) })
  .map((request) => (["GET", "HEAD"].includes(request.method) ? { ...request, body: null } : request));

function asItShouldBe({ method, path, id = "", parameters, claims: ownClaims }: GoodRequest): FuzzedRequest {
  const target = path.replace(":id", encodeURIComponent(id));
  const query = new URLSearchParams(parameters as Record<string, string>);
  if (method !== "POST")
    return { method, path, target: `${target}?${query}`, headers: {}, body: null, claims: ownClaims };
  return { method, path, target, headers: {}, body: JSON.stringify(parameters), claims: ownClaims };
}
