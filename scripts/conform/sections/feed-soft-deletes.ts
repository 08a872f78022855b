import { expectFailure, expectSame } from "../expect.ts";
import { type Item, idsOf } from "../http.ts";
import {
  account,
  campaign,
  coupon,
  customer,
  eipCampaign,
  employee,
  issued,
  membership,
  play,
  store,
} from "../lines.ts";
import type { Line, Section, Suite } from "../suite.ts";

/** docs/contract/feed.md, 2: what is soft-deleted */
export async function feedSoftDeletes(suite: Suite): Promise<Section> {
  const { ann, ben } = await suite.callers();
  const accountId = suite.accountId();
  const { spare, plain } = suite.ids("spare plain");

  const deleted = (record: string, key: object): Line => ({ record, ...key, deleted: true });
  const coupons = async () => idsOf(await suite.get(ann, "coupons"));

  return {
    cited: "feed, 2",
    lines: [account(accountId), store(spare, accountId), coupon(plain, accountId), customer(ann.id), customer(ben.id)],
    feeds: {
      "Soft-deleted: the record, and what is reached through it, answers as if it were not there. Writing the key again brings all of it back":
        async () => {
          const id = suite.id("issued");
          await suite.feed(issued(id, ann.id, plain, spare));
          expectSame((await coupons()).includes(id), true);
          await suite.feed(deleted("store", { id: spare }));
          expectSame((await coupons()).includes(id), false);
          expectFailure(await suite.get(ann, `stores/${spare}/team-with-level`), 404, "NOT_FOUND");
          await suite.feed(store(spare, accountId));
          expectSame((await coupons()).includes(id), true);
        },
      "Of an account: its stores, campaigns, coupons, employees and eip_campaigns. Of a store: its memberships and the coupons issued there. Of a campaign: its registrations. Of a coupon: its issued coupons. Of an employee or eip_campaign: the plays. A coupon whose campaign is soft-deleted stays.":
        async () => {
          const [chain, name] = [suite.accountId(), suite.word()];
          const ids = suite.ids("store campaign offer digital held league player");
          const place = { latitude: -50, longitude: -150 };
          const records = {
            account: account(chain, { company: name }),
            store: store(ids.store, chain, { ...place, name }),
            campaign: campaign(ids.campaign, chain, { name }),
            coupon: coupon(ids.offer, chain, { campaign_id: ids.campaign }),
            digital: coupon(ids.digital, chain, { kind: "digital" }),
          };
          await suite.feed(
            ...Object.values(records),
            membership(ids.store, ben.id),
            issued(ids.held, ben.id, ids.offer, ids.store),
            { record: "registration", campaign_id: ids.campaign, customer_id: ben.id },
            eipCampaign(ids.league, chain),
            employee(ids.player, chain, "Ada"),
            play(suite.id("play"), ids.league, ids.store, ids.player),
          );
          /** A digit for each: two coupons, the store and campaign found, the campaign nearby (1 if shown), and the counts of `me`. */
          const seen = async () => {
            const mine = (await suite.get(ben, "my-coupons")).text;
            const search = (await suite.post(ben, "full-search", { query: name, typos: false })).text;
            const nearby = await suite.post(ben, "campaigns/near-by-popular-campaigns", {
              ...place,
              single_account_id: chain,
            });
            const { items } = (await suite.get(ben, "me")).body;
            const { stores_count, campaigns_total, campaigns_registered } = (items ?? {}) as Item;
            const texts = [mine, mine, search, search, nearby.text];
            const wanted = [ids.held, ids.digital, ids.store, ids.campaign, ids.campaign];
            const answered = wanted.map((id, place) => (texts[place]?.includes(`"${id}"`) ? 1 : 0));
            return [...answered, stores_count, campaigns_total, campaigns_registered].join("");
          };
          expectSame(await seen(), "11111111");
          for (const [kind, wanted] of Object.entries({
            account: "00000000",
            store: "00010000",
            campaign: "11100100",
            coupon: "01111111",
            digital: "10111111",
          })) {
            const { record, id } = records[kind as keyof typeof records];
            await suite.feed(deleted(record, { id }));
            expectSame(await seen(), wanted, `what is answered without the ${kind}`);
            await suite.feed(records[kind as keyof typeof records]);
            expectSame(await seen(), "11111111", `what is answered once the ${kind} is written again`);
          }
          for (const record of ["store", "account"])
            await suite.feed(deleted(record, { id: record === "store" ? ids.store : chain }));
          await suite.feed(records.account);
          expectSame(await seen(), "00010000");
        },
      'A record that returns keeps its rank in "first stored".': async () => {
        const [name, one, other] = [suite.word(), suite.id("store"), suite.id("store")];
        const lines = [store(one, accountId, { name }), store(other, accountId, { name })] as const;
        await suite.feed(...lines);
        await suite.feed(deleted("store", { id: one }));
        await suite.feed(lines[0]);
        const found = await suite.found(ann, "stores", name);
        expectSame(
          found.map(({ id }) => id),
          [one, other],
        );
      },
    },
  };
}
