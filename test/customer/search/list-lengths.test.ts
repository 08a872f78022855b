import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { askedWords } from "../../../src/customer/search/asked-words.ts";
import { selectIfShort } from "../../../src/customer/search/exact.ts";
import { pagesOf } from "../../../src/customer/search/list-lengths.ts";
import { searchAll } from "../../../src/customer/search/queries.ts";
import { beginning, beginningsOf, entriesOf, type Term, wholeWord } from "../../../src/customer/search/terms.ts";
import { Database } from "../../../src/db/database.ts";

// A page of FTS5 has up to 4,050 entries of a list. Each segment of the index has pages of its own.

const CUSTOMERS = 100_000;

async function pages(...terms: Term[]): Promise<number[]> {
  const entries = JSON.stringify(terms.map(entriesOf));
  const values = {
    entries,
    mostRecords: 0,
    mostPages: 0,
    hidden: 0,
    whole: "none",
    beginnings: "none",
    candidates: 1,
    caller: "c",
  };
  const db = new Database(env.DB, "first-unconstrained");
  const [lengths] = await db.all(selectIfShort({ list: "customers", isMeasured: true }, values));
  return lengths === undefined ? [] : pagesOf(lengths);
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
    const search = async (query: string) => {
      const db = new Database(env.DB, "first-unconstrained");
      const who = { customerId: "c", customerSearch: "all", lists: ["customers"], typos: false } as const;
      const { customers, isIncomplete } = await searchAll(db, { words: askedWords(query), ...who });
      return [customers.length, isIncomplete, db.usage.roundTrips];
    };

    expect(await search("guestuser")).toEqual([20, false, 2]);
    expect(await search("guestuser09999")).toEqual([10, false, 1]);
    expect(await search("common guestuser")).toEqual([20, false, 2]);
    expect(await search("guestuser common nobody")).toEqual([0, false, 2]);
  });

  it("leave out a word that begins another word of the query", ({ expect }) => {
    expect(
      beginningsOf(askedWords("a alice al lice"))
        .flat()
        .map(({ text }) => text),
    ).toEqual(["alice", "lice"]);
  });
});
