import { expectFailure, expectInvalid, expectSame, expectThat } from "../expect.ts";
import type { Answer, Item } from "../http.ts";
import { account, campaign, coupon, customer, entry, issued, store, time } from "../lines.ts";
import type { Section, Suite } from "../suite.ts";

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
          expectSame(await suite.taken("", `\uFEFF${line}\r`, "  ", line), [2, 0]);
          await suite.refused(["", "", '{"record": "store"'], "line 3");
        },
      "where N + M is the number of lines sent": async () => {
        const first = entry(suite.id("entry"), ada, shop, "1.00");
        expectSame(await suite.taken(first, customer(bob)), [2, 0]);
        expectSame(await suite.taken(first, customer(bob), entry(suite.id("entry"), ada, shop, "1.00")), [2, 1]);
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
        expectSame(await createdAt(), "2020-02-29 12:00:00");
      },
      "The fields and accounts of such a line are still checked; its references are not.": async () => {
        const line = entry(suite.id("entry"), ada, shop, "5.00");
        await suite.feed(line);
        expectSame(await suite.taken({ ...line, customer_id: "nobody" }, { ...line, store_id: "x" }), [0, 2]);
        await suite.refused([{ ...line, amount: "x" }], "line 1.amount");
        const answer = await suite.send([line, { ...line, store_id: otherShop }], await suite.tokens.feed(mine));
        expectFailure(answer, 403, "FORBIDDEN");
      },
      "The fields and accounts of every line are checked, but references and fixed fields only of the line that counts.":
        async () => {
          const [line, nowhere] = [store(shop, mine), suite.accountId()];
          await suite.refused([{ ...line, latitude: 91 }, line], "line 1.latitude");
          expectSame(await suite.taken({ ...line, account_id: other }, { ...line, account_id: nowhere }, line), [3, 0]);
          const answer = await suite.send([{ ...line, account_id: other }, line], await suite.tokens.feed(mine));
          expectFailure(answer, 403, "FORBIDDEN");
        },
      'The record is "first stored" at its first line.': async () => {
        const [name, one, two] = [suite.word(), suite.id("store"), suite.id("store")];
        await suite.feed(store(two, mine, { name }), store(one, mine, { name }), store(two, mine, { name }));
        expectSame(
          (await suite.found(ann, "stores", name)).map(({ id }) => id),
          [two, one],
        );
      },
      "Accounts and references are checked only when all fields are good, accounts (403) first.": async () => {
        const [token, foreign] = [await suite.tokens.feed(mine), store(suite.id("store"), other)];
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
        expectSame((await body(blank, token)).body.items, { accepted: 0, ignored: 0 });
      },
      "If any line is bad, nothing is applied.": async () => {
        const name = suite.word();
        await suite.refused(
          [store(suite.id("store"), mine, { name }), store(suite.id("store"), mine, { latitude: 91 })],
          "line 2.latitude",
        );
        const pair = [
          store(suite.id("store"), mine, { name }),
          entry(suite.id("entry"), suite.id("nobody"), shop, "1.00"),
        ];
        await suite.refused(pair, "line 2.customer_id");
        expectSame((await suite.found(ann, "stores", name)).length, 0);
      },
      "*State* is upserted by its key. A field left out takes its default.": async () => {
        const id = suite.id("store");
        await suite.feed(store(id, mine, { name: `${word} one`, city: "Tulsa" }));
        await suite.feed(store(id, mine, { name: `${word} two` }));
        const came = (await suite.found(ann, "stores", word)).map(({ name, city }) => [name, city]);
        expectSame(came, [[`${word} two`, ""]]);
      },
      "*Events* are stored once by their `id`. The same id again, stored or on an earlier line, counts under `ignored`, so a retry is safe.":
        async () => {
          const line = entry(suite.id("entry"), ada, shop, "5.00");
          expectSame(await suite.taken(line, line), [1, 1]);
          expectSame(await suite.taken(line), [0, 1]);
        },
      "The last line counts.": async () => {
        const [id, name] = [suite.id("store"), suite.word()];
        expectSame(await suite.taken(store(id, mine, { name: "First" }), store(id, mine, { name })), [2, 0]);
        expectSame(
          (await suite.found(ann, "stores", name)).map((item) => item.id),
          [id],
        );
      },
      '`messages` maps `"line <n>.<field>"` to texts, for the first 100 bad lines': async () => {
        await suite.refused(
          [store(suite.id("store"), mine, { latitude: 91, name: 7 }), { record: "nothing" }, "[1]"],
          "line 1.latitude",
          "line 1.name",
          "line 2.record",
          "line 3",
        );
        const answer = await suite.send(Array.from({ length: 101 }, () => ({ record: "store" })));
        const named = new Set(Object.keys(answer.body.messages ?? {}).map((field) => field.split(".")[0]));
        expectSame([answer.status, named.size], [422, 100]);
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
        expectSame([answer.status, answer.body.errorCode], [422, "VALIDATION_EXCEPTION"]);
        expectSame(answer.body.messages, { body: ["a total would be too large"] });
      },
    },
  };
}
