import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { many } from "../../../scripts/bench/hostile-searches.ts";
import { askedWords } from "../../../src/customer/search/asked-words.ts";
import { selectIfShort } from "../../../src/customer/search/exact.ts";
import { readLengths } from "../../../src/customer/search/list-lengths.ts";
import { searchAll } from "../../../src/customer/search/queries.ts";
import type { SearchList } from "../../../src/customer/search/schema.ts";
import { beginning, beginningsOf, entriesOf, type Term, wholeWord } from "../../../src/customer/search/terms.ts";
import { Database } from "../../../src/db/database.ts";
import { mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";

// A page of FTS5 has up to 4,050 entries of a list. Each segment of the index has pages of its own.

const CUSTOMERS = 100_000;

async function pages(...terms: Term[]): Promise<number[]> {
  const entries = JSON.stringify(terms.map(entriesOf));
  const values = {
    entries,
    firstLetters: "none",
    mostPages: 0,
    hidden: 0,
    whole: "none",
    beginnings: "none",
    candidates: 1,
    caller: "c",
  };
  const db = new Database(env.DB, "first-unconstrained");
  const [row] = await db.all(selectIfShort({ list: "customers", measuring: "all" }, values));
  return row === undefined ? [] : readLengths("customers", row).pages;
}

/** How many records a search finds, whether it is incomplete, and its round trips. */
async function search(list: SearchList, query: string) {
  const db = new Database(env.DB, "first-unconstrained");
  const who = { customerId: "c", customerSearch: "all", lists: [list], typos: false } as const;
  const found = await searchAll(db, { words: askedWords(query), ...who });
  return [found[list].length, found.isIncomplete, db.usage.roundTrips];
}

describe("the lengths of lists", () => {
  beforeAll(async () => {
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO customers (id, first_name, last_name, words, scan_id, address_line_1, address_line_2, city, state, zip,
         customer_description, avatar)
       SELECT 'c' || i, '', '', printf('common guestuser%06d', i) || iif(i < 300, ' commoa', ''), '', '', '', '', '', '', '', ''
       FROM n`,
    )
      .bind(CUSTOMERS)
      .run();
  }, 120_000);

  it("are 15 to 60 pages for 100,000 entries, of a word or of a beginning", async ({ expect }) => {
    for (const length of await pages(wholeWord("common"), beginning("common"), beginning("c"), beginning("guestu"))) {
      expect(length).toBeGreaterThanOrEqual(15);
      expect(length).toBeLessThanOrEqual(60);
    }
  });

  it("are those of all words that begin so, for a long beginning", async ({ expect }) => {
    const [all = 0, few] = await pages(beginning("guestuser"), beginning("guestuser0000"));

    expect(all).toBeGreaterThan(60);
    expect(few).toBeLessThanOrEqual(16);
  });

  it("are short for a rare word, wherever its list is, and for a word that is nowhere", async ({ expect }) => {
    const rare = [wholeWord("commoa"), beginning("commoa"), wholeWord("a"), beginning("zz"), beginning("guestuserx")];

    for (const length of await pages(...rare)) expect(length).toBeLessThanOrEqual(16);
  });

  it("make a search that would gather many lists look up a shorter beginning, and test the rest", async ({
    expect,
  }) => {
    expect(await search("customers", "guestuser")).toEqual([20, false, 2]);
    expect(await search("customers", "guestuser09999")).toEqual([10, false, 1]);
    expect(await search("customers", "common guestuser")).toEqual([20, false, 2]);
    expect(await search("customers", "guestuser common nobody")).toEqual([0, false, 2]);
  });

  it("are not taken for short because few records have a long beginning, each in many words", async ({ expect }) => {
    const account = seed.account();
    const store = (word: string) =>
      seed.store(account.id, { name: word, city: many(30, (index) => `${word}${index + 100}`).join(" ") });
    const named = many(5, () => seed.store(account.id, { name: "gathered1" }));
    await mustFeed([account, ...many(600, () => store("gathered")), ...many(20, () => store("gathers")), ...named]);

    expect(await search("stores", "gathered1")).toEqual([20, false, 2]);
    expect(await search("stores", "gathered1 gat")).toEqual([20, false, 2]);
    expect(await search("stores", "gathers1")).toEqual([20, false, 1]);
  });

  it("leave out a word that begins another word of the query", ({ expect }) => {
    expect(
      beginningsOf(askedWords("a alice al lice"))
        .flat()
        .map(({ text }) => text),
    ).toEqual(["alice", "lice"]);
  });
});
