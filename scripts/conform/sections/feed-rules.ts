import { expectFailure, expectInvalid, expectList, expectSame, expectThat } from "../expect.ts";
import type { Answer } from "../http.ts";
import {
  account,
  campaign,
  coupon,
  customer,
  deleted,
  eipCampaign,
  employee,
  entry,
  group,
  issued,
  membership,
  message,
  play,
  registration,
  store,
  time,
} from "../lines.ts";
import type { Line, Section, Suite } from "../suite.ts";

const MOST_LINES = 2_000;
const MOST_BYTES = 2 * 1_024 * 1_024;
const LARGEST_TOTAL = "90071992547409.91";
const LARGEST_AMOUNT = "999999999999.99";

export async function feedRules(suite: Suite): Promise<Section> {
  const { ann } = await suite.callers();
  const { mine, otherAccount } = suite.accountIds("mine otherAccount");
  const { shop, otherShop, plain, otherPlain, ada, bob } = suite.ids("shop otherShop plain otherPlain ada bob");

  const sendBody = async (body: string): Promise<Answer> =>
    suite.http.send("/api/v1/feed", { token: await suite.tokens.feed(), body });
  const sendForMine = async (...lines: Line[]) => suite.send(lines, await suite.tokens.feed(mine));
  const aStore = (fields: object = {}, accountId = mine) => store(suite.id("store"), accountId, { ...fields });
  const anEntry = (amount = "1.00", fields: object = {}) => entry(suite.id("entry"), ada, shop, amount, { ...fields });
  const aCampaign = (storeIds: readonly string[]) => campaign(suite.id("campaign"), mine, { store_ids: storeIds });

  return {
    section: "feed, 1",
    lines: [
      account(mine),
      account(otherAccount),
      store(shop, mine),
      store(otherShop, otherAccount),
      coupon(plain, mine),
      coupon(otherPlain, otherAccount),
      ...[ann.id, ada, bob].map((id) => customer(id)),
    ],
    rulesWithFeeding: {
      "Blank lines are skipped, but count in line numbers. A byte order mark at the start of a line and CRLF are accepted.":
        async () => {
          const line = JSON.stringify(customer(ada));
          expectSame(await suite.feedCounts("", `\uFEFF${line}\r`, "  ", line), { accepted: 2, ignored: 0 });
          await suite.expectRefused(["", "", '{"record": "store"'], "line 3");
        },
      "where N + M is the number of lines sent": async () => {
        const first = anEntry();
        expectSame(await suite.feedCounts(first, customer(bob)), { accepted: 2, ignored: 0 });
        expectSame(await suite.feedCounts(first, customer(bob), anEntry()), { accepted: 2, ignored: 1 });
      },
      "A time left out is now when the record is first written, and unchanged afterwards.": async () => {
        const id = suite.id("issued");
        const createdAt = async () => String((await suite.couponOf(ann, id))?.created_at);
        const [before, after] = [time(-5 * 60), time(5 * 60)];
        await suite.feed(issued(id, ann.id, plain, shop));
        const first = await createdAt();
        expectThat(before <= first && first <= after, `a time that was left out is ${first}`);
        await suite.feed(issued(id, ann.id, plain, shop, { created_at: "2020-02-29 12:00:00" }));
        await suite.feed(issued(id, ann.id, plain, shop, { total_count: 2 }));
        expectSame(await createdAt(), "2020-02-29 12:00:00");
      },
      "The fields and accounts of such a line are still checked; its references are not.": async () => {
        const line = anEntry();
        await suite.feed(line);
        expectSame(await suite.feedCounts({ ...line, customer_id: "nobody" }, { ...line, store_id: "x" }), {
          accepted: 0,
          ignored: 2,
        });
        await suite.expectLineRefused({ ...line, amount: "x" }, "amount");
        expectFailure(await sendForMine(line, { ...line, store_id: otherShop }), 403, "FORBIDDEN");
      },
      "The fields and accounts of every line are checked, but references and fixed fields only of the line that counts.":
        async () => {
          const [line, unknownAccount] = [store(shop, mine), suite.accountId()];
          await suite.expectRefused([{ ...line, latitude: 91 }, line], "line 1.latitude");
          expectSame(
            await suite.feedCounts(
              { ...line, account_id: otherAccount },
              { ...line, account_id: unknownAccount },
              line,
            ),
            { accepted: 3, ignored: 0 },
          );
          expectFailure(await sendForMine({ ...line, account_id: otherAccount }, line), 403, "FORBIDDEN");
          const ownCampaign = aCampaign([shop]);
          const reachingCampaign = { ...ownCampaign, store_ids: [shop, otherShop] };
          for (const laterLine of [ownCampaign, deleted("campaign", { id: ownCampaign.id })])
            expectFailure(await sendForMine(reachingCampaign, laterLine), 403, "FORBIDDEN");
        },
      'The record is "first stored" at its first line.': async () => {
        const [name, first, second] = [suite.word(), suite.id("store"), suite.id("store")];
        await suite.feed(store(second, mine, { name }), store(first, mine, { name }), store(second, mine, { name }));
        expectList(await suite.search(ann, "stores", name), [second, first]);
      },
      "Accounts and references are checked only when all fields are good, accounts (403) first.": async () => {
        const [foreignStore, badCampaign] = [aStore({}, otherAccount), aCampaign(["gone"])];
        expectInvalid(await sendForMine({ ...foreignStore, latitude: 91 }), "line 1.latitude");
        expectFailure(await sendForMine(foreignStore, badCampaign), 403, "FORBIDDEN");
        expectInvalid(await sendForMine(badCampaign), "line 1.store_ids");
      },
      "The message says which limit, and how much the request holds.": async () => {
        const campaigns = ["x", "y"].map((letter) => aCampaign(Array.from({ length: 10_001 }, (_, at) => letter + at)));
        for (const [body, ...numbers] of [
          ["{}\n".repeat(MOST_LINES + 345), "2,345", "2,000"],
          [" ".repeat(MOST_BYTES + 1), "2,097,153", "2 MiB"],
          [campaigns.map((line) => JSON.stringify(line)).join("\n"), "20,002", "20,000"],
        ] as [string, ...string[]][]) {
          const answer = await sendBody(body);
          expectFailure(answer, 413, "PAYLOAD_TOO_LARGE");
          const missing = numbers.filter((number) => !String(answer.body.message).includes(number));
          expectSame(missing, [], String(answer.body.message));
        }
      },
      "lines, without blank ones | 2,000": async () => {
        expectFailure(await sendBody("{}\n".repeat(MOST_LINES + 1)), 413, "PAYLOAD_TOO_LARGE");
        expectSame((await sendBody("\n".repeat(MOST_LINES + 1))).body.items, { accepted: 0, ignored: 0 });
      },
      "body | 2 MiB": async () => {
        expectFailure(await sendBody(" ".repeat(MOST_BYTES + 1)), 413, "PAYLOAD_TOO_LARGE");
      },
      "If any line is bad, nothing is applied.": async () => {
        const name = suite.word();
        await suite.expectRefused([aStore({ name }), aStore({ latitude: 91 })], "line 2.latitude");
        await suite.expectRefused([aStore({ name }), anEntry("1.00", { customer_id: "nobody" })], "line 2.customer_id");
        expectList(await suite.search(ann, "stores", name), []);
      },
      "*State* is upserted by its key. A field left out takes its default.": async () => {
        const [id, word] = [suite.id("store"), suite.word()];
        await suite.feed(store(id, mine, { name: `${word} one`, city: "Tulsa" }));
        await suite.feed(store(id, mine, { name: `${word} two` }));
        const actual = (await suite.search(ann, "stores", word)).map(({ name, city }) => [name, city]);
        expectSame(actual, [[`${word} two`, ""]]);
      },
      "*Events* are stored once by their `id`. The same id again, stored or on an earlier line, counts under `ignored`, so a retry is safe.":
        async () => {
          const line = anEntry();
          expectSame(await suite.feedCounts(line, line), { accepted: 1, ignored: 1 });
          expectSame(await suite.feedCounts(line), { accepted: 0, ignored: 1 });
        },
      "The last line counts.": async () => {
        const [id, name] = [suite.id("store"), suite.word()];
        expectSame(await suite.feedCounts(store(id, mine, { name: "First" }), store(id, mine, { name })), {
          accepted: 2,
          ignored: 0,
        });
        expectList(await suite.search(ann, "stores", name), [id]);
      },
      '`messages` maps `"line <n>.<field>"` to texts, for the first 100 bad lines': async () => {
        const lines = [aStore({ latitude: 91, name: 7 }), { record: "nothing" }, "[1]"];
        await suite.expectRefused(lines, "line 1.latitude", "line 1.name", "line 2.record", "line 3");
        const answer = await suite.send(Array.from({ length: 101 }, () => ({ record: "store" })));
        const badLines = new Set(Object.keys(answer.body.messages ?? {}).map((field) => field.split(".")[0]));
        expectSame([answer.status, badLines.size], [422, 100]);
      },
      "A request that takes a total beyond that is refused with 422": async () => {
        const count = Math.ceil(Number(LARGEST_TOTAL) / Number(LARGEST_AMOUNT)) + 1;
        const { status, body } = await suite.send(Array.from({ length: count }, () => anEntry(LARGEST_AMOUNT)));
        expectSame([status, body.errorCode], [422, "VALIDATION_EXCEPTION"]);
        expectSame(body.messages, { body: ["a total would be too large"] });
      },
      "A record may refer to one that is stored, or that stands on any line of the same request, before or after.":
        async () => {
          const [id, accountId] = [suite.id("store"), suite.accountId()];
          expectSame(await suite.feedCounts(membership(id, ada), store(id, accountId), account(accountId)), {
            accepted: 3,
            ignored: 0,
          });
        },
      "Any other reference is a bad line, named by its field.": async () => {
        const lines: [Line, ...string[]][] = [
          [membership("nowhere", "nobody"), "customer_id", "store_id"],
          [
            entry(suite.id("entry"), "nobody", "nowhere", "1", { campaign_id: "nothing" }),
            ...["customer_id", "store_id", "campaign_id"],
          ],
          [aCampaign([shop, "nowhere"]), "store_ids"],
          [issued(suite.id("issued"), "nobody", "nothing", "nowhere"), "customer_id", "campaign_coupon_id", "store_id"],
          [play(suite.id("play"), "none", "nowhere", "nobody"), "eip_campaign_id", "location_id", "employee_id"],
          [registration("none", "nobody"), "campaign_id", "customer_id"],
          [message(suite.id("message"), "none", ann.id, "x"), "group_id"],
        ];
        const badFields = lines.flatMap(([, ...fields], index) => fields.map((field) => `line ${index + 1}.${field}`));
        await suite.expectRefused(
          lines.map(([line]) => line),
          ...badFields,
        );
      },
      "the referrer must be a member already or stand on an earlier line, so members who would refer to each other in a circle are refused":
        async () => {
          const id = suite.id("store");
          const referredMember = membership(id, ada, { referrer_id: bob });
          await suite.expectRefused([store(id, mine), referredMember, membership(id, bob)], "line 2.referrer_id");
          expectSame(await suite.feedCounts(store(id, mine), membership(id, bob), referredMember), {
            accepted: 3,
            ignored: 0,
          });
        },
      "References stay within one account: a campaign's stores, a balance entry's campaign and store, a coupon's campaign, an issued coupon's store, and a play's three.":
        async () => {
          const ids = suite.ids("campaign league player");
          const foreignCampaign = campaign(ids.campaign, otherAccount);
          await suite.feed(foreignCampaign, eipCampaign(ids.league, otherAccount), employee(ids.player, mine, "Ada"));
          await suite.expectLineRefused(aCampaign([otherShop]), "store_ids");
          await suite.expectLineRefused({ ...foreignCampaign, store_ids: [shop] }, "store_ids");
          await suite.expectLineRefused(anEntry("1.00", { campaign_id: ids.campaign }), "campaign_id");
          await suite.expectLineRefused(coupon(suite.id("coupon"), mine, { campaign_id: ids.campaign }), "campaign_id");
          await suite.expectLineRefused(issued(suite.id("issued"), ann.id, otherPlain, shop), "campaign_coupon_id");
          await suite.expectLineRefused(play(suite.id("play"), ids.league, shop, ids.player), "eip_campaign_id");
          await suite.expectLineRefused(play(suite.id("play"), ids.league, otherShop, ids.player), "employee_id");
        },
      "What a record belongs to never changes": async () => {
        const ids = suite.ids("campaign league player talk issued");
        await suite.feed(
          ...[campaign(ids.campaign, mine), eipCampaign(ids.league, mine), employee(ids.player, mine, "Ada")],
          ...[group(ids.talk, [ada, bob]), membership(shop, bob), membership(shop, ada, { referrer_id: bob })],
          issued(ids.issued, ann.id, plain, shop),
        );
        await suite.expectLineRefused(store(shop, otherAccount), "account_id");
        await suite.expectLineRefused(campaign(ids.campaign, otherAccount), "account_id");
        await suite.expectLineRefused(eipCampaign(ids.league, otherAccount), "account_id");
        await suite.expectLineRefused(employee(ids.player, otherAccount, "Ada"), "account_id");
        await suite.expectLineRefused(coupon(plain, mine, { kind: "mfg" }), "kind");
        await suite.expectLineRefused(group(ids.talk, [bob, ada]), "initial_customer_id");
        await suite.expectLineRefused(membership(shop, bob, { referrer_id: ada }), "referrer_id");
        await suite.expectLineRefused(issued(ids.issued, ada, plain, shop), "customer_id");
        await suite.expectLineRefused(
          issued(ids.issued, ann.id, otherPlain, otherShop),
          ...["campaign_coupon_id", "store_id"],
        );
        for (const fields of [{}, { referrer_id: null }]) await suite.feed(membership(shop, ada, fields));
      },
      "If the token does not cover one of them, the answer is 403 and nothing is applied. It names the lines, up to 100, but not the accounts.":
        async () => {
          const name = suite.word();
          const answer = await sendForMine(aStore({ name }), aStore({ name }, otherAccount));
          expectFailure(answer, 403, "FORBIDDEN");
          expectThat(/\b2\b/.test(String(answer.body.message)), "the message does not name line 2");
          expectThat(!answer.text.includes(otherAccount), "the message names the account");
          expectFailure(await sendForMine(store(otherShop, mine)), 403, "FORBIDDEN");
          expectList(await suite.search(ann, "stores", name), []);
        },
      'Customers, friendships, blocks, message groups, messages and message states belong to no account and need `"accounts": "*"`.':
        async () => expectFailure(await sendForMine(customer(ada)), 403, "FORBIDDEN"),
    },
  };
}
