import { expectFailure, expectFields, expectSame, expectThat } from "../expect.ts";
import type { Answer, Item } from "../http.ts";
import type { LineWithId } from "../lines.ts";
import type { Suite } from "../suite.ts";
import { section } from "../suite.ts";

const failedChecks = (checks: unknown) =>
  ((checks ?? []) as Item[]).filter(({ holds }) => holds === false).map(({ check }) => check);
const itemOf = (answer: Answer) => (answer.body.items ?? {}) as Item;

/** What a till sends. Later reads are at least as new as its acts. */
function tillOf(suite: Suite, shop: LineWithId) {
  const send = async (path: string, request: { method?: string; body?: string } = {}) => {
    const answer = await suite.http.send(`/api/v1/till${path}`, { token: await suite.tokens.till(), ...request });
    suite.http.continueFrom(answer);
    return answer;
  };
  const act = (path: string, fields: Item) => send(path, { body: JSON.stringify({ store_id: shop.id, ...fields }) });
  return {
    redeem: (id: string, coupon: LineWithId, fields: Item = {}) =>
      act("/redemptions", { id, customer_coupon_id: coupon.id, ...fields }),
    hold: (id: string, coupon: LineWithId) => act("/holds", { id, customer_coupon_id: coupon.id, seconds: 600 }),
    reverse: (id: string, redemption_id: string) => act("/reversals", { id, redemption_id }),
    free: (id: string) => send(`/holds/${id}`, { method: "DELETE" }),
    explain: (query: Record<string, string>) => send(`/explanations?${new URLSearchParams(query)}`),
  };
}

export const tillIds = section("till, 1", ({ suite, ann, seed, seedChain, it }) => {
  const { shop, plainCoupon } = seedChain(ann);
  const [issued, other] = [
    seed.issued(ann, plainCoupon, shop, { total_count: 2 }),
    seed.issued(ann, plainCoupon, shop),
  ];
  const till = tillOf(suite, shop);

  it("The same `id` with the same content is answered with what is stored, and `repeated`. With another content: 409.", async () => {
    const id = suite.id("use");
    const first = itemOf(await till.redeem(id, issued));
    expectFields(first, { repeated: false, remaining_count: 1 });
    expectSame(itemOf(await till.redeem(id, issued)), { ...first, repeated: true });
    expectFailure(await till.redeem(id, other), 409, "CONFLICT");
  });
  it("A refused request stores nothing, and its id is free.", async () => {
    const id = suite.id("use");
    expectFailure(await till.redeem(id, { ...issued, id: suite.id("nothing") }), 404, "NOT_FOUND");
    expectFields(itemOf(await till.redeem(id, issued)), { repeated: false });
  });
});

export const tillActs = section("till, 3", ({ suite, ann, seed, seedChain, make, it }) => {
  const { shop, plainCoupon } = seedChain(ann);
  const issue = (total_count: number) => seed.issued(ann, plainCoupon, shop, { total_count });
  const [once, held, twice, fed] = [issue(1), issue(1), issue(2), issue(1)];
  const till = tillOf(suite, shop);
  const counts = async (coupon: LineWithId) => (await suite.couponOf(ann, coupon)) as Item | undefined;

  it("Online, a use is never given away twice.", async () => {
    const answers = await Promise.all([1, 2, 3].map(() => till.redeem(suite.id("use"), once)));
    expectSame(answers.map(({ status }) => status).sort(), [200, 422, 422]);
    expectThat((await counts(once)) === undefined, "a coupon that is used up is listed");
  });
  it("A hold reserves a use, and the redemption of its `id` takes it. A coupon whose uses are all held is listed.", async () => {
    const id = suite.id("hold");
    expectFields(itemOf(await till.hold(id, held)), { id, repeated: false });
    expectFields(await counts(held), { usage_count: 0, remaining_count: 0 });
    const refused = await till.redeem(suite.id("use"), held);
    expectFailure(refused, 422, "NOT_POSSIBLE");
    expectSame(failedChecks(refused.body.checks), ["a_use_is_free"]);
    expectFields(itemOf(await till.redeem(id, held)), { remaining_count: 0, repeated: false });
    expectSame(itemOf(await till.free(id)), { freed: false, redeemed: true });
  });
  it("A reversal gives the use back, once.", async () => {
    const [use, back] = [suite.id("use"), suite.id("back")];
    await till.redeem(use, twice);
    expectFields(await counts(twice), { usage_count: 1, remaining_count: 1 });
    expectFields(itemOf(await till.reverse(back, use)), { remaining_count: 2, repeated: false });
    expectFields(await counts(twice), { usage_count: 0, remaining_count: 2 });
    expectSame(failedChecks((await till.reverse(suite.id("back"), use)).body.checks), ["not_reversed"]);
  });
  it("A redemption that is fed is always stored, also beyond the count, and is a repetition for a till.", async () => {
    const [first, second] = [make.redemption(fed, shop), make.redemption(fed, shop)];
    await suite.expectCounts({ accepted: 2 }, first, second);
    expectFields(itemOf(await till.redeem(second.id, fed)), { remaining_count: 0, repeated: true });
  });
});

export const tillExplanations = section("till, 4", ({ suite, ann, ben, seed, seedChain, it }) => {
  const { chain, shop, plainCoupon } = seedChain(ann, ben);
  const digital = seed.coupon(chain, { kind: "digital" });
  const [good, used] = [seed.issued(ann, plainCoupon, shop), seed.issued(ann, plainCoupon, shop, { usage_count: 1 })];
  const { explain } = tillOf(suite, shop);

  it("`shown` is true if all conditions hold, exactly if the list shows the coupon.", async () => {
    for (const [coupon, failed] of [
      [good, []],
      [used, ["not_used_up"]],
    ] as const) {
      const { shown, checks } = itemOf(await explain({ customer_id: ann.id, customer_coupon_id: coupon.id }));
      expectSame({ shown, failed: failedChecks(checks) }, { shown: failed.length === 0, failed });
      expectSame((await suite.couponOf(ann, coupon)) !== undefined, shown);
    }
  });
  it("The coupon of another customer fails `belongs_to_customer`, and a digital coupon `joined_a_store`.", async () => {
    const other = itemOf(await explain({ customer_id: ben.id, customer_coupon_id: good.id }));
    expectSame(failedChecks(other.checks), ["belongs_to_customer"]);
    const unjoined = itemOf(await explain({ customer_id: ann.id, coupon_id: digital.id }));
    expectSame(failedChecks(unjoined.checks), ["joined_a_store"]);
  });
  it("An unknown coupon: 404.", async () =>
    expectFailure(await explain({ customer_id: ann.id, coupon_id: suite.id("nothing") }), 404, "NOT_FOUND"));
});
