import { expectExactFields, expectFailure, expectInvalid, expectList, expectSame, expectThat } from "../expect.ts";
import { type Answer, type Item, idsOf, itemsOf, listOf } from "../http.ts";
import { deletionOf, many, time } from "../lines.ts";
import { section } from "../suite.ts";

const DETAILS = ["coupon_id", "reserved", "account", "campaign_coupon"];
const LIST_LIMIT = 1_000;
const [EARLY, LATE] = ["2098-01-01 00:00:00", "2099-01-01 00:00:00"];

export const coupons = section("interface, 4.4", ({ suite, ann, ben, eve, seed, seedChain, make, it }) => {
  const list = (query: Record<string, string> = {}, caller = ann) => suite.get(caller, "coupons", query);

  it("`includemfg` takes only booleans.", async () => expectInvalid(await list({ includemfg: "maybe" }), "includemfg"));

  const [createdLater, createdEarlier] = [{ created_at: "2026-01-02 00:00:00" }, { created_at: "2026-01-01 00:00:00" }];
  const chain = seed.account({
    company: "Crème Café",
    loyalty_options: { chain_logo: "bG9nbw==", chain_display_name: "Blue Chain" },
  });
  const shop = seed.store(chain);
  const { chain: otherChain, shop: otherShop, plainCoupon: foreignCoupon } = seedChain(ann, ben);
  const plainCoupon = seed.coupon(chain, {
    name: "100%_off",
    header_lines: ["Señor header"],
    text_lines: ["A text line"],
  });
  const expiringCoupon = seed.coupon(chain, { can_expire: 1, expiration_date: EARLY });
  const unexpiringCoupon = seed.coupon(chain, { can_expire: 0, expiration_date: "2020-01-01" });
  const dollarCoupon = seed.coupon(chain, { name: "Other kind", type: "Dollar_Off" });
  const mfgCoupon = seed.coupon(chain, { kind: "mfg" });
  const foreignMfgCoupon = seed.coupon(otherChain, { kind: "mfg" });
  const digitalCoupon = seed.coupon(chain, { kind: "digital" });

  const issuedSoonEnding = seed.issued(ann, plainCoupon, shop, { expected_end_date: time(3_600), ...createdEarlier });
  const issuedExpiring = seed.issued(ann, expiringCoupon, shop, { expected_end_date: LATE, ...createdLater });
  const issuedEndless = seed.issued(ann, unexpiringCoupon, shop, createdLater);
  const issuedEndlessEarlier = seed.issued(ann, plainCoupon, shop, createdEarlier);
  const issuedTied = seed.issued(ann, plainCoupon, shop, { expected_end_date: LATE, ...createdEarlier });
  const issuedTiedToo = seed.issued(ann, plainCoupon, shop, { expected_end_date: LATE, ...createdEarlier });
  const issuedForeign = seed.issued(ann, foreignCoupon, otherShop, createdEarlier);
  const issuedDollar = seed.issued(ann, dollarCoupon, shop, createdEarlier);
  const issuedMfg = seed.issued(ann, mfgCoupon, shop, createdEarlier);
  const invalidCoupons = [
    { total_count: 2, usage_count: 2 },
    { expected_end_date: time(-5) },
    { deleted_at: "2026-01-01 00:00:00" },
    { deleted_at: LATE },
  ].map((fields) => seed.issued(ann, plainCoupon, shop, fields));
  const crowd = many(LIST_LIMIT + 1, () => seed.issued(ben, foreignCoupon, otherShop, createdEarlier));
  const lastOfCrowd = seed.issued(ben, foreignMfgCoupon, otherShop, createdLater);

  const detailed = (query: Record<string, string> = {}) => list({ includemfg: "true", ...query });
  const logosOf = (answer: Answer) =>
    listOf(answer, "stores").map((item) => (item.account as Item | undefined)?.loyalty_options as Item | undefined);

  it("Only valid coupons are listed.", async () => {
    const validIds = idsOf(await list());
    expectSame(
      invalidCoupons.filter(({ id }) => validIds.includes(id)),
      [],
    );
  });
  it("The end is the earlier of `expected_end_date` and, if `can_expire` is 1, `expiration_date`; its own second is the last valid one. Without an end, a coupon stays valid.", async () => {
    const actual = idsOf(await list());
    expectThat(actual.indexOf(issuedExpiring.id) < actual.indexOf(issuedTied.id), "the expiration_date is not the end");
    expectThat(actual.includes(issuedEndless.id), "a coupon that cannot expire is left out after its expiration_date");
  });
  it('The soonest end comes first and "no end" last; then the newest `created_at`; then the id.', async () => {
    const endingCoupons = [issuedSoonEnding, issuedExpiring, issuedTied, issuedTiedToo];
    const endlessCoupons = [issuedEndless, issuedEndlessEarlier, issuedForeign, issuedDollar];
    expectList(await list(), [...endingCoupons, ...endlessCoupons]);
  });
  it("`items` is an array of store coupons (5.3), at most 1,000.", async () => {
    const items = itemsOf(await list());
    expectThat(!idsOf(items).includes(issuedMfg.id), "a manufacturer coupon is listed without includemfg");
    expectThat(!items.some((item) => DETAILS.some((name) => name in item)), "a coupon has details");
  });
  it("At most 1,000 records in all, `stores` first.", async () => {
    expectList(await list({}, ben), crowd.slice(0, LIST_LIMIT));
    const ids = async () => {
      const answer = await list({ includemfg: "true" }, ben);
      return ["stores", "mfg"].flatMap((name) => idsOf(listOf(answer, name)));
    };
    expectSame(await ids(), crowd.slice(0, LIST_LIMIT));
    await suite.feed(...crowd.slice(2).map((coupon) => ({ ...coupon, usage_count: 1 })));
    expectSame(await ids(), [...crowd.slice(0, 2), lastOfCrowd]);
  });
  it("`digital` coupons belong to an account and reach every customer who has joined one of its stores.", async () => {
    const isShown = async () =>
      (await suite.get(ann, "my-coupons", { digitalonly: "1" })).text.includes(digitalCoupon.id);
    const [first, second] = [make.store(chain), make.store(chain)];
    expectSame(await isShown(), false, "before the customer joins");
    const membershipToLeave = make.membership(first, ann);
    await suite.feed(first, second, membershipToLeave, make.membership(second, ann));
    expectSame(await isShown(), true, "to a member of two stores");
    await suite.feed(deletionOf(membershipToLeave));
    expectSame(await isShown(), true, "to a member of the other store");
    await suite.feed(deletionOf(second));
    expectSame(await isShown(), false, "once the other store is deleted");
  });
  it("`items` is an object with the arrays `stores` and `mfg`.", async () => {
    const answer = await detailed();
    expectExactFields(answer.body.items, ["stores", "mfg"]);
    expectSame(idsOf(listOf(answer, "mfg")), [issuedMfg]);
    const [firstCoupon = {}] = listOf(answer, "stores");
    const missingDetails = DETAILS.filter((name) => !(name in firstCoupon));
    expectSame(missingDetails, []);
  });
  it('Without `include_images`, `chain_logo` is `""`.', async () => {
    expectSame(logosOf(await detailed())[0]?.chain_logo, "");
    expectSame(logosOf(await detailed({ include_images: "true" }))[0]?.chain_logo, "bG9nbw==");
  });
  it("`search` finds a part of the coupon's name, a header line, a text line or the chain's name.", async () => {
    const findsCoupon = async (search: string) => idsOf(await list({ search })).includes(issuedSoonEnding.id);
    for (const search of ["0%_o", "SENOR", "ext li", "creme caf", "ue chai"])
      expectThat(await findsCoupon(search), `the search "${search}" does not find the coupon`);
    expectFailure(await list({ search: "100_" }), 200, "NO_ITEMS");
  });
  it("A match lies within one name or line.", async () => {
    for (const search of ["off señor", "header text", "café blue", '","', "free_item"])
      expectFailure(await list({ search }), 200, "NO_ITEMS");
  });
  it("`search` is not trimmed.", async () => expectFailure(await list({ search: " 100" }), 200, "NO_ITEMS"));
  it("`type` is compared with the record's, whatever its case and accents.", async () =>
    expectList(await list({ type: "DOLLAR_öff" }), [issuedDollar]));
  it("`accountId` leaves the coupons of this account.", async () =>
    expectList(await list({ accountId: otherChain.id }), [issuedForeign]));
  it("If nothing is found, the answer is `NO_ITEMS`.", async () => {
    expectFailure(await list({}, eve), 200, "NO_ITEMS");
    expectFailure(await list({ includemfg: "true", accountId: suite.accountId() }), 200, "NO_ITEMS");
  });
});

