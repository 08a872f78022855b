import { expectFailure, expectInvalid, expectList, expectSame, expectThat } from "../expect.ts";
import type { Answer } from "../http.ts";
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
  registration,
  store,
  time,
} from "../lines.ts";
import type { Line, Section, Suite } from "../suite.ts";

const MOST_LINES = 2_000;
const MOST_BYTES = 2 * 1_024 * 1_024;
const LARGEST_TOTAL = "90071992547409.91";
const LARGEST_AMOUNT = "999999999999.99";

/** docs/contract/feed.md, 1 */
export async function feedRules(suite: Suite): Promise<Section> {
  const { ann } = await suite.callers();
  const { mine, other } = suite.accountIds("mine other");
  const { shop, otherShop, plain, otherPlain, ada, bob } = suite.ids("shop otherShop plain otherPlain ada bob");

  const sendBody = async (body: string): Promise<Answer> =>
    suite.http.send("/api/v1/feed", { token: await suite.tokens.feed(), body });
  const sendForMine = async (...lines: Line[]) => suite.send(lines, await suite.tokens.feed(mine));
  const aStore = (fields: object = {}, accountId = mine) => store(suite.id("store"), accountId, { ...fields });
  const anEntry = (amount = "1.00", fields: object = {}) => entry(suite.id("entry"), ada, shop, amount, { ...fields });
  const aCampaign = (storeIds: readonly string[]) => campaign(suite.id("campaign"), mine, { store_ids: storeIds });

  return {
    cited: "feed, 1",
    lines: [
      account(mine),
      account(other),
      store(shop, mine),
      store(otherShop, other),
      coupon(plain, mine),
      coupon(otherPlain, other),
      ...[ann.id, ada, bob].map((id) => customer(id)),
    ],
    feeds: {
      "Blank lines are skipped, but count in line numbers. A byte order mark at the start of a line and CRLF are accepted.":
        async () => {
          const line = JSON.stringify(customer(ada));
          expectSame(await suite.taken("", `\uFEFF${line}\r`, "  ", line), [2, 0]);
          await suite.refused(["", "", '{"record": "store"'], "line 3");
        },
      "where N + M is the number of lines sent": async () => {
        const first = anEntry();
        expectSame(await suite.taken(first, customer(bob)), [2, 0]);
        expectSame(await suite.taken(first, customer(bob), anEntry()), [2, 1]);
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
        expectSame(await suite.taken({ ...line, customer_id: "nobody" }, { ...line, store_id: "x" }), [0, 2]);
        await suite.refusedLine({ ...line, amount: "x" }, "amount");
        expectFailure(await sendForMine(line, { ...line, store_id: otherShop }), 403, "FORBIDDEN");
      },
      "The fields and accounts of every line are checked, but references and fixed fields only of the line that counts.":
        async () => {
          const [line, nowhere] = [store(shop, mine), suite.accountId()];
          await suite.refused([{ ...line, latitude: 91 }, line], "line 1.latitude");
          expectSame(await suite.taken({ ...line, account_id: other }, { ...line, account_id: nowhere }, line), [3, 0]);
          expectFailure(await sendForMine({ ...line, account_id: other }, line), 403, "FORBIDDEN");
        },
      'The record is "first stored" at its first line.': async () => {
        const [name, one, two] = [suite.word(), suite.id("store"), suite.id("store")];
        await suite.feed(store(two, mine, { name }), store(one, mine, { name }), store(two, mine, { name }));
        expectList(await suite.found(ann, "stores", name), [two, one]);
      },
      "Accounts and references are checked only when all fields are good, accounts (403) first.": async () => {
        const [foreign, lost] = [aStore({}, other), aCampaign(["gone"])];
        expectInvalid(await sendForMine({ ...foreign, latitude: 91 }), "line 1.latitude");
        expectFailure(await sendForMine(foreign, lost), 403, "FORBIDDEN");
        expectInvalid(await sendForMine(lost), "line 1.store_ids");
      },
      "The message says which limit, and how much the request holds.": async () => {
        const listed = ["x", "y"].map((letter) => aCampaign(Array.from({ length: 10_001 }, (_, at) => letter + at)));
        for (const [body, ...numbers] of [
          ["{}\n".repeat(MOST_LINES + 345), "2,345", "2,000"],
          [" ".repeat(MOST_BYTES + 1), "2,097,153", "2 MiB"],
          [listed.map((line) => JSON.stringify(line)).join("\n"), "20,002", "20,000"],
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
        await suite.refused([aStore({ name }), aStore({ latitude: 91 })], "line 2.latitude");
        await suite.refused([aStore({ name }), anEntry("1.00", { customer_id: "nobody" })], "line 2.customer_id");
        expectList(await suite.found(ann, "stores", name), []);
      },
      "*State* is upserted by its key. A field left out takes its default.": async () => {
        const [id, word] = [suite.id("store"), suite.word()];
        await suite.feed(store(id, mine, { name: `${word} one`, city: "Tulsa" }));
        await suite.feed(store(id, mine, { name: `${word} two` }));
        const actual = (await suite.found(ann, "stores", word)).map(({ name, city }) => [name, city]);
        expectSame(actual, [[`${word} two`, ""]]);
      },
      "*Events* are stored once by their `id`. The same id again, stored or on an earlier line, counts under `ignored`, so a retry is safe.":
        async () => {
          const line = anEntry();
          expectSame(await suite.taken(line, line), [1, 1]);
          expectSame(await suite.taken(line), [0, 1]);
        },
      "The last line counts.": async () => {
        const [id, name] = [suite.id("store"), suite.word()];
        expectSame(await suite.taken(store(id, mine, { name: "First" }), store(id, mine, { name })), [2, 0]);
        expectList(await suite.found(ann, "stores", name), [id]);
      },
      '`messages` maps `"line <n>.<field>"` to texts, for the first 100 bad lines': async () => {
        const lines = [aStore({ latitude: 91, name: 7 }), { record: "nothing" }, "[1]"];
        await suite.refused(lines, "line 1.latitude", "line 1.name", "line 2.record", "line 3");
        const answer = await suite.send(Array.from({ length: 101 }, () => ({ record: "store" })));
        const named = new Set(Object.keys(answer.body.messages ?? {}).map((field) => field.split(".")[0]));
        expectSame([answer.status, named.size], [422, 100]);
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
          expectSame(await suite.taken(membership(id, ada), store(id, accountId), account(accountId)), [3, 0]);
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
        const named = lines.flatMap(([, ...fields], index) => fields.map((field) => `line ${index + 1}.${field}`));
        await suite.refused(
          lines.map(([line]) => line),
          ...named,
        );
      },
      "the referrer must be a member already or stand on an earlier line, so members who would refer to each other in a circle are refused":
        async () => {
          const id = suite.id("store");
          const referred = membership(id, ada, { referrer_id: bob });
          await suite.refused([store(id, mine), referred, membership(id, bob)], "line 2.referrer_id");
          expectSame(await suite.taken(store(id, mine), membership(id, bob), referred), [3, 0]);
        },
      "References stay within one account: a campaign's stores, a balance entry's campaign and store, a coupon's campaign, an issued coupon's store, and a play's three.":
        async () => {
          const ids = suite.ids("campaign league player");
          const foreign = campaign(ids.campaign, other);
          await suite.feed(foreign, eipCampaign(ids.league, other), employee(ids.player, mine, "Ada"));
          await suite.refusedLine(aCampaign([otherShop]), "store_ids");
          await suite.refusedLine({ ...foreign, store_ids: [shop] }, "store_ids");
          await suite.refusedLine(anEntry("1.00", { campaign_id: ids.campaign }), "campaign_id");
          await suite.refusedLine(coupon(suite.id("coupon"), mine, { campaign_id: ids.campaign }), "campaign_id");
          await suite.refusedLine(issued(suite.id("issued"), ann.id, otherPlain, shop), "campaign_coupon_id");
          await suite.refusedLine(play(suite.id("play"), ids.league, shop, ids.player), "eip_campaign_id");
          await suite.refusedLine(play(suite.id("play"), ids.league, otherShop, ids.player), "employee_id");
        },
      "What a record belongs to never changes": async () => {
        const ids = suite.ids("campaign league player talk issued");
        await suite.feed(
          ...[campaign(ids.campaign, mine), eipCampaign(ids.league, mine), employee(ids.player, mine, "Ada")],
          ...[group(ids.talk, [ada, bob]), membership(shop, bob), membership(shop, ada, { referrer_id: bob })],
          issued(ids.issued, ann.id, plain, shop),
        );
        await suite.refusedLine(store(shop, other), "account_id");
        await suite.refusedLine(campaign(ids.campaign, other), "account_id");
        await suite.refusedLine(eipCampaign(ids.league, other), "account_id");
        await suite.refusedLine(employee(ids.player, other, "Ada"), "account_id");
        await suite.refusedLine(coupon(plain, mine, { kind: "mfg" }), "kind");
        await suite.refusedLine(group(ids.talk, [bob, ada]), "initial_customer_id");
        await suite.refusedLine(membership(shop, bob, { referrer_id: ada }), "referrer_id");
        await suite.refusedLine(issued(ids.issued, ada, plain, shop), "customer_id");
        await suite.refusedLine(
          issued(ids.issued, ann.id, otherPlain, otherShop),
          ...["campaign_coupon_id", "store_id"],
        );
        for (const fields of [{}, { referrer_id: null }]) await suite.feed(membership(shop, ada, fields));
      },
      "If the token does not cover one of them, the answer is 403 and nothing is applied. It names the lines, up to 100, but not the accounts.":
        async () => {
          const name = suite.word();
          const answer = await sendForMine(aStore({ name }), aStore({ name }, other));
          expectFailure(answer, 403, "FORBIDDEN");
          expectThat(/\b2\b/.test(String(answer.body.message)), "the message does not name line 2");
          expectThat(!answer.text.includes(other), "the message names the account");
          expectFailure(await sendForMine(store(otherShop, mine)), 403, "FORBIDDEN");
          expectList(await suite.found(ann, "stores", name), []);
        },
      'Customers, friendships, blocks, message groups, messages and message states belong to no account and need `"accounts": "*"`.':
        async () => expectFailure(await sendForMine(customer(ada)), 403, "FORBIDDEN"),
    },
  };
}
