import { expectFailure, expectSame, expectThat } from "../expect.ts";
import {
  account,
  campaign,
  coupon,
  customer,
  eipCampaign,
  employee,
  entry,
  group,
  issued,
  membership,
  message,
  play,
  store,
} from "../lines.ts";
import type { Section, Suite } from "../suite.ts";

/** docs/contract/feed.md, 1: what a line may name */
export async function feedReferences(suite: Suite): Promise<Section> {
  const { ann } = await suite.callers();
  const { mine, other } = suite.accountIds("mine", "other");
  const { shop, otherShop, plain, otherPlain, ada, bob } = suite.ids(
    "shop",
    "otherShop",
    "plain",
    "otherPlain",
    "ada",
    "bob",
  );

  return {
    cited: "feed, 1",
    lines: [
      account(mine),
      account(other),
      store(shop, mine),
      store(otherShop, other),
      coupon(plain, mine),
      coupon(otherPlain, other),
      customer(ann.id),
      customer(ada),
      customer(bob),
    ],
    feeds: {
      "A record may refer to one that is stored, or that stands on any line of the same request, before or after.":
        async () => {
          const [id, accountId] = [suite.id("store"), suite.accountId()];
          expectSame(await suite.taken(membership(id, ada), store(id, accountId), account(accountId)), [3, 0]);
        },
      "Any other reference is a bad line, named by its field.": async () => {
        await suite.refused(
          [membership(suite.id("nowhere"), suite.id("nobody"))],
          "line 1.customer_id",
          "line 1.store_id",
        );
        await suite.refused(
          [
            entry(suite.id("entry"), "nobody", "nowhere", "1", { campaign_id: "nothing" }),
            campaign(suite.id("campaign"), mine, { store_ids: [shop, "nowhere"] }),
            issued(suite.id("issued"), "nobody", "nothing", "nowhere"),
            play(suite.id("play"), "none", "nowhere", "nobody"),
            { record: "registration", campaign_id: "none", customer_id: "nobody" },
            message(suite.id("message"), "none", ann.id, "x"),
          ],
          ...["customer_id", "store_id", "campaign_id"].map((name) => `line 1.${name}`),
          "line 2.store_ids",
          ...["customer_id", "campaign_coupon_id", "store_id"].map((name) => `line 3.${name}`),
          ...["eip_campaign_id", "location_id", "employee_id"].map((name) => `line 4.${name}`),
          ...["campaign_id", "customer_id"].map((name) => `line 5.${name}`),
          "line 6.group_id",
        );
      },
      "the referrer must be a member already or stand on an earlier line, so members who would refer to each other in a circle are refused":
        async () => {
          const id = suite.id("store");
          await suite.refused(
            [store(id, mine), membership(id, ada, { referrer_id: bob }), membership(id, bob)],
            "line 2.referrer_id",
          );
          expectSame(
            await suite.taken(store(id, mine), membership(id, bob), membership(id, ada, { referrer_id: bob })),
            [3, 0],
          );
        },
      "References stay within one account: a campaign's stores, a balance entry's campaign and store, a coupon's campaign, an issued coupon's store, and a play's three.":
        async () => {
          const ids = suite.ids("campaign", "league", "player");
          await suite.feed(
            campaign(ids.campaign, other),
            eipCampaign(ids.league, other),
            employee(ids.player, mine, "Ada"),
          );
          await suite.refused([campaign(suite.id("campaign"), mine, { store_ids: [otherShop] })], "line 1.store_ids");
          await suite.refused(
            [entry(suite.id("entry"), ada, shop, "1.00", { campaign_id: ids.campaign })],
            "line 1.campaign_id",
          );
          await suite.refused([coupon(suite.id("coupon"), mine, { campaign_id: ids.campaign })], "line 1.campaign_id");
          await suite.refused([issued(suite.id("issued"), ann.id, otherPlain, shop)], "line 1.campaign_coupon_id");
          await suite.refused([play(suite.id("play"), ids.league, shop, ids.player)], "line 1.eip_campaign_id");
          await suite.refused(
            [
              play(suite.id("play"), ids.league, otherShop, ids.player),
              campaign(ids.campaign, other, { store_ids: [shop] }),
            ],
            "line 1.employee_id",
            "line 2.store_ids",
          );
        },
      "What a record belongs to never changes": async () => {
        await suite.refused([store(shop, other)], "line 1.account_id");
        await suite.refused([coupon(plain, mine, { kind: "mfg" })], "line 1.kind");
        const id = suite.id("issued");
        await suite.feed(issued(id, ann.id, plain, shop));
        await suite.refused([issued(id, ada, plain, shop)], "line 1.customer_id");
        await suite.refused(
          [issued(id, ann.id, otherPlain, otherShop)],
          "line 1.campaign_coupon_id",
          "line 1.store_id",
        );
        const ids = suite.ids("campaign", "league", "player", "talk");
        await suite.feed(
          ...[campaign(ids.campaign, mine), eipCampaign(ids.league, mine), employee(ids.player, mine, "Ada")],
          ...[group(ids.talk, [ada, bob]), membership(shop, bob), membership(shop, ada, { referrer_id: bob })],
        );
        await suite.refused(
          [
            ...[campaign(ids.campaign, other), eipCampaign(ids.league, other), employee(ids.player, other, "Ada")],
            ...[group(ids.talk, [bob, ada]), membership(shop, bob, { referrer_id: ada })],
          ],
          ...[1, 2, 3].map((line) => `line ${line}.account_id`),
          ...["line 4.initial_customer_id", "line 5.referrer_id"],
        );
        for (const fields of [{}, { referrer_id: null }]) await suite.feed(membership(shop, ada, fields));
      },
      "If the token does not cover one of them, the answer is 403 and nothing is applied. It names the lines, up to 100, but not the accounts.":
        async () => {
          const [token, name] = [await suite.tokens.feed(mine), suite.word()];
          const answer = await suite.send(
            [store(suite.id("store"), mine, { name }), store(suite.id("store"), other, { name })],
            token,
          );
          expectFailure(answer, 403, "FORBIDDEN");
          expectThat(/\b2\b/.test(String(answer.body.message)), "the message does not name line 2");
          expectThat(!answer.text.includes(other), "the message names the account");
          expectFailure(await suite.send([store(otherShop, mine)], token), 403, "FORBIDDEN");
          expectSame((await suite.found(ann, "stores", name)).length, 0);
        },
      'Customers, friendships, blocks, message groups, messages and message states belong to no account and need `"accounts": "*"`.':
        async () => {
          expectFailure(await suite.send([customer(ada)], await suite.tokens.feed(mine)), 403, "FORBIDDEN");
        },
    },
  };
}
