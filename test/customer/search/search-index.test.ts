import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { askedWords } from "../../../src/customer/search/asked-words.ts";
import { searchAll } from "../../../src/customer/search/queries.ts";
import { Database } from "../../../src/db/database.ts";
import { mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";
import { feedUsage } from "../../support/state.ts";

const freshWord = () => seed.freshId("word");

async function search(query: string) {
  const db = new Database(env.DB, "first-unconstrained");
  const found = await searchAll(db, {
    words: askedWords(query),
    typos: false,
    lists: ["stores", "customers", "campaigns"],
    customerId: "c",
    customerSearch: "all",
  });
  return { ...db.usage, stores: found.stores.length };
}

describe("the cost of the search index at D1", () => {
  it("is one rewritten entry for each store of a company that gets a new name", async ({ expect }) => {
    const usageOfRename = async (count: number) => {
      const account = seed.account({ company: freshWord() });
      await mustFeed([account, ...Array.from({ length: count }, () => seed.store(account.id))]);
      return feedUsage([{ ...account, company: freshWord() }]);
    };

    const [fewStores, manyStores] = [await usageOfRename(10), await usageOfRename(4_000)];

    expect(fewStores.rowsWritten).toBeLessThanOrEqual(50);
    // The row of the search index for each store, and some merges of the index.
    expect(manyStores.rowsWritten).toBeLessThanOrEqual(4_000 * 2.1);
  });

  it("is nothing for a record whose words stay the same", async ({ expect }) => {
    const account = seed.account({ company: freshWord() });
    const [store, campaign, customer] = [seed.store(account.id), seed.campaign(account.id), seed.customer()];
    const lines = [account, store, campaign, customer];
    await mustFeed(lines);

    expect((await feedUsage(lines)).rowsWritten).toBe(0);
    const changedFields = await feedUsage([
      { ...account, company: `${account.company} !`, phone: "1" },
      { ...store, phone: "1" },
      { ...campaign, status: 0 },
      { ...customer, city: "Ada" },
    ]);
    // One row each, and entries of the store and the campaign in an ordinary index of their table.
    expect(changedFields.rowsWritten).toBe(6);
  });

  it("is nothing for the stores of an account that is soft-deleted, and an entry for each if it comes back", async ({
    expect,
  }) => {
    const word = freshWord();
    const account = seed.account({ company: word });
    const stores = Array.from({ length: 300 }, () => seed.store(account.id));
    await mustFeed([account, ...stores]);

    const deletion = await feedUsage([{ record: "account", id: account.id, deleted: true }]);
    expect(deletion.rowsWritten).toBeLessThanOrEqual(4);
    expect(await search(word)).toMatchObject({ stores: 0 });

    const restoration = await feedUsage([account]);
    expect(restoration.rowsWritten).toBeLessThanOrEqual(300 * 2.1);
    expect(await search(word)).toMatchObject({ stores: 20 });
  });

  it("is the same for a search however many records match: one round trip, few rows", async ({ expect }) => {
    const word = freshWord();
    const account = seed.account({ company: word });
    await mustFeed([account]);
    const addRecords = () =>
      mustFeed([
        ...Array.from({ length: 1_000 }, () => seed.store(account.id)),
        ...Array.from({ length: 1_000 }, () => seed.campaign(account.id, { status: 0 })),
        ...Array.from({ length: 1_000 }, () => seed.customer({ first_name: word })),
      ]);
    await addRecords();
    const fewMatches = await search(word);
    await addRecords();

    const manyMatches = await search(word);

    const { milliseconds, sqlMilliseconds, databaseBytes } = manyMatches;
    expect(manyMatches).toEqual({ ...fewMatches, milliseconds, sqlMilliseconds, databaseBytes });
    expect(manyMatches.roundTrips).toBe(1);
    expect(manyMatches.rowsRead).toBeLessThan(960);
  });
});
