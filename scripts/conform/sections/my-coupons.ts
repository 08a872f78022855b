import { expectExactFields, expectFailure, expectInvalid, expectList, expectSame } from "../expect.ts";
import { type Answer, type Item, idsOf, listOf } from "../http.ts";
import { section } from "../suite.ts";

const PATH = "my-coupons";

export const myCoupons = section("interface, 4.5", ({ suite, ann, eve, seed, it }) => {
  const list = (query: Record<string, string> = {}, caller = ann) => suite.get(caller, PATH, query);

  it("`type` | `store` or `mfg` | no | only this kind", async () =>
    expectInvalid(await list({ type: "digital" }), "type"));

  const seedChain = () => seed.account({ loyalty_options: { chain_logo: "bG9nbw==" } });
  const [chain, otherChain] = [seedChain(), seedChain()];
  const [shop, sideShop, otherShop] = [seed.store(chain), seed.store(chain), seed.store(otherChain)];
  seed.caller(ann);
  for (const joined of [shop, otherShop]) seed.membership(joined, ann);
  const [plainCoupon, mfgCoupon] = [seed.coupon(chain), seed.coupon(chain, { kind: "mfg" })];
  const expiring = { can_expire: 1, expiration_date: "2090-01-01" };
  const digitalCoupon = seed.coupon(chain, { kind: "digital", name: "Digital deal", ...expiring });
  const otherDigitalCoupon = seed.coupon(otherChain, { kind: "digital" });
  // Nobody has joined a store of this coupon's account.
  seed.coupon(seedChain(), { kind: "digital" });
  const endIn = (year: number) => ({ expected_end_date: `${year}-01-01 00:00:00` });
  const issuedAtShop = seed.issued(ann, plainCoupon, shop, endIn(2091));
  const issuedAtSideShop = seed.issued(ann, plainCoupon, sideShop, endIn(2092));
  const laterAtSideShop = seed.issued(ann, plainCoupon, sideShop, endIn(2093));
  const issuedMfg = seed.issued(ann, mfgCoupon, shop, endIn(2090));

  const digitalIdsOf = (answer: Answer) => listOf(answer, "digital").map((item) => (item.coupon as Item).id);
  const issuedCouponsOf = (answer: Answer) => ["store", "mfg"].flatMap((name) => listOf(answer, name));
  /** The ids in the lists `store`, `mfg` and `digital`, in this order. */
  const idsIn = (answer: Answer) => [...idsOf(issuedCouponsOf(answer)), ...digitalIdsOf(answer)];
  const allIds = [issuedAtShop, issuedAtSideShop, laterAtSideShop, issuedMfg, digitalCoupon, otherDigitalCoupon];

  it("`items` is an object with three arrays: `store`, `mfg` and `digital`. Records of `store` and `mfg` (5.3) have `account`, `coupon_id` and `reserved`, but no `campaign_coupon`.", async () => {
    const answer = await list();
    expectExactFields(answer.body.items, ["store", "mfg", "digital"]);
    expectSame(idsIn(answer), allIds);
    for (const item of issuedCouponsOf(answer)) {
      const actual = ["account", "coupon_id", "reserved", "campaign_coupon"].filter((name) => name in item);
      expectSame(actual, ["account", "coupon_id", "reserved"]);
    }
  });
  it('`chain_logo` is always `""`.', async () => {
    const options = listOf(await list(), "store").map((item) => (item.account as Item).loyalty_options as Item);
    expectList(options, ["", "", ""], "chain_logo");
  });
  it("only digital coupons", async () => {
    expectSame(idsIn(await list({ digitalonly: "true" })), [digitalCoupon, otherDigitalCoupon]);
    expectFailure(await list({}, eve), 200, "NO_ITEMS");
  });
  it("coupons issued at these stores, and digital coupons of the accounts that own them", async () => {
    expectSame(idsIn(await list({ storeId: otherShop.id })), [otherDigitalCoupon]);
    expectSame(idsIn(await list({ storeId: " , " })), allIds);
    expectSame(idsIn(await list({ storeId: sideShop.id })), [issuedAtSideShop, laterAtSideShop, digitalCoupon]);
  });
  it("Filters combine. `digitalonly` with `type`, or `type=mfg` with `includemfg=false`, finds nothing. An unknown store matches nothing.", async () => {
    expectSame(idsIn(await list({ type: "store", storeId: shop.id })), [issuedAtShop]);
    expectSame(idsIn(await list({ search: "DIGITAL dé", digitalonly: "1" })), [digitalCoupon]);
    for (const query of [
      { digitalonly: "true", type: "store" },
      { digitalonly: "true", type: "mfg" },
      { type: "mfg", includemfg: "false" },
      { storeId: suite.id("unknown") },
    ])
      expectFailure(await list(query), 200, "NO_ITEMS");
  });
  it("`false` leaves the manufacturer coupons out", async () => {
    const idsWithoutMfg = allIds.filter((id) => id !== issuedMfg);
    expectSame(idsIn(await list({ includemfg: "false" })), idsWithoutMfg);
  });
  it("Pages run over `store`, then `mfg`, then `digital` as one list. A page never holds more than `per_page` records in all.", async () => {
    const pages = await suite.pages(`/api/v1/customer/${PATH}?per_page=2`, ann.token);
    for (const item of pages.flatMap(issuedCouponsOf)) expectSame((item.account as Item).id, item.account_id);
    expectSame(pages.map(idsIn), [allIds.slice(0, 2), allIds.slice(2, 4), allIds.slice(4)]);
  });
  it("If a page would be empty, the answer is `NO_ITEMS`, without `Link`.", async () => {
    const answer = await list({ page: "9" });
    expectFailure(answer, 200, "NO_ITEMS");
    expectSame(answer.headers.get("Link"), null);
  });
});
