import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { searchAll } from "../../../src/customer/search/queries.ts";
import type { SearchKind } from "../../../src/customer/search/schema.ts";
import { Database, type Statement } from "../../../src/db/database.ts";
import { wordsOf } from "../../../src/values/words.ts";
import { mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";

// FTS5 goes through the list of every beginning that it is asked for. D1 does not bill what it reads there, so rows read
// cannot bound it: the length of those lists can.

const COMMON = "abcdefgh";
const RARE = "qrst";
const INDEX = { stores: "store_words", customers: "customer_words", campaigns: "campaign_words" };

/** A database that takes down the statement of a search, up to what it asks its index, and finds nothing. */
class Noted extends Database {
  asking = { text: "", params: [] as unknown[] };

  override async batch(statements: readonly Statement[]): Promise<Record<string, unknown>[][]> {
    for (const statement of statements) {
      if (!("toSQL" in statement)) throw new Error("A search is compiled once.");
      const { sql, params } = statement.toSQL();
      const [text = ""] = sql.split(", whole AS MATERIALIZED");
      this.asking = { text: `${text} SELECT others FROM asked`, params: params.slice(0, text.split("?").length - 1) };
    }
    return [];
  }
}

/** The lists that a search goes through, and how many entries they hold together. */
async function listsOf(kind: SearchKind, query: string): Promise<{ lists: string[]; entries: number }> {
  const database = new Noted(env.DB, "first-unconstrained");
  await searchAll(database, { words: wordsOf(query), forgivable: [], kinds: [kind], customerId: "c" });
  const { text, params } = database.asking;
  const others = await env.DB.prepare(text)
    .bind(...params)
    .first<string>("others");
  const lists = others?.split(" NOT ")[0]?.match(/"[^"]+"\*?/g) ?? [];
  const count = env.DB.prepare(`SELECT count(*) AS entries FROM ${INDEX[kind]} WHERE ${INDEX[kind]} MATCH ?`);
  const counts = await env.DB.batch<{ entries: number }>(lists.map((one) => count.bind(one)));
  return { lists, entries: counts.reduce((sum, { results }) => sum + (results[0]?.entries ?? 0), 0) };
}

describe("the lists that a search goes through", () => {
  beforeAll(async () => {
    const word = (index: number) => `${COMMON[index % COMMON.length]}o${index}`;
    const many = Array.from({ length: 1_000 }, (_, index) => index);
    const account = seed.account({ company: "x" });
    const rare = [...RARE].map((letter) => `${letter}o`);
    await mustFeed([
      account,
      ...many.map((index) => seed.store(account.id, { name: `${word(index)} ${word(index + 3)}` })),
      ...rare.map((name) => seed.store(account.id, { name })),
      ...many.map((index) => seed.campaign(account.id, { name: `${word(index)} ${word(index + 3)}` })),
      ...rare.map((name) => seed.campaign(account.id, { name })),
      ...many.map((index) => seed.customer({ first_name: word(index), last_name: word(index + 3) })),
      seed.customer({ first_name: "ao bo", last_name: "co do eo" }),
    ]);
  });

  it.for(["stores", "campaigns"] as const)(
    "are those of the rarest four beginnings in %s",
    async (kind, { expect }) => {
      const { lists, entries } = await listsOf(kind, [...COMMON, ...RARE].join(" "));

      expect(lists).toHaveLength(RARE.length);
      expect(entries).toBe(RARE.length);
    },
  );

  it("are those of customers with many words, for many beginnings of one or two letters", async ({ expect }) => {
    const [three, four, five] = [
      await listsOf("customers", "a b c"),
      await listsOf("customers", "a b c d"),
      await listsOf("customers", "ao bo co do eo"),
    ];

    expect(three.entries).toBeGreaterThan(700);
    expect(four.entries).toBe(4);
    expect(five.entries).toBe(5);
  });

  it.for(["stores", "customers", "campaigns"] as const)(
    "leave out what begins another word in %s",
    async (kind, { expect }) => {
      const { lists } = await listsOf(kind, "a alice al lice");

      expect(lists).toEqual(['"alice"*', '"lice"*']);
    },
  );
});
