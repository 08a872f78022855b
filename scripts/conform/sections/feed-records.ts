import { expectFields, expectList, expectSame } from "../expect.ts";
import { idsOf } from "../http.ts";
import type { Line } from "../lines.ts";
import { section } from "../suite.ts";

export const feedRecords = section("feed, 4", ({ suite, ann, ben, seed, make, it }) => {
  const chain = seed.account();
  const shop = seed.store(chain);
  const [plainCoupon, digitalCoupon] = [seed.coupon(chain), seed.coupon(chain, { kind: "digital" })];
  for (const caller of [ann, ben]) seed.caller(caller);
  const outsider = seed.customer();
  seed.membership(shop, ann);
  const talk = seed.group([ann, ben]);

  it("Required fields have an exclamation mark.", async () => {
    const { caller: _, ...makers } = make;
    for (const makeLine of Object.values(makers)) {
      // A line that is made without values has only the required fields.
      const { record, ...requiredFields } = (makeLine as () => Line)();
      await suite.expectLineRefused({ record }, ...Object.keys(requiredFields));
    }
  });
  it("A default other than that of section 3 stands in parentheses.", async () => {
    const [issuedCoupon, name] = [make.issued(ann, plainCoupon, shop), suite.word()];
    await suite.feed(make.campaign(chain, { name }), issuedCoupon);
    const [actual] = await suite.search(ann, "campaigns", name);
    expectFields(actual, {
      status: 1,
      trigger_type: "None",
      reward_type: "PercentDollarValue",
      cash_tender_multiplier: "1.00",
      trigger_amount: "0.00",
      campaign_end_date: null,
    });
    expectFields(await suite.couponOf(ann, issuedCoupon), {
      creation_method: "TriggeredSale",
      total_count: 1,
      usage_count: 0,
      updated_at: null,
      expiration_type: "Never_Expires",
      coupon_barcode: 0,
    });
  });
  it('`store_ids` ("all"): an array of stores of the account, or `"all"`, which includes future stores', async () => {
    const coordinates = { latitude: -40, longitude: -150 };
    const query = { ...coordinates, single_account_id: chain.id };
    const nearbyCampaigns = () => suite.post(ann, "campaigns/near-by-popular-campaigns", query);
    const everywhere = make.campaign(chain);
    await suite.feed(everywhere);
    expectList(await nearbyCampaigns(), []);
    await suite.feed(make.store(chain, coordinates));
    expectSame(idsOf(await nearbyCampaigns()).includes(everywhere.id), true);
  });
  it("`customer_id`! (who earns: a member of the store, or one who has left)", async () => {
    await suite.expectLineRefused(make.earning(shop, outsider, 1, "1.00"), "customer_id");
    for (const level of [0, 6, "1"]) await suite.expectLineRefused(make.earning(shop, ann, level, "1"), "level_no");
  });
  it("both!, different; `status`! (0 or 1). The pair has no order", async () => {
    await suite.expectLineRefused(make.friendship(ann, ann, 1), "friend_id");
    const name = suite.word();
    await suite.feed(make.caller(outsider, `Out ${name}`), make.friendship(ann, outsider, 0));
    await suite.feed(make.friendship(outsider, ann, 1));
    if (suite.settings.customerSearch === "none") return;
    expectList(await suite.search(ann, "customers", name), [1], "friend_status");
  });
  it("`member_ids`! (with the initial customer, none twice)", async () => {
    await suite.expectLineRefused(make.group([ann, ann]), "member_ids");
    await suite.expectLineRefused(make.group([ann, ben], { initial_customer_id: outsider }), "member_ids");
  });
  it("`customer_id`! (a member)", async () => {
    await suite.expectLineRefused(make.message(talk, outsider, "Hello"), "customer_id");
    await suite.expectLineRefused(make.messageState(talk, outsider), "customer_id");
  });
  it("`campaign_coupon_id`! (a coupon of kind store or mfg)", async () => {
    await suite.expectLineRefused(make.issued(ann, digitalCoupon, shop), "campaign_coupon_id");
  });
  it("`amount`! (a decimal)", async () => suite.expectLineRefused(make.entry(ann, shop, "a lot"), "amount"));
  it("`kind`! (`store`, `mfg` or `digital`)", async () =>
    suite.expectLineRefused(make.coupon(chain, { kind: "paper" }), "kind"));
});
