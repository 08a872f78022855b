import { expectExactFields, expectFailure, expectInvalid, expectList, expectSame, expectThat } from "../expect.ts";
import { type Answer, type Item, idsOf, itemsOf, listOf } from "../http.ts";
import { deletionOf, many, time } from "../lines.ts";
import { section } from "../suite.ts";

const PATH = "coupons";
const DETAILS = ["coupon_id", "reserved", "account", "campaign_coupon"];
const LIST_LIMIT = 1_000;
const [EARLY, LATE] = ["2098-01-01 00:00:00", "2099-01-01 00:00:00"];

export const coupons = section("interface, 4.4", ({ suite, ann, ben, eve, seed, make, it }) => {
  const list = (query: Record<string, string> = {}, caller = ann) => suite.get(caller, PATH, query);

  it("`includemfg` | boolean | no, false | adds manufacturer coupons, and selects the detailed variant", async () =>
    expectInvalid(await list({ includemfg: "maybe" }), "includemfg"));

  const [createdLater, createdEarlier] = [{ created_at: "2026-01-02 00:00:00" }, { created_at: "2026-01-01 00:00:00" }];
  const chain = seed.account({
    company: "Crème Café",
    loyalty_options: { chain_logo: "bG9nbw==", chain_display_name: "Blue Chain" },
  });
  const otherChain = seed.account();
  const [shop, otherShop] = [seed.store(chain), seed.store(otherChain)];
  for (const caller of [ann, ben]) seed.caller(caller);
  const plainCoupon = seed.coupon(chain, {
    name: "100%_off",
    header_lines: ["Señor header"],
    text_lines: ["A text line"],
  });
  const expiringCoupon = seed.coupon(chain, { can_expire: 1, expiration_date: EARLY });
  const unexpiringCoupon = seed.coupon(chain, { can_expire: 0, expiration_date: "2020-01-01" });
  const dollarCoupon = seed.coupon(chain, { name: "Other kind", type: "Dollar_Off" });
  const foreignCoupon = seed.coupon(otherChain);
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

  it("Only valid coupons are listed: without `deleted_at` (also one in the future), used fewer than `total_count` times, and not past their end.", async () => {
    const actual = idsOf(await list());
    const listedCoupons = invalidCoupons.filter(({ id }) => actual.includes(id));
    expectSame(listedCoupons, []);
  });
  it("The end is the earlier of `expected_end_date` and, if `can_expire` is 1, `expiration_date`; its own second is the last valid one. Without an end, a coupon stays valid.", async () => {
    const actual = idsOf(await list());
    expectThat(actual.indexOf(issuedExpiring.id) < actual.indexOf(issuedTied.id), "the expiration_date is not the end");
    expectThat(actual.includes(issuedEndless.id), "a coupon that cannot expire is left out after its expiration_date");
  });
  it('the end, soonest first and "no end" last; then `created_at`, newest first; then id.', async () => {
    expectList(await list(), [
      issuedSoonEnding,
      issuedExpiring,
      issuedTied,
      issuedTiedToo,
      issuedEndless,
      issuedEndlessEarlier,
      issuedForeign,
      issuedDollar,
    ]);
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
    await suite.feed(...crowd.slice(2).map((issued) => ({ ...issued, usage_count: 1 })));
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
  it("`items` is an object with the arrays `stores` and `mfg`, whose records also have `account`, `campaign_coupon`, `coupon_id` and `reserved`.", async () => {
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
  it("part of the coupon's name, a header line, a text line or the chain's name", async () => {
    const findsCoupon = async (search: string) => idsOf(await list({ search })).includes(issuedSoonEnding.id);
    for (const search of ["0%_o", "SENOR", "ext li", "creme caf", "ue chai"])
      expectThat(await findsCoupon(search), `the search "${search}" does not find the coupon`);
    expectFailure(await list({ search: "100_" }), 200, "NO_ITEMS");
  });
  it("A match lies within one name or line.", async () => {
    for (const search of ["off señor", "header text", "café blue", '","', "free_item"])
      expectFailure(await list({ search }), 200, "NO_ITEMS");
  });
  it("`search` is not trimmed.", async () => {
    expectFailure(await list({ search: " 100" }), 200, "NO_ITEMS");
  });
  it("the record's `type`; case and accents do not matter", async () => {
    expectList(await list({ type: "DOLLAR_öff" }), [issuedDollar]);
  });
  it("only coupons of this account", async () => {
    expectList(await list({ accountId: otherChain.id }), [issuedForeign]);
  });
  it("If nothing is found, the answer is `NO_ITEMS`.", async () => {
    expectFailure(await list({}, eve), 200, "NO_ITEMS");
    expectFailure(await list({ includemfg: "true", accountId: suite.accountId() }), 200, "NO_ITEMS");
  });
});
