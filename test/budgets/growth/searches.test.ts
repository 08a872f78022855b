import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { NAMES, type Names } from "../../../scripts/bench/hostile-searches.ts";
import { askedWords } from "../../../src/customer/search/asked-words.ts";
import { searchAll } from "../../../src/customer/search/queries.ts";
import { Database } from "../../../src/db/database.ts";
import { costIn, mustFeed } from "../../support/api.ts";
import { asAt } from "../../support/bindings.ts";
import * as seed from "../../support/seed.ts";
import { rows as select } from "../../support/state.ts";

// Each shape is data that a feeder of one account can feed, and a search that it makes expensive. With twice the data, the
// search may read no more rows. SQL stores the records, because the feed takes too few at once.

/** More records than a search looks at. */
const MANY = 12_000;
const MORE_ROWS = 50;
/** The most hidden stores that a count looks up among those of a customer. */
const MOST_LOOKED_UP = 1_000;

const CALLER = "caller";
const api = asAt({ ENVIRONMENT: "development" }, CALLER);

interface Shape {
  query: string;
  filter: "stores" | "customers" | "campaigns";
  /** The records of the first part. The second part has as many more. */
  count: number;
  /** Stores the records `from` to `to` of the shape. */
  store: (from: number, to: number) => Promise<unknown>;
  /** What the search finds, however much is stored. */
  finds: number;
  /** The most rows that it may read; left out: only growth counts. */
  reads?: number;
  isIncomplete?: true;
}

const NUMBERS = "WITH RECURSIVE n(i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < ?)";

const run = (text: string, ...values: unknown[]) =>
  env.DB.prepare(text)
    .bind(...values)
    .run();

/** Stores customers with the words of `wordsOf`, which counts from 0. */
const storeCustomers = (prefix: string, wordsOf: (index: number) => string) => (from: number, to: number) =>
  run(
    `INSERT INTO customers (id, first_name, last_name, scan_id, address_line_1, address_line_2, city, state, zip,
       customer_description, avatar, words)
     SELECT '${prefix}' || (? + key), 'Name', '', '', '', '', '', '', '', '', '', value FROM json_each(?)`,
    from,
    JSON.stringify(Array.from({ length: to - from + 1 }, (_, index) => wordsOf(from - 1 + index))),
  );

const storeStores = (prefix: string, accountId: unknown, words: string) => (from: number, to: number) =>
  run(
    `INSERT INTO stores (id, account_key, name, latitude, longitude, store_image, address_line_1, address_line_2, city,
       state, zip, phone, words)
     ${NUMBERS} SELECT '${prefix}' || i, (SELECT key FROM accounts WHERE id = '${accountId}'), 'Name', 0, 0, '', '', '',
       '', '', '', '', ${words} FROM n`,
    from,
    to,
  );

const [closedAccount, deletedAccount] = [seed.account(), seed.account()];
const [liveAccount, chain] = [seed.account(), seed.account()];
const joiners = Array.from({ length: 20 }, (_, number) => seed.customer({ first_name: `Joiner ${number}` }));

const shapeOf = ({ query, nameOf, finds }: Names): Shape => ({
  query,
  filter: "customers",
  count: MANY,
  store: storeCustomers(query.replaceAll("'", ""), nameOf),
  finds,
});

const PIECES = ["스타", "타벅", "벅스", "스강", "강남"];

/** The words of names that other scripts, or apostrophes, cut into parts. */
const NAMES_OF_SCRIPTS = {
  "the pieces of a Korean name, of which each record lacks one": {
    query: "스타벅스강남",
    finds: 0,
    nameOf: (index: number) => PIECES.filter((_, piece) => index % 5 !== piece).join(" "),
  },
  "the pieces of a Chinese name that all records have": {
    query: "中华人民",
    finds: 20,
    nameOf: () => "中华 华人 人民 民",
  },
  "the beginning of a Thai piece that each record has with other marks": {
    query: "กิ่กิ่กิ่",
    finds: 20,
    nameOf: (index) =>
      `กิ่กิ่กิ่${[1, 8, 64, 512, 4_096].map((step) => String.fromCharCode(3_655 + (Math.floor(index / step) % 8))).join("")}`,
  },
} as const satisfies Record<string, Names>;

