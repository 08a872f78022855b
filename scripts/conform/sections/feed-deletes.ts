import { expectFields, expectSame } from "../expect.ts";
import { type Item, idsOf, itemsOf, itemsOrNone } from "../http.ts";
import {
  account,
  block,
  campaign,
  coupon,
  customer,
  eipCampaign,
  employee,
  entry,
  friendship,
  group,
  issued,
  membership,
  message,
  play,
  store,
} from "../lines.ts";
import type { Line, Section, Suite } from "../suite.ts";

/** docs/contract/feed.md, 2 */
export async function feedDeletes(suite: Suite): Promise<Section> {
  const { ann, ben } = await suite.callers();
  const accountId = suite.accountId();
  const { shop, plain, unused, middle, below } = suite.ids("shop plain unused middle below");
  const [word, held] = [suite.word(), suite.id("issued")];
  const old = { sent_at: "2026-01-06 09:00:00" };

  const deleted = (record: string, key: object): Line => ({ record, ...key, deleted: true });
  const coupons = async () => idsOf(await suite.get(ann, "coupons"));
  const last = async (talk: string) =>
    itemsOrNone(await suite.get(ann, "messages")).find(({ group_id }) => group_id === talk);
  const team = async () =>
    itemsOf(await suite.get(ann, `stores/${shop}/team-with-level`)).map(({ id, current_level }) => [id, current_level]);
  const customers = async () => suite.found(ann, "customers", word);

  return {
    cited: "feed, 2",
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
    feeds: {
      "Only the key is needed; other fields are ignored, even invalid ones. A key that is not stored counts under `ignored`.":
        async () => {
          expectSame(await suite.taken(deleted("store", { id: unused, latitude: "north" })), [0, 1]);
        },
      "A `message_state` ends when its member leaves the group.": async () => {
        const talk = suite.id("talk");
        await suite.feed(
          group(talk, [ben.id, middle, ann.id]),
          message(suite.id("message"), talk, ben.id, "read", { sent_at: "2026-01-06 09:00:00" }),
          { record: "message_state", group_id: talk, customer_id: ann.id, read_at: "2026-01-06 09:00:00" },
        );
        expectFields(await last(talk), { read_status: 1 });
        await suite.feed(group(talk, [ben.id, middle]));
        expectSame(await last(talk), undefined);
        await suite.feed(group(talk, [ben.id, middle, ann.id]));
        expectFields(await last(talk), { read_status: 0 });
      },
      "The member leaves lists and counts. Members below stay where they are in the tree. Joining again restores the membership under the same referrer":
        async () => {
          expectSame(await team(), [
            [middle, 1],
            [below, 2],
          ]);
          await suite.feed(deleted("membership", { store_id: shop, customer_id: middle }));
          expectSame(await team(), [[below, 2]]);
          await suite.feed(membership(shop, middle));
          expectSame(await team(), [
            [middle, 1],
            [below, 2],
          ]);
          await suite.feed(deleted("membership", { store_id: shop, customer_id: ann.id }));
          expectSame(await team(), []);
          await suite.feed(membership(shop, ann.id));
        },
      "Erased: personal fields are emptied. Memberships, registrations, friendships, blocks, group memberships and issued coupons end.":
        async () => {
          const [id, talk] = [suite.id("erased"), suite.id("talk")];
          const old = { sent_at: "2026-01-05 09:00:00" };
          await suite.feed(
            customer(id, `Era ${word}`),
            friendship(ann.id, id, 1),
            group(talk, [ann.id, id, ben.id]),
            message(suite.id("message"), talk, id, "kept", old),
          );
          expectSame(idsOf(await customers()), [id]);
          await suite.feed(deleted("customer", { id }));
          expectSame((await customers()).length, 0);
          const came = await last(talk);
          expectFields(came, {
            last_message: "kept",
            last_customer: id,
            last_customer_name: "",
            last_customer_avatar: "",
          });
          const { group_members } = came ?? {};
          expectSame(Array.isArray(group_members) && group_members.length, 1);
        },
      "An erased customer counts as not stored: a reference to it is a bad line. Written again, the customer starts anew. Nothing that ended returns, but balance entries count again.":
        async () => {
          const [id, again] = [suite.id("erased"), suite.word()];
          await suite.feed(
            customer(id, `Era ${again}`),
            friendship(ann.id, id, 1),
            entry(suite.id("entry"), id, shop, "4.00"),
          );
          await suite.feed(deleted("customer", { id }));
          await suite.refused([membership(shop, id)], "line 1.customer_id");
          await suite.feed(customer(id, `Era ${again}`), friendship(ben.id, id, 1));
          const ask = async (caller = ann) => (await suite.found(caller, "customers", again))[0];
          if (suite.settings.customerSearch === "all") expectFields(await ask(), { friend_status: -1 });
          if (suite.settings.customerSearch !== "none") expectFields(await ask(ben), { friend_status: 1, balance: 4 });
        },
      "Removed. The messages of a removed group are no longer shown, and their ids stay used in this database":
        async () => {
          await suite.feed(friendship(ann.id, below, 1), block(ann.id, below), issued(held, ann.id, plain, shop));
          const [talk, id] = [suite.id("talk"), suite.id("message")];
          const lines = [
            group(talk, [ann.id, ben.id]),
            message(id, talk, ben.id, "gone", { sent_at: "2026-01-06 09:00:00" }),
          ];
          await suite.feed(...lines);
          const shown = async () => {
            return idsOf(await suite.get(ann, "messages"), "group_id").includes(talk);
          };
          expectSame(await shown(), true);
          await suite.feed(deleted("message_group", { id: talk }));
          expectSame(await shown(), false);
          expectSame(await suite.taken(...lines), [1, 1]);
          expectSame(await shown(), false);
          await suite.feed(group(talk, [ann.id, below]), message(suite.id("message"), talk, below, "x", old));
          const member = async () => ((await last(talk))?.group_members as Item[] | undefined)?.[0];
          expectFields(await member(), { friend_status: 1, is_blocked: true });
          await suite.feed(
            deleted("friendship", { customer_id: below, friend_id: ann.id }),
            deleted("block", { customer_id: ann.id, blocked_id: below }),
            deleted("customer_coupon", { id: held }),
          );
          expectFields(await member(), { friend_status: -1, is_blocked: false });
          expectSame((await coupons()).includes(held), false);
        },
      "A soft-deleted record, and a membership that was left, still count as stored for a reference, so that a late retry is not refused.":
        async () => {
          const id = suite.id("store");
          await suite.feed(store(id, accountId), membership(id, middle));
          await suite.feed(deleted("store", { id }));
          expectSame(await suite.taken(entry(suite.id("entry"), middle, id, "1.00")), [1, 0]);
        },
      "Deleting what is already soft-deleted, left or erased counts under `ignored`.": async () => {
        const ids = suite.ids("campaign customer");
        const lines = [deleted("campaign", { id: ids.campaign }), deleted("customer", { id: ids.customer })];
        await suite.feed(campaign(ids.campaign, accountId), customer(ids.customer));
        expectSame(
          [await suite.taken(...lines), await suite.taken(...lines)],
          [
            [2, 0],
            [0, 2],
          ],
        );
      },
      "Within one request, what refers to others is deleted before what it refers to.": async () => {
        const ids = suite.ids("store customer");
        await suite.feed(store(ids.store, accountId), customer(ids.customer), membership(ids.store, ids.customer));
        const lines = [
          deleted("customer", { id: ids.customer }),
          deleted("membership", { store_id: ids.store, customer_id: ids.customer }),
        ];
        expectSame(await suite.taken(...lines), [2, 0]);
      },
      '**A message** that is deleted keeps its id, sender and time, and its body becomes `""` for everybody':
        async () => {
          const [talk, id] = [suite.id("talk"), suite.id("message")];
          await suite.feed(
            group(talk, [ann.id, ben.id]),
            message(id, talk, ben.id, "rude", { sent_at: "2026-01-06 09:00:00" }),
          );
          expectSame(await suite.taken(deleted("message", { id })), [1, 0]);
          for (const caller of [ann, ben]) {
            const [came] = itemsOf(await suite.get(caller, "messages")).filter((item) => item.group_id === talk);
            const kept = { last_message: "", last_customer: ben.id, last_message_time: "2026-01-06 09:00:00" };
            expectFields(came, kept);
          }
        },
      "It is deleted after the request's messages are stored, wherever the line stands. It counts under `ignored` if it is not stored, is empty already":
        async () => {
          const [talk, id] = [suite.id("talk"), suite.id("message")];
          const line = deleted("message", { id });
          expectSame(await suite.taken(line), [0, 1]);
          const lines = [line, group(talk, [ann.id, ben.id]), message(id, talk, ben.id, "rude")];
          expectSame(await suite.taken(...lines), [3, 0]);
          expectSame(await suite.taken(line), [0, 1]);
        },
      "Correct a wrong one by another: a balance entry or an earning with the opposite amount, a play with negative counts and runs.":
        async () => {
          const [place, league, player] = [suite.id("store"), suite.id("league"), suite.id("player")];
          const counts = (sign: string) => ({
            hits: Number(`${sign}3`),
            doubles: Number(`${sign}2`),
            triples: Number(`${sign}1`),
          });
          const plays = ["", "-", "-"].map((sign) =>
            play(suite.id("play"), league, place, player, { runs: `${sign}0.5`, ...counts(sign) }),
          );
          await suite.feed(
            store(place, accountId),
            eipCampaign(league, accountId),
            employee(player, accountId, "Ada"),
            ...plays,
          );
          const [came] = itemsOf(await suite.post(ann, "gamification/leaderboard", { location_id: place }));
          const wanted = { total_runs: "-0.5", total_hits: -3, total_doubles: -2, total_triples: -1 };
          expectFields(came, wanted);
        },
      "`deleted` on an event other than a message, or a value other than a boolean, is a bad line.": async () => {
        await suite.refused([{ ...entry(suite.id("entry"), ann.id, shop, "1.00"), deleted: true }], "line 1.deleted");
        await suite.refused([{ ...store(shop, accountId), deleted: "yes" }], "line 1.deleted");
      },
    },
  };
}
