import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { searchAll } from "../../../src/customer/search/queries.ts";
import { Database } from "../../../src/db/database.ts";
import type { JsonText } from "../../../src/http/json-text.ts";
import { wordsOf } from "../../../src/values/words.ts";
import { mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";
import { feedUsage } from "../../support/state.ts";

const freshWord = () => seed.freshId("word");

async function search(query: string) {
  const db = new Database(env.DB, "first-unconstrained");
  const found = await searchAll(db, {
    words: wordsOf(query),
    typos: false,
    lists: ["stores", "customers", "campaigns"],
    customerId: "c",
    whom: "all",
  });
  const ids = (texts: readonly JsonText[]) => texts.map((pieces) => JSON.parse(pieces.join("")).id);
  return { ...db.usage, stores: ids(found.stores), customers: ids(found.customers), campaigns: ids(found.campaigns) };
}

describe("the search index", () => {
  it("finds all stores and campaigns by a new company name at once, and no longer by the old one", async ({
    expect,
  }) => {
    const [before, after, city] = [freshWord(), freshWord(), freshWord()];
    const account = seed.account({ company: before });
    const stores = Array.from({ length: 25 }, (_, index) => seed.store(account.id, index === 24 ? { city } : {}));
    const campaigns = Array.from({ length: 25 }, () => seed.campaign(account.id));
    await mustFeed([account, ...stores, ...campaigns]);
    const [near, last] = [stores.slice(0, 20).map(({ id }) => id), stores.slice(24).map(({ id }) => id)];

    expect(await search(before)).toMatchObject({ stores: near });
    expect(await search(`${city} ${before}`)).toMatchObject({ stores: last });

    await mustFeed([{ ...account, company: after }]);

    expect(await search(before)).toMatchObject({ stores: [], campaigns: [] });
    expect(await search(after)).toMatchObject({ stores: near, campaigns: campaigns.slice(0, 20).map(({ id }) => id) });
    expect(await search(`${city} ${after}`)).toMatchObject({ stores: last });
  });

  it("rewrites the entries of a company's stores for its new name, and nothing else", async ({ expect }) => {
    const rename = async (count: number) => {
      const account = seed.account({ company: freshWord() });
      await mustFeed([account, ...Array.from({ length: count }, () => seed.store(account.id))]);
      return feedUsage([{ ...account, company: freshWord() }]);
    };

    const [few, thousands] = [await rename(10), await rename(4_000)];

    expect(few.rowsWritten).toBeLessThanOrEqual(50);
    expect(thousands.rowsWritten).toBeLessThanOrEqual(4_000 * 2.1);
  });

  it("writes nothing to the index when the words stay the same", async ({ expect }) => {
    const account = seed.account({ company: freshWord() });
    const [store, campaign, customer] = [seed.store(account.id), seed.campaign(account.id), seed.customer()];
    const lines = [account, store, campaign, customer];
    await mustFeed(lines);

    expect((await feedUsage(lines)).rowsWritten).toBe(0);
    const others = await feedUsage([
      { ...account, company: `${account.company} !`, phone: "1" },
      { ...store, phone: "1" },
      { ...campaign, status: 0 },
      { ...customer, city: "Ada" },
    ]);
    // The account's row; the store's and the campaign's, each with the entry it is listed by; the customer's.
    expect(others.rowsWritten).toBe(6);
  });

  it("soft-deletes an account by its own rows alone, and brings it back so", async ({ expect }) => {
    const word = freshWord();
    const account = seed.account({ company: word });
    const stores = Array.from({ length: 300 }, () => seed.store(account.id));
    await mustFeed([account, ...stores]);

    const deleted = await feedUsage([{ record: "account", id: account.id, deleted: true }]);
    expect(deleted.rowsWritten).toBeLessThanOrEqual(3);
    expect(await search(word)).toMatchObject({ stores: [] });

    const back = await feedUsage([account]);
    expect(back.rowsWritten).toBeLessThanOrEqual(3);
    expect((await search(word)).stores).toEqual(stores.slice(0, 20).map(({ id }) => id));
  });

  it("follows names, soft-deleted records, erased customers, and their return", async ({ expect }) => {
    const [before, after] = [freshWord(), freshWord()];
    const account = seed.account();
    const [store, campaign] = [seed.store(account.id, { name: before }), seed.campaign(account.id, { name: before })];
    const customer = seed.customer({ first_name: before });
    const lines = [store, campaign, customer];
    const all = { stores: [store.id], campaigns: [campaign.id], customers: [customer.id] };
    const none = { stores: [], campaigns: [], customers: [] };
    await mustFeed([account, ...lines]);

    await mustFeed([
      { ...store, name: after },
      { ...campaign, name: after },
      { ...customer, first_name: after },
    ]);
    expect(await search(before)).toMatchObject(none);
    expect(await search(after)).toMatchObject(all);

    await mustFeed(lines.map(({ record, id }) => seed.deleted(record, { id })));
    expect(await search(after)).toMatchObject(none);

    await mustFeed(lines);
    expect(await search(before)).toMatchObject(all);
    expect(await search(after)).toMatchObject(none);
  });

  it("holds what its views say, so that it can be rebuilt from the tables", async ({ expect }) => {
    const word = freshWord();
    const account = seed.account({ company: word });
    const stores = Array.from({ length: 21 }, (_, index) => seed.store(account.id, { name: `${word}${index}` }));
    const customer = seed.customer({ first_name: word });
    await mustFeed([account, ...stores, seed.campaign(account.id), customer]);
    await mustFeed([{ ...account, company: `${word} new` }, seed.deleted("store", { id: stores[3]?.id })]);
    const before = [await search(word), await search(`${word} new`), await search(`${word}1`)];

    for (const index of ["store_words", "campaign_words", "customer_words"]) {
      await env.DB.batch([
        env.DB.prepare(`INSERT INTO ${index} (${index}) VALUES ('delete-all')`),
        env.DB.prepare(`INSERT INTO ${index} (rowid, words) SELECT key, words FROM expected_${index}`),
      ]);
    }

    const lists = ({ stores, customers, campaigns }: Awaited<ReturnType<typeof search>>) => [
      stores,
      customers,
      campaigns,
    ];
    const after = [await search(word), await search(`${word} new`), await search(`${word}1`)];
    expect(after.map(lists)).toEqual(before.map(lists));
    expect(before[0]?.stores).toHaveLength(20);
  });

  it("reads a bounded number of rows, however many records match, in one round trip", async ({ expect }) => {
    const word = freshWord();
    const account = seed.account({ company: word });
    await mustFeed([account]);
    const more = () =>
      mustFeed([
        ...Array.from({ length: 1_000 }, () => seed.store(account.id)),
        ...Array.from({ length: 1_000 }, () => seed.campaign(account.id, { status: 0 })),
        ...Array.from({ length: 1_000 }, () => seed.customer({ first_name: word })),
      ]);
    await more();
    const few = await search(word);
    await more();

    const many = await search(word);

    const { milliseconds, sqlMilliseconds, databaseBytes } = many;
    expect(many).toEqual({ ...few, milliseconds, sqlMilliseconds, databaseBytes });
    expect(many.roundTrips).toBe(1);
    expect(many.rowsRead).toBeLessThan(625);
  });
});
