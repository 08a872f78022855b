import { expectFailure, expectFields, expectList, expectSame } from "../expect.ts";
import { type Item, itemsOf, itemsOrNone } from "../http.ts";
import {
  account,
  block,
  campaign,
  coupon,
  customer,
  deleted,
  eipCampaign,
  employee,
  entry,
  friendship,
  group,
  issued,
  membership,
  message,
  messageState,
  play,
  registration,
  store,
} from "../lines.ts";
import type { Line, Section, Suite } from "../suite.ts";

export async function feedDeletes(suite: Suite): Promise<Section> {
  const { ann, ben } = await suite.callers();
  const accountId = suite.accountId();
  const { shop, plain, unused, middle, below } = suite.ids("shop plain unused middle below");
  const readAt = "2026-01-06 09:00:00";
  const sentEarlier = { sent_at: readAt };

  const groupOf = async (talk: string, caller = ann) =>
    itemsOrNone(await suite.get(caller, "messages")).find(({ group_id }) => group_id === talk);
  const levelsOfTeam = async () => {
    const members = itemsOf(await suite.get(ann, `stores/${shop}/team-with-level`));
    return members.map(({ id, current_level }) => ({ id, current_level }));
  };

  return {
    section: "feed, 2",
    lines: [
      account(accountId),
      store(shop, accountId),
      coupon(plain, accountId),
      customer(ann.id),
      customer(ben.id),
      customer(middle, "Mid Middle"),
      customer(below, "Bel Below"),
      membership(shop, ann.id),
      membership(shop, middle, { referrer_id: ann.id }),
      membership(shop, below, { referrer_id: middle }),
    ],
    rulesWithFeeding: {
      "Only the key is needed; other fields are ignored, even invalid ones. A key that is not stored counts under `ignored`.":
        async () =>
          expectSame(await suite.feedCounts(deleted("store", { id: unused, latitude: "north" })), {
            accepted: 0,
            ignored: 1,
          }),
      "A `message_state` ends when its member leaves the group.": async () => {
        const talk = suite.id("talk");
        await suite.feed(
          group(talk, [ben.id, middle, ann.id]),
          message(suite.id("message"), talk, ben.id, "read", sentEarlier),
          messageState(talk, ann.id, { read_at: readAt }),
        );
        expectFields(await groupOf(talk), { read_status: 1 });
        await suite.feed(group(talk, [ben.id, middle]));
        expectSame(await groupOf(talk), undefined);
        await suite.feed(group(talk, [ben.id, middle, ann.id]));
        expectFields(await groupOf(talk), { read_status: 0 });
      },
      "The member leaves lists and counts. Members below stay where they are in the tree. Joining again restores the membership under the same referrer":
        async () => {
          const wholeTeam = [
            { id: middle, current_level: 1 },
            { id: below, current_level: 2 },
          ];
          expectSame(await levelsOfTeam(), wholeTeam);
          await suite.feed(deleted("membership", { store_id: shop, customer_id: middle }));
          expectSame(await levelsOfTeam(), wholeTeam.slice(1));
          await suite.feed(membership(shop, middle));
          expectSame(await levelsOfTeam(), wholeTeam);
          await suite.feed(deleted("membership", { store_id: shop, customer_id: ann.id }));
          expectSame(await levelsOfTeam(), []);
          await suite.feed(membership(shop, ann.id));
        },
      "Erased: personal fields are emptied. Memberships, registrations, friendships, blocks, group memberships and issued coupons end.":
        async () => {
          const [id, talk, name] = [suite.id("erased"), suite.id("talk"), suite.word()];
          await suite.feed(
            customer(id, `Era ${name}`),
            friendship(ann.id, id, 1),
            group(talk, [ann.id, id, ben.id]),
            message(suite.id("message"), talk, id, "kept", sentEarlier),
          );
          expectList(await suite.search(ann, "customers", name), [id]);
          await suite.feed(deleted("customer", { id }));
          expectList(await suite.search(ann, "customers", name), []);
          const actual = await groupOf(talk);
          expectFields(actual, { last_message: "kept", last_customer: id });
          expectFields(actual, { last_customer_name: "", last_customer_avatar: "" });
          expectList(actual?.group_members as Item[], [ben.id]);
        },
      "An erased customer counts as not stored: a reference to it is a bad line. Written again, the customer starts anew. Nothing that ended returns, but balance entries count again.":
        async () => {
          const [id, name] = [suite.id("erased"), suite.word()];
          const [line, balanceEntry] = [customer(id, `Era ${name}`), entry(suite.id("entry"), id, shop, "4.00")];
          await suite.feed(line, friendship(ann.id, id, 1), balanceEntry);
          await suite.feed(deleted("customer", { id }));
          await suite.expectLineRefused(membership(shop, id), "customer_id");
          await suite.feed(line, friendship(ben.id, id, 1));
          const foundBy = async (caller = ann) => (await suite.search(caller, "customers", name))[0];
          const { customerSearch } = suite.settings;
          if (customerSearch === "all") expectFields(await foundBy(ann), { friend_status: -1 });
          if (customerSearch !== "none") expectFields(await foundBy(ben), { friend_status: 1, balance: 4 });
        },
      "Removed. The messages of a removed group are no longer shown, and their ids stay used in this database":
        async () => {
          const { talk, held } = suite.ids("talk held");
          const lines = [
            group(talk, [ann.id, ben.id]),
            message(suite.id("message"), talk, ben.id, "gone", sentEarlier),
          ];
          await suite.feed(...lines);
          expectFields(await groupOf(talk), { last_message: "gone" });
          await suite.feed(deleted("message_group", { id: talk }));
          expectSame(await groupOf(talk), undefined);
          expectSame(await suite.feedCounts(...lines), { accepted: 1, ignored: 1 });
          expectSame(await groupOf(talk), undefined);
          await suite.feed(
            ...[friendship(ann.id, below, 1), block(ann.id, below), issued(held, ann.id, plain, shop)],
            ...[group(talk, [ann.id, below]), message(suite.id("message"), talk, below, "x", sentEarlier)],
          );
          const member = async () => ((await groupOf(talk))?.group_members as Item[] | undefined)?.[0];
          expectFields(await member(), { friend_status: 1, is_blocked: true });
          await suite.feed(
            deleted("friendship", { customer_id: below, friend_id: ann.id }),
            deleted("block", { customer_id: ann.id, blocked_id: below }),
            deleted("customer_coupon", { id: held }),
          );
          expectFields(await member(), { friend_status: -1, is_blocked: false });
          expectSame(await suite.couponOf(ann, held), undefined);
        },
      "A soft-deleted record, and a membership that was left, still count as stored for a reference, so that a late retry is not refused.":
        async () => {
          const id = suite.id("store");
          await suite.feed(store(id, accountId), membership(id, middle));
          await suite.feed(deleted("store", { id }));
          expectSame(await suite.feedCounts(entry(suite.id("entry"), middle, id, "1.00")), { accepted: 1, ignored: 0 });
        },
      "Deleting what is already soft-deleted, left or erased counts under `ignored`.": async () => {
        const ids = suite.ids("campaign customer");
        const lines = [deleted("campaign", { id: ids.campaign }), deleted("customer", { id: ids.customer })];
        await suite.feed(campaign(ids.campaign, accountId), customer(ids.customer));
        expectSame(await suite.feedCounts(...lines), { accepted: 2, ignored: 0 });
        expectSame(await suite.feedCounts(...lines), { accepted: 0, ignored: 2 });
      },
      "Within one request, what refers to others is deleted before what it refers to.": async () => {
        const ids = suite.ids("store customer");
        await suite.feed(store(ids.store, accountId), customer(ids.customer), membership(ids.store, ids.customer));
        const leave = deleted("membership", { store_id: ids.store, customer_id: ids.customer });
        expectSame(await suite.feedCounts(deleted("customer", { id: ids.customer }), leave), {
          accepted: 2,
          ignored: 0,
        });
      },
      '**A message** that is deleted keeps its id, sender and time, and its body becomes `""` for everybody':
        async () => {
          const { talk, id } = suite.ids("talk id");
          await suite.feed(group(talk, [ann.id, ben.id]), message(id, talk, ben.id, "rude", sentEarlier));
          expectSame(await suite.feedCounts(deleted("message", { id })), { accepted: 1, ignored: 0 });
          const expected = { last_message: "", last_customer: ben.id, last_message_time: readAt };
          for (const caller of [ann, ben]) expectFields(await groupOf(talk, caller), expected);
        },
      "It is deleted after the request's messages are stored, wherever the line stands. It counts under `ignored` if it is not stored, is empty already":
        async () => {
          const { talk, id } = suite.ids("talk id");
          const line = deleted("message", { id });
          expectSame(await suite.feedCounts(line), { accepted: 0, ignored: 1 });
          expectSame(await suite.feedCounts(line, group(talk, [ann.id, ben.id]), message(id, talk, ben.id, "rude")), {
            accepted: 3,
            ignored: 0,
          });
          expectSame(await suite.feedCounts(line), { accepted: 0, ignored: 1 });
        },
      "Correct a wrong one by another: a balance entry or an earning with the opposite amount, a play with negative counts and runs.":
        async () => {
          const ids = suite.ids("store league player");
          const playWith = (sign: 1 | -1) => {
            const counts = { runs: String(sign * 0.5), hits: sign * 3, doubles: sign * 2, triples: sign };
            return play(suite.id("play"), ids.league, ids.store, ids.player, counts);
          };
          await suite.feed(
            ...[
              store(ids.store, accountId),
              eipCampaign(ids.league, accountId),
              employee(ids.player, accountId, "Ada"),
            ],
            ...[playWith(1), playWith(-1), playWith(-1)],
          );
          const [actual] = itemsOf(await suite.post(ann, "gamification/leaderboard", { location_id: ids.store }));
          expectFields(actual, { total_runs: "-0.5", total_hits: -3, total_doubles: -2, total_triples: -1 });
        },
      "`deleted` on an event other than a message, or a value other than a boolean, is a bad line.": async () => {
        await suite.expectLineRefused({ ...entry(suite.id("entry"), ann.id, shop, "1.00"), deleted: true }, "deleted");
        await suite.expectLineRefused({ ...store(shop, accountId), deleted: "yes" }, "deleted");
      },
      "Soft-deleted: the record, and what is reached through it, answers as if it were not there. Writing the key again brings all of it back":
        async () => {
          const id = suite.id("issued");
          await suite.feed(issued(id, ann.id, plain, shop));
          expectFields(await suite.couponOf(ann, id), { id });
          await suite.feed(deleted("store", { id: shop }));
          expectSame(await suite.couponOf(ann, id), undefined);
          expectFailure(await suite.get(ann, `stores/${shop}/team-with-level`), 404, "NOT_FOUND");
          await suite.feed(store(shop, accountId));
          expectFields(await suite.couponOf(ann, id), { id });
        },
      "Of an account: its stores, campaigns, coupons, employees and eip_campaigns. Of a store: its memberships and the coupons issued there. Of a campaign: its registrations. Of a coupon: its issued coupons. Of an employee or eip_campaign: the plays. A coupon whose campaign is soft-deleted stays.":
        async () => {
          const [chain, name] = [suite.accountId(), suite.word()];
          const ids = suite.ids("store campaign offer digital held");
          const location = { latitude: -50, longitude: -150 };
          const records: Record<string, Line> = {
            account: account(chain, { company: name }),
            store: store(ids.store, chain, { ...location, name }),
            campaign: campaign(ids.campaign, chain, { name }),
            coupon: coupon(ids.offer, chain, { campaign_id: ids.campaign }),
            digital: coupon(ids.digital, chain, { kind: "digital" }),
          };
          await suite.feed(
            ...Object.values(records),
            membership(ids.store, ben.id),
            issued(ids.held, ben.id, ids.offer, ids.store),
            registration(ids.campaign, ben.id),
          );
          /** Which records of the chain the customer sees (1: sees it), and the counts of `me`. */
          const visibleParts = async () => {
            const mine = (await suite.get(ben, "my-coupons")).text;
            const search = (await suite.post(ben, "full-search", { query: name, typos: false })).text;
            const nearby = { ...location, single_account_id: chain };
            const campaigns = (await suite.post(ben, "campaigns/near-by-popular-campaigns", nearby)).text;
            const me = ((await suite.get(ben, "me")).body.items ?? {}) as Item;
            const isIn = (text: string, id: string) => (text.includes(`"${id}"`) ? 1 : 0);
            return {
              ...{ issuedCoupon: isIn(mine, ids.held), digitalCoupon: isIn(mine, ids.digital) },
              ...{ store: isIn(search, ids.store), campaign: isIn(search, ids.campaign) },
              ...{ nearbyCampaign: isIn(campaigns, ids.campaign), storesCount: me.stores_count },
              ...{ campaignsTotal: me.campaigns_total, campaignsRegistered: me.campaigns_registered },
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
          const remove = ({ record, id }: Line) => suite.feed(deleted(record, { id }));
          expectSame(Object.values(allParts), Array(8).fill(1));
          for (const [what, line] of Object.entries(records)) {
            await remove(line);
            expectSame(await visibleParts(), partsWithout[what as keyof typeof partsWithout], `without the ${what}`);
            await suite.feed(line);
            expectSame(await visibleParts(), allParts, `once the ${what} is written again`);
          }
          for (const kind of ["store", "account"]) await remove(records[kind] as Line);
          await suite.feed(records.account as Line);
          expectSame(await visibleParts(), partsWithout.store);
        },
      'A record that returns keeps its rank in "first stored".': async () => {
        const [name, first, second] = [suite.word(), suite.id("store"), suite.id("store")];
        await suite.feed(store(first, accountId, { name }), store(second, accountId, { name }));
        await suite.feed(deleted("store", { id: first }));
        await suite.feed(store(first, accountId, { name }));
        expectList(await suite.search(ann, "stores", name), [first, second]);
      },
    },
  };
}
