import { expectFailure, expectFields, expectList, expectSame } from "../expect.ts";
import { type Item, itemsOf, itemsOrNone } from "../http.ts";
import { deletionOf, type LineWithId } from "../lines.ts";
import { section } from "../suite.ts";

export const feedDeletes = section("feed, 2", ({ suite, ann, ben, eve, seed, seedChain, make, it }) => {
  const { chain, shop, plainCoupon } = seedChain(ann, ben);
  const [middleMember, lowerMember] = [seed.customer("Mid Middle"), seed.customer("Bel Below")];
  seed.caller(eve);
  const membershipOfAnn = seed.membership(shop, ann);
  const membershipOfMiddle = seed.membership(shop, middleMember, { referrer_id: ann });
  seed.membership(shop, lowerMember, { referrer_id: middleMember });
  const readAt = "2026-01-06 09:00:00";
  const sentEarlier = { sent_at: readAt };

  const groupOf = async ({ id }: LineWithId, caller = ann) =>
    itemsOrNone(await suite.get(caller, "messages")).find(({ group_id }) => group_id === id);
  const levelsOfTeam = async () => {
    const members = itemsOf(await suite.get(ann, `stores/${shop.id}/team-with-level`));
    return members.map(({ id, current_level }) => ({ id, current_level }));
  };

  it("Only the key is needed; other fields are ignored, even invalid ones. A key that is not stored counts under `ignored`.", async () =>
    suite.expectCounts({ ignored: 1 }, { ...deletionOf(make.store(chain)), latitude: "north" }));
  it("A `message_state` ends when its member leaves the group.", async () => {
    const talk = make.group([ben, middleMember, ann]);
    const state = make.messageState(talk, ann, { read_at: readAt });
    await suite.feed(talk, make.message(talk, ben, "read", sentEarlier), state);
    expectFields(await groupOf(talk), { read_status: 1 });
    await suite.feed({ ...talk, member_ids: [ben.id, middleMember.id] });
    expectSame(await groupOf(talk), undefined);
    await suite.feed(talk);
    expectFields(await groupOf(talk), { read_status: 0 });
  });
  it("The member leaves lists and counts. Members below stay where they are in the tree. Joining again restores the membership under the same referrer.", async () => {
    const wholeTeam = [
      { id: middleMember.id, current_level: 1 },
      { id: lowerMember.id, current_level: 2 },
    ];
    expectSame(await levelsOfTeam(), wholeTeam);
    await suite.feed(deletionOf(membershipOfMiddle));
    expectSame(await levelsOfTeam(), wholeTeam.slice(1));
    await suite.feed(make.membership(shop, middleMember));
    expectSame(await levelsOfTeam(), wholeTeam);
    await suite.feed(deletionOf(membershipOfAnn));
    expectSame(await levelsOfTeam(), []);
    await suite.feed(membershipOfAnn);
  });
  it("Erased: personal fields are emptied. Memberships, registrations, friendships, blocks and group memberships end.", async () => {
    const name = suite.word();
    const erasedCustomer = make.customer(`Era ${name}`);
    const talk = make.group([ann, erasedCustomer, ben]);
    const message = make.message(talk, erasedCustomer, "kept", sentEarlier);
    await suite.feed(erasedCustomer, make.friendship(ann, erasedCustomer, 1), talk, message);
    expectList(await suite.search(ann, "customers", name), [erasedCustomer]);
    await suite.feed(deletionOf(erasedCustomer));
    expectList(await suite.search(ann, "customers", name), []);
    const actual = await groupOf(talk);
    expectFields(actual, { last_message: "kept", last_customer: erasedCustomer });
    expectFields(actual, { last_customer_name: "", last_customer_avatar: "" });
    expectList(actual?.group_members as Item[], [ben.id]);
  });
  it("An erased customer counts as not stored: a reference to it is a bad line. Written again, the customer starts anew. Nothing that ended returns, but balance entries count again.", async () => {
    const name = suite.word();
    const erasedCustomer = make.customer(`Era ${name}`);
    await suite.feed(erasedCustomer, make.friendship(ann, erasedCustomer, 1), make.entry(erasedCustomer, shop, "4.00"));
    await suite.feed(deletionOf(erasedCustomer));
    await suite.expectLineRefused(make.membership(shop, erasedCustomer), "customer_id");
    await suite.feed(erasedCustomer, make.friendship(ben, erasedCustomer, 1));
    const foundBy = async (caller = ann) => (await suite.search(caller, "customers", name))[0];
    const { customerSearch } = suite.settings;
    if (customerSearch === "all") expectFields(await foundBy(ann), { friend_status: -1 });
    if (customerSearch !== "none") expectFields(await foundBy(ben), { friend_status: 1, balance: 4 });
  });
  it("An issued coupon returns when it is written again, too.", async () => {
    const issuedCoupon = make.issued(eve, plainCoupon, shop);
    const customerLine = make.caller(eve);
    await suite.feed(issuedCoupon);
    await suite.feed(deletionOf(customerLine));
    await suite.expectLineRefused(issuedCoupon, "customer_id");
    await suite.feed(customerLine);
    expectSame(await suite.couponOf(eve, issuedCoupon), undefined);
    await suite.feed(issuedCoupon);
    expectFields(await suite.couponOf(eve, issuedCoupon), { id: issuedCoupon });
  });
  it("The messages of a removed group are no longer shown, and their ids stay used in this database.", async () => {
    const removedTalk = make.group([ann, ben]);
    const groupLines = [removedTalk, make.message(removedTalk, ben, "gone", sentEarlier)];
    await suite.feed(...groupLines);
    expectFields(await groupOf(removedTalk), { last_message: "gone" });
    await suite.feed(deletionOf(removedTalk));
    expectSame(await groupOf(removedTalk), undefined);
    await suite.expectCounts({ accepted: 1, ignored: 1 }, ...groupLines);
    expectSame(await groupOf(removedTalk), undefined);
    const [talk, block] = [make.group([ann, lowerMember]), make.block(ann, lowerMember)];
    await suite.feed(make.friendship(ann, lowerMember, 1), block);
    await suite.feed(talk, make.message(talk, lowerMember, "x", sentEarlier));
    const member = async () => ((await groupOf(talk))?.group_members as Item[] | undefined)?.[0];
    expectFields(await member(), { friend_status: 1, is_blocked: true });
    await suite.feed(deletionOf(make.friendship(lowerMember, ann, 1)), deletionOf(block));
    expectFields(await member(), { friend_status: -1, is_blocked: false });
  });
  it("A soft-deleted record, and a membership that was left, still count as stored for a reference.", async () => {
    const closedStore = make.store(chain);
    await suite.feed(closedStore, make.membership(closedStore, middleMember));
    await suite.feed(deletionOf(closedStore));
    await suite.expectCounts({ accepted: 1 }, make.entry(middleMember, closedStore, "1.00"));
  });
  it("Deleting what is already soft-deleted, left or erased counts under `ignored`.", async () => {
    const records = [make.campaign(chain), make.customer(), make.issued(ann, plainCoupon, shop)];
    await suite.feed(...records);
    await suite.expectCounts({ accepted: 3 }, ...records.map(deletionOf));
    await suite.expectCounts({ ignored: 3 }, ...records.map(deletionOf));
  });
  it("Within one request, what refers to others is deleted before what it refers to.", async () => {
    const [store, customer] = [make.store(chain), make.customer()];
    const membership = make.membership(store, customer);
    await suite.feed(store, customer, membership);
    await suite.expectCounts({ accepted: 2 }, deletionOf(customer), deletionOf(membership));
  });
  it('A message that is deleted keeps its id, sender and time, and its body becomes `""`.', async () => {
    const talk = make.group([ann, ben]);
    const message = make.message(talk, ben, "rude", sentEarlier);
    await suite.feed(talk, message);
    await suite.expectCounts({ accepted: 1 }, deletionOf(message));
    const expected = { last_message: "", last_customer: ben.id, last_message_time: readAt };
    for (const caller of [ann, ben]) expectFields(await groupOf(talk, caller), expected);
  });
  it("A message is deleted after the request's messages are stored, wherever the line stands. It counts under `ignored` if it is not stored, or is empty already.", async () => {
    const talk = make.group([ann, ben]);
    const message = make.message(talk, ben, "rude");
    await suite.expectCounts({ ignored: 1 }, deletionOf(message));
    await suite.expectCounts({ accepted: 3 }, deletionOf(message), talk, message);
    await suite.expectCounts({ ignored: 1 }, deletionOf(message));
  });
  it("Another event takes an event back: an opposite amount, or negative counts and runs.", async () => {
    const [store, league, player] = [make.store(chain), make.eipCampaign(chain), make.employee(chain, "Ada")];
    const playWith = (sign: 1 | -1) => {
      const counts = { runs: String(sign * 0.5), hits: sign * 3, doubles: sign * 2, triples: sign };
      return make.play(league, store, player, counts);
    };
    await suite.feed(store, league, player, playWith(1), playWith(-1), playWith(-1));
    const [actual] = itemsOf(await suite.post(ann, "gamification/leaderboard", { location_id: store.id }));
    expectFields(actual, { total_runs: "-0.5", total_hits: -3, total_doubles: -2, total_triples: -1 });
  });
  it("`deleted` on an event other than a message, or a value other than a boolean, is a bad line.", async () => {
    await suite.expectLineRefused(make.entry(ann, shop, "1.00", { deleted: true }), "deleted");
    await suite.expectLineRefused({ ...shop, deleted: "yes" }, "deleted");
  });
  it("A soft-deleted record, and what is reached through it, answers as if it were not there. Writing the key again brings all of it back.", async () => {
    const issuedCoupon = make.issued(ann, plainCoupon, shop);
    await suite.feed(issuedCoupon);
    expectFields(await suite.couponOf(ann, issuedCoupon), { id: issuedCoupon });
    await suite.feed(deletionOf(issuedCoupon));
    expectSame(await suite.couponOf(ann, issuedCoupon), undefined);
    await suite.feed(issuedCoupon);
    expectFields(await suite.couponOf(ann, issuedCoupon), { id: issuedCoupon });
    await suite.feed(deletionOf(shop));
    expectSame(await suite.couponOf(ann, issuedCoupon), undefined);
    expectFailure(await suite.get(ann, `stores/${shop.id}/team-with-level`), 404, "NOT_FOUND");
    await suite.feed(shop);
    expectFields(await suite.couponOf(ann, issuedCoupon), { id: issuedCoupon });
  });
  it("Of an account: its stores, campaigns, coupons, employees and eip_campaigns. Of a store: its memberships and the coupons issued there. Of a campaign: its registrations. Of a coupon: its issued coupons. Of an employee or eip_campaign: the plays. A coupon whose campaign is soft-deleted stays.", async () => {
    const name = suite.word();
    const location = { latitude: -50, longitude: -150 };
    const account = make.account({ company: name });
    const store = make.store(account, { ...location, name });
    const campaign = make.campaign(account, { name });
    const coupon = make.coupon(account, { campaign_id: campaign });
    const digital = make.coupon(account, { kind: "digital" });
    const records = { account, store, campaign, coupon, digital };
    const issuedToBen = make.issued(ben, coupon, store);
    const joiningLines = [make.membership(store, ben), make.registration(campaign, ben)];
    await suite.feed(...Object.values(records), issuedToBen, ...joiningLines);
    /** For each record of the chain, 1 if the customer sees it, otherwise 0. Also the counts in `GET /me`. */
    const visibleParts = async () => {
      const mine = (await suite.get(ben, "my-coupons")).text;
      const search = (await suite.post(ben, "full-search", { query: name, typos: false })).text;
      const nearby = { ...location, single_account_id: account.id };
      const campaigns = (await suite.post(ben, "campaigns/near-by-popular-campaigns", nearby)).text;
      const me = ((await suite.get(ben, "me")).body.items ?? {}) as Item;
      const isIn = (text: string, { id }: LineWithId) => (text.includes(`"${id}"`) ? 1 : 0);
      return {
        issuedCoupon: isIn(mine, issuedToBen),
        digitalCoupon: isIn(mine, digital),
        store: isIn(search, store),
        campaign: isIn(search, campaign),
        nearbyCampaign: isIn(campaigns, campaign),
        storesCount: me.stores_count,
        campaignsTotal: me.campaigns_total,
        campaignsRegistered: me.campaigns_registered,
      };
    };
    const allParts = await visibleParts();
    const noParts = Object.fromEntries(Object.keys(allParts).map((name) => [name, 0]));
    const noCampaign = { campaign: 0, nearbyCampaign: 0, campaignsTotal: 0, campaignsRegistered: 0 };
    const partsWithout = {
      account: noParts,
      store: { ...noParts, campaign: 1 },
      campaign: { ...allParts, ...noCampaign },
      coupon: { ...allParts, issuedCoupon: 0 },
      digital: { ...allParts, digitalCoupon: 0 },
    };
    expectSame(Object.values(allParts), Array(8).fill(1));
    for (const [what, line] of Object.entries(records)) {
      await suite.feed(deletionOf(line));
      expectSame(await visibleParts(), partsWithout[what as keyof typeof partsWithout], `without the ${what}`);
      await suite.feed(line);
      expectSame(await visibleParts(), allParts, `once the ${what} is written again`);
    }
    for (const line of [store, account]) await suite.feed(deletionOf(line));
    await suite.feed(account);
    expectSame(await visibleParts(), partsWithout.store);
  });
  it('A record that returns keeps its rank in "first stored".', async () => {
    const name = suite.word();
    const [first, second] = [make.store(chain, { name }), make.store(chain, { name })];
    await suite.feed(first, second);
    await suite.feed(deletionOf(first));
    await suite.feed(first);
    expectList(await suite.search(ann, "stores", name), [first, second]);
  });
});