export const myCoupons = section("interface, 4.5", ({ suite, ann, eve, seed, it }) => {
  const list = (query: Record<string, string> = {}, caller = ann) => suite.get(caller, "my-coupons", query);

  it("`type` takes only `store` and `mfg`.", async () => expectInvalid(await list({ type: "digital" }), "type"));

  const seedChain = () => seed.account({ loyalty_options: { chain_logo: "bG9nbw==" } });
  const [chain, otherChain] = [seedChain(), seedChain()];
  const [shop, sideShop, otherShop] = [seed.store(chain), seed.store(chain), seed.store(otherChain)];
  seed.caller(ann);
  for (const store of [shop, otherShop]) seed.membership(store, ann);
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
  it("`digitalonly` leaves the digital coupons.", async () => {
    expectSame(idsIn(await list({ digitalonly: "true" })), [digitalCoupon, otherDigitalCoupon]);
    expectFailure(await list({}, eve), 200, "NO_ITEMS");
  });
  it("`storeId` leaves coupons issued at these stores, and digital coupons of the accounts that own them.", async () => {
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
  it("`includemfg=false` leaves the manufacturer coupons out.", async () => {
    const idsWithoutMfg = allIds.filter((id) => id !== issuedMfg);
    expectSame(idsIn(await list({ includemfg: "false" })), idsWithoutMfg);
  });
  it("Pages run over `store`, then `mfg`, then `digital` as one list. A page never holds more than `per_page` records in all.", async () => {
    const pages = await suite.pages("/api/v1/customer/my-coupons?per_page=2", ann.token);
    for (const item of pages.flatMap(issuedCouponsOf)) expectSame((item.account as Item).id, item.account_id);
    expectSame(pages.map(idsIn), [allIds.slice(0, 2), allIds.slice(2, 4), allIds.slice(4)]);
  });
  it("If a page would be empty and nothing follows, the answer is `NO_ITEMS`, without `Link`.", async () => {
    const answer = await list({ page: "9" });
    expectFailure(answer, 200, "NO_ITEMS");
    expectSame(answer.headers.get("Link"), null);
  });
});