const SHAPES: Record<string, Shape> = {
  ...Object.fromEntries(
    Object.entries({ ...NAMES, ...NAMES_OF_SCRIPTS }).map(([name, names]) => [name, shapeOf(names)]),
  ),
  "common names with apostrophes, and a rare word that none of their records has": {
    query: "o'brien o'neil zzyzx",
    filter: "customers",
    // Fewer are so short that FTS5 intersects their lists.
    count: 2 * MANY,
    store: storeCustomers("brien", (index) => (index < 200 ? "zzyzx" : "o brien obrien neil oneil")),
    finds: 0,
  },
  // Each count looks at the one deleted account, not at all that a customer has joined.
  "twenty customers who have joined stores of many accounts, beside a deleted account of many stores": {
    query: "joiner",
    filter: "customers",
    count: 150,
    store: async (from, to) => {
      if (from === 1) await storeStores("closed", closedAccount.id, "'closed'")(1, MOST_LOOKED_UP + 1);
      await run("UPDATE accounts SET deleted = 1 WHERE id = ?", closedAccount.id);
      await run(
        `INSERT INTO accounts (id, company, folded_names, words, fields)
         ${NUMBERS} SELECT 900000 + i, 'Name', 'name', 'name', '{}' FROM n`,
        from,
        to,
      );
      await run(
        `INSERT INTO stores (id, account_key, name, latitude, longitude, store_image, address_line_1, address_line_2, city,
           state, zip, phone, words)
         ${NUMBERS} SELECT 'joined' || i, accounts.key, 'Name', 0, 0, '', '', '', '', '', '', '', 'name'
         FROM n CROSS JOIN accounts ON accounts.id = CAST(900000 + i AS TEXT)`,
        from,
        to,
      );
      await run(
        `INSERT INTO memberships (store_key, member_key, joined_at)
         ${NUMBERS} SELECT stores.key, customers.key, '' FROM n CROSS JOIN stores ON stores.id = 'joined' || i
         CROSS JOIN customers ON customers.first_name GLOB 'Joiner *'`,
        from,
        to,
      );
    },
    finds: 20,
  },
  // The counts look at a hundred stores and a hundred registrations of each customer, but not at each pair of these.
  "twenty customers who have joined a hundred stores, and registered for many campaigns": {
    query: "registrant",
    filter: "customers",
    count: 2_500,
    store: async (from, to) => {
      await run(
        `INSERT INTO campaigns (id, account_key, name, campaign_description, campaign_image, campaign_start_date,
           campaign_end_date, time_zone, starts_at, ends_at, status, details, words)
         ${NUMBERS} SELECT 'registered' || i, (SELECT key FROM accounts WHERE id = '${chain.id}'), 'Name', '', '', '2020-01-01',
           NULL, 'UTC', '2020-01-01 00:00:00', 'never', 1, '{}', 'name' FROM n`,
        from,
        to,
      );
      if (from === 1) {
        await storeStores("chain", chain.id, "'name'")(1, 100);
        await storeCustomers("registrant", () => "registrant")(1, 20);
        await run(
          `INSERT INTO memberships (store_key, member_key, joined_at)
           SELECT stores.key, customers.key, '' FROM stores CROSS JOIN customers
           WHERE stores.id GLOB 'chain*' AND customers.words = 'registrant'`,
        );
      }
      await run(
        `INSERT INTO registrations (campaign_key, customer_key)
         ${NUMBERS} SELECT campaigns.key, customers.key FROM n CROSS JOIN campaigns ON campaigns.id = 'registered' || i
         CROSS JOIN customers ON customers.id GLOB 'registrant*'`,
        from,
        to,
      );
    },
    finds: 20,
    reads: 60_000,
  },
  "a word of the stores of a deleted account, which were stored before those that are shown": {
    query: "kiosk",
    filter: "stores",
    count: MANY,
    store: async (from, to) => {
      await storeStores("kiosk", deletedAccount.id, "'kiosk'")(from, to);
      await run("UPDATE accounts SET deleted = 1 WHERE id = ?", deletedAccount.id);
      if (to > MANY) await storeStores("shown", liveAccount.id, "'kiosk'")(1, 30);
    },
    finds: 0,
    isIncomplete: true,
  },
  "a name of customers who have all blocked the caller": {
    query: "blocker",
    filter: "customers",
    count: MANY,
    store: async (from, to) => {
      await storeCustomers("blocker", () => "blocker")(from, to);
      await run(
        `INSERT INTO blocks (customer_key, blocked_key)
         SELECT other.key, me.key FROM customers AS me CROSS JOIN customers AS other
         WHERE me.id = '${CALLER}' AND other.words = 'blocker' ON CONFLICT DO NOTHING`,
      );
    },
    finds: 0,
    isIncomplete: true,
  },
};

