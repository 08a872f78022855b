import { expectFailure, expectInvalid, expectOk, expectSame, expectThat } from "../expect.ts";
import { type Answer, type Item, listOf } from "../http.ts";
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
  time,
} from "../lines.ts";
import type { Line, Section, Suite } from "../suite.ts";

const FEED = "/api/v1/feed";
const MOST_LINES = 2_000;
const MOST_BYTES = 2 * 1_024 * 1_024;
const LARGEST_TOTAL = "90071992547409.91";
const LARGEST_AMOUNT = "999999999999.99";

/** docs/contract/feed.md, 1 */
export async function feedRules(suite: Suite): Promise<Section> {
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
  const word = suite.word();

  /** What the feed took: accepted, ignored. */
  const taken = async (...lines: (Line | string)[]) => {
    const answer = await suite.send(lines);
    expectOk(answer);
    const { accepted, ignored } = answer.body.items as { accepted?: number; ignored?: number };
    return [accepted, ignored];
  };
  const refused = async (lines: readonly (Line | string)[], ...fields: string[]) =>
    expectInvalid(await suite.send(lines), ...fields);
  const found = async (query: string) =>
    listOf(await suite.post(ann, "full-search", { query, filter: "stores", typos: false }), "stores");
  const limited = async (...accounts: string[]) => suite.tokens.sign({ scope: "feed", sub: "conform", accounts });
  const body = (text: string, token: string): Promise<Answer> => suite.http.send(FEED, { token, body: text });

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
      "Blank lines are skipped, but count in line numbers. A byte order mark at the start of a line and CRLF are accepted.":
        async () => {
          const line = JSON.stringify(customer(ada));
          expectSame(await taken("", `\uFEFF${line}\r`, "  ", line), [2, 0], "two lines and blank ones");
          await refused(["", "", '{"record": "store"'], "line 3");
        },
      "where N + M is the number of lines sent": async () => {
        const first = entry(suite.id("entry"), ada, shop, "1.00");
        expectSame(await taken(first, customer(bob)), [2, 0], "two new lines");
        expectSame(
          await taken(first, customer(bob), entry(suite.id("entry"), ada, shop, "1.00")),
          [2, 1],
          "one of them again",
        );
      },
      "A time left out is now when the record is first written, and unchanged afterwards.": async () => {
        const id = suite.id("issued");
        const createdAt = async () => {
          const { items } = (await suite.get(ann, "coupons")).body;
          return (items as Item[]).find((item) => item.id === id)?.created_at;
        };
        const [before, after] = [time(-5 * 60), time(5 * 60)];
        await suite.feed(issued(id, ann.id, plain, shop));
        const first = await createdAt();
        expectThat(before <= String(first) && String(first) <= after, `a time that was left out is ${first}`);
        await suite.feed(issued(id, ann.id, plain, shop, { created_at: "2020-02-29 12:00:00" }));
        await suite.feed(issued(id, ann.id, plain, shop, { total_count: 2 }));
        expectSame(await createdAt(), "2020-02-29 12:00:00", "a time that a later line leaves out");
      },
      "The fields and accounts of such a line are still checked; its references are not.": async () => {
        const line = entry(suite.id("entry"), ada, shop, "5.00");
        await suite.feed(line);
        expectSame(await taken({ ...line, customer_id: "nobody" }, { ...line, store_id: "x" }), [0, 2], "repetitions");
        await refused([{ ...line, amount: "x" }], "line 1.amount");
        const answer = await suite.send([line, { ...line, store_id: otherShop }], await limited(mine));
        expectFailure(answer, 403, "FORBIDDEN");
      },
      "The fields and accounts of every line are checked, but references and fixed fields only of the line that counts.":
        async () => {
          const [line, nowhere] = [store(shop, mine), suite.accountId()];
          await refused([{ ...line, latitude: 91 }, line], "line 1.latitude");
          expectSame(
            await taken({ ...line, account_id: other }, { ...line, account_id: nowhere }, line),
            [3, 0],
            "lines",
          );
          const answer = await suite.send([{ ...line, account_id: other }, line], await limited(mine));
          expectFailure(answer, 403, "FORBIDDEN");
        },
      'The record is "first stored" at its first line.': async () => {
        const [name, one, two] = [suite.word(), suite.id("store"), suite.id("store")];
        await suite.feed(store(two, mine, { name }), store(one, mine, { name }), store(two, mine, { name }));
        expectSame(
          (await found(name)).map(({ id }) => id),
          [two, one],
          "the stores in their order",
        );
      },
      "Accounts and references are checked only when all fields are good, accounts (403) first.": async () => {
        const [token, foreign] = [await limited(mine), store(suite.id("store"), other)];
        expectInvalid(await suite.send([{ ...foreign, latitude: 91 }], token), "line 1.latitude");
        const lost = campaign(suite.id("campaign"), mine, { store_ids: ["gone"] });
        expectFailure(await suite.send([foreign, lost], token), 403, "FORBIDDEN");
        expectInvalid(await suite.send([lost], token), "line 1.store_ids");
      },
      "The message says which limit, and how much the request holds.": async () => {
        const token = await suite.tokens.feed();
        const lines = Array.from({ length: MOST_LINES + 345 }, () => "{}").join("\n");
        const listed = ["x", "y"].map((letter) =>
          campaign(suite.id("campaign"), mine, { store_ids: Array.from({ length: 10_001 }, (_, at) => letter + at) }),
        );
        for (const [text, ...numbers] of [
          [lines, "2,345", "2,000"],
          [" ".repeat(MOST_BYTES + 1), "2,097,153", "2 MiB"],
          [listed.map((line) => JSON.stringify(line)).join("\n"), "20,002", "20,000"],
        ] as [string, ...string[]][]) {
          const { request, status, body: said } = await body(text, token);
          const missing = numbers.filter((number) => !String(said.message).includes(number));
          expectSame([status, missing], [413, []], `${request} says ${said.message}`);
        }
        const blank = Array.from({ length: MOST_LINES }, () => "").join("\n");
        expectSame((await body(blank, token)).body.items, { accepted: 0, ignored: 0 }, "a request without a line");
      },
      "If any line is bad, nothing is applied.": async () => {
        const name = suite.word();
        await refused(
          [store(suite.id("store"), mine, { name }), store(suite.id("store"), mine, { latitude: 91 })],
          "line 2.latitude",
        );
        const pair = [
          store(suite.id("store"), mine, { name }),
          entry(suite.id("entry"), suite.id("nobody"), shop, "1.00"),
        ];
        await refused(pair, "line 2.customer_id");
        expectSame((await found(name)).length, 0, "stores of a refused request");
      },
      "*State* is upserted by its key. A field left out takes its default.": async () => {
        const id = suite.id("store");
        await suite.feed(store(id, mine, { name: `${word} one`, city: "Tulsa" }));
        await suite.feed(store(id, mine, { name: `${word} two` }));
        const came = (await found(word)).map(({ name, city }) => [name, city]);
        expectSame(came, [[`${word} two`, ""]], "the store that was written twice");
      },
      "*Events* are stored once by their `id`. The same id again, stored or on an earlier line, counts under `ignored`, so a retry is safe.":
        async () => {
          const line = entry(suite.id("entry"), ada, shop, "5.00");
          expectSame(await taken(line, line), [1, 1], "an event twice in one request");
          expectSame(await taken(line), [0, 1], "the same event later");
        },
      "The last line counts.": async () => {
        const [id, name] = [suite.id("store"), suite.word()];
        expectSame(
          await taken(store(id, mine, { name: "First" }), store(id, mine, { name })),
          [2, 0],
          "two lines of one key",
        );
        expectSame(
          (await found(name)).map((item) => item.id),
          [id],
          "the store by its last name",
        );
      },
      '`messages` maps `"line <n>.<field>"` to texts, for the first 100 bad lines': async () => {
        await refused(
          [store(suite.id("store"), mine, { latitude: 91, name: 7 }), { record: "nothing" }, "[1]"],
          "line 1.latitude",
          "line 1.name",
          "line 2.record",
          "line 3",
        );
        const answer = await suite.send(Array.from({ length: 101 }, () => ({ record: "store" })));
        const named = new Set(Object.keys(answer.body.messages ?? {}).map((field) => field.split(".")[0]));
        expectSame([answer.status, named.size], [422, 100], "bad lines of 101");
      },
      "A record may refer to one that is stored, or that stands on any line of the same request, before or after.":
        async () => {
          const [id, accountId] = [suite.id("store"), suite.accountId()];
          expectSame(
            await taken(membership(id, ada), store(id, accountId), account(accountId)),
            [3, 0],
            "references to later lines",
          );
        },
      "Any other reference is a bad line, named by its field.": async () => {
        await refused([membership(suite.id("nowhere"), suite.id("nobody"))], "line 1.customer_id", "line 1.store_id");
        await refused(
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
          await refused(
            [store(id, mine), membership(id, ada, { referrer_id: bob }), membership(id, bob)],
            "line 2.referrer_id",
          );
          expectSame(
            await taken(store(id, mine), membership(id, bob), membership(id, ada, { referrer_id: bob })),
            [3, 0],
            "a referrer on an earlier line",
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
          await refused([campaign(suite.id("campaign"), mine, { store_ids: [otherShop] })], "line 1.store_ids");
          await refused(
            [entry(suite.id("entry"), ada, shop, "1.00", { campaign_id: ids.campaign })],
            "line 1.campaign_id",
          );
          await refused([coupon(suite.id("coupon"), mine, { campaign_id: ids.campaign })], "line 1.campaign_id");
          await refused([issued(suite.id("issued"), ann.id, otherPlain, shop)], "line 1.campaign_coupon_id");
          await refused([play(suite.id("play"), ids.league, shop, ids.player)], "line 1.eip_campaign_id");
          await refused(
            [
              play(suite.id("play"), ids.league, otherShop, ids.player),
              campaign(ids.campaign, other, { store_ids: [shop] }),
            ],
            "line 1.employee_id",
            "line 2.store_ids",
          );
        },
      "What a record belongs to never changes": async () => {
        await refused([store(shop, other)], "line 1.account_id");
        await refused([coupon(plain, mine, { kind: "mfg" })], "line 1.kind");
        const id = suite.id("issued");
        await suite.feed(issued(id, ann.id, plain, shop));
        await refused([issued(id, ada, plain, shop)], "line 1.customer_id");
        await refused([issued(id, ann.id, otherPlain, otherShop)], "line 1.campaign_coupon_id", "line 1.store_id");
        const ids = suite.ids("campaign", "league", "player", "talk");
        await suite.feed(
          ...[campaign(ids.campaign, mine), eipCampaign(ids.league, mine), employee(ids.player, mine, "Ada")],
          ...[group(ids.talk, [ada, bob]), membership(shop, bob), membership(shop, ada, { referrer_id: bob })],
        );
        await refused(
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
          const [token, name] = [await limited(mine), suite.word()];
          const answer = await suite.send(
            [store(suite.id("store"), mine, { name }), store(suite.id("store"), other, { name })],
            token,
          );
          expectFailure(answer, 403, "FORBIDDEN");
          expectThat(/\b2\b/.test(String(answer.body.message)), "the message does not name line 2");
          expectThat(!answer.text.includes(other), "the message names the account");
          expectFailure(await suite.send([store(otherShop, mine)], token), 403, "FORBIDDEN");
          expectSame((await found(name)).length, 0, "stores of a refused request");
        },
      'Customers, friendships, blocks, message groups, messages and message states belong to no account and need `"accounts": "*"`.':
        async () => {
          expectFailure(await suite.send([customer(ada)], await limited(mine)), 403, "FORBIDDEN");
        },
      "lines, without blank ones | 2,000": async () => {
        const lines = Array.from({ length: MOST_LINES + 1 }, () => "{}").join("\n");
        expectFailure(await body(lines, await suite.tokens.feed()), 413, "PAYLOAD_TOO_LARGE");
      },
      "body | 2 MiB": async () => {
        expectFailure(await body(" ".repeat(MOST_BYTES + 1), await suite.tokens.feed()), 413, "PAYLOAD_TOO_LARGE");
      },
      "A request that takes a total beyond that is refused with 422": async () => {
        const count = Math.ceil(Number(LARGEST_TOTAL) / Number(LARGEST_AMOUNT)) + 1;
        const lines = Array.from({ length: count }, () => entry(suite.id("entry"), bob, shop, LARGEST_AMOUNT));
        const answer = await suite.send([customer(ada), ...lines]);
        expectSame([answer.status, answer.body.errorCode], [422, "VALIDATION_EXCEPTION"], "a total beyond the limit");
        expectSame(answer.body.messages, { body: ["a total would be too large"] }, "the answer's messages");
      },
    },
  };
}