async function search({ query, filter }: Pick<Shape, "query" | "filter">) {
  const answer = await api.post("/api/v1/customer/full-search", { query, filter, typos: false });
  const lists = answer.body.items ?? answer.body;
  return { found: lists[filter].length, incomplete: answer.body.incomplete, ...costIn(answer) };
}

beforeAll(() =>
  mustFeed([seed.customer({ id: CALLER }), closedAccount, deletedAccount, liveAccount, chain, ...joiners]),
);

describe("a search over twice the data", () => {
  it.for(Object.entries(SHAPES))("reads no more rows: %s", async ([, shape], { expect }) => {
    const { count, finds, reads = Number.POSITIVE_INFINITY, isIncomplete } = shape;
    await shape.store(1, count);
    const before = await search(shape);
    await shape.store(count + 1, 2 * count);

    const after = await search(shape);

    expect(after.rowsRead).toBeLessThanOrEqual(Math.min(before.rowsRead + MORE_ROWS, reads));
    expect(after).toMatchObject({ found: finds, incomplete: isIncomplete });
  });
});

describe("a search for pieces or alternatives in long lists", () => {
  it("does not gather the lists of a long piece", async ({ expect }) => {
    const { query, nameOf } = NAMES_OF_SCRIPTS["the beginning of a Thai piece that each record has with other marks"];
    await storeCustomers("thai", nameOf)(1, MANY);

    const { roundTrips } = await search({ query, filter: "customers" });

    expect(roundTrips).toBe(2);
  });

  it("tests them in the words of each candidate, and finds the same", async ({ expect }) => {
    const db = () => new Database(env.DB, "first-unconstrained");
    const shortLists = { pages: 0, pagesBesideText: 0, candidates: 7_500 };
    const limits = { stores: shortLists, customers: shortLists, campaigns: shortLists };
    await storeCustomers("bytext", () => "by text 東京 京都 都 o brien obrien กิ่กิ่กิ่่")(1, 10);

    for (const query of ["東京都 by text", "o'brien by text", "text กิ่กิ่กิ่ by", "O’Brien 京都 by-text"]) {
      const search = { words: askedWords(query), typos: false, lists: ["customers"], customerId: CALLER } as const;
      const { customers } = await searchAll(db(), { ...search, customerSearch: "all" }, limits);
      expect([query, customers.length]).toEqual([query, 10]);
    }
  });
});

describe("a typo", () => {
  it("is forgiven although many other words are as near, before and after their campaign is deleted", async ({
    expect,
  }) => {
    const account = seed.account();
    const letters = Array.from({ length: 300 }, (_, number) =>
      number
        .toString(26)
        .padStart(2, "0")
        .replace(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)] ?? ""),
    );
    const campaign = seed.campaign(account.id, {
      campaign_description: letters.map((end) => `caoffiea${end}`).join(" "),
    });
    await mustFeed([account, seed.store(account.id, { name: "Coffee Place" }), campaign]);
    const findsCoffee = async () => {
      const { body } = await api.post("/api/v1/customer/full-search", { query: "coffie", filter: "stores" });
      return body.stores.length;
    };

    const before = await findsCoffee();
    await mustFeed([seed.deleted("campaign", { id: campaign.id })]);
    const after = await findsCoffee();

    expect([before, after]).toEqual([1, 1]);
    expect(await select("SELECT count(*) AS words FROM merchant_vocabulary WHERE word GLOB 'caoffiea*'")).toEqual([
      { words: 300 },
    ]);
  });
});
