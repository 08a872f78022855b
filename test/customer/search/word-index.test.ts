import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { beforeAll, describe, it } from "vitest";
import { rarestBeginnings, withoutBeginnings } from "../../../src/customer/search/word-index.ts";
import { Database } from "../../../src/db/database.ts";
import { wordsOf } from "../../../src/values/words.ts";
import { as, mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";

// FTS5 has a list of entries for each beginning of a word: one entry for each record with such a word. D1 does not count
// entries as rows that were read, so these tests count them.

const COMMON = "abcdefgh";
const RARE = "qrst";

/** The number of entries in the lists of these beginnings together. */
async function entriesOf(index: string, expression: string): Promise<number> {
  const count = env.DB.prepare(`SELECT count(*) AS entries FROM ${index} WHERE ${index} MATCH ?`);
  const counts = await env.DB.batch<{ entries: number }>(
    expression.split(" AND ").map((beginning) => count.bind(beginning)),
  );
  return counts.reduce((sum, { results }) => sum + (results[0]?.entries ?? 0), 0);
}

describe("the lists that a search reads", () => {
  beforeAll(async () => {
    const word = (index: number) => `${COMMON[index % COMMON.length]}o${index}`;
    const numbers = Array.from({ length: 1_000 }, (_, index) => index);
    const account = seed.account({ company: "x" });
    const rareWords = [...RARE].map((letter) => `${letter}o`);
    await mustFeed([
      account,
      ...numbers.map((index) => seed.store(account.id, { name: `${word(index)} ${word(index + 3)}` })),
      ...rareWords.map((name) => seed.store(account.id, { name })),
      ...numbers.map((index) => seed.campaign(account.id, { name: `${word(index)} ${word(index + 3)}` })),
      ...rareWords.map((name) => seed.campaign(account.id, { name })),
      ...numbers.map((index) => seed.customer({ first_name: word(index), last_name: word(index + 3) })),
      ...rareWords.map((first_name) => seed.customer({ first_name, last_name: "x" })),
    ]);
  });

  it.for(["store_words", "campaign_words", "customer_words"])(
    "are those of the four rarest beginnings in %s",
    async (index, { expect }) => {
      const beginnings = JSON.stringify([...COMMON, ...RARE]);
      const db = new Database(env.DB, "first-unconstrained");

      const [row] = await db.all(
        sql<{ rarest: string }>`SELECT ${rarestBeginnings({ name: sql.raw(index) }, sql`${beginnings}`)} AS rarest`,
      );

      expect(row?.rarest.split(" AND ").sort()).toEqual([...RARE].map((letter) => `"${letter}"*`));
      expect(await entriesOf(index, row?.rarest ?? "")).toBe(RARE.length);
    },
  );

  it("leave out a word that is the beginning of another word of the query", ({ expect }) => {
    expect(withoutBeginnings(wordsOf("a alice al lice"))).toEqual(["alice", "lice"]);
  });

  it("are those of a few words of the query, but a record must have all its words", async ({ expect }) => {
    const letters = [..."ԱԲԳԴԵԶԷԸ"];
    const [account, otherAccount] = [seed.account({ company: "Ըx" }), seed.account()];
    const texts = letters.slice(0, -1).join("- ");
    const store = seed.store(account.id, { name: texts });
    const campaign = seed.campaign(account.id, { campaign_description: `${texts}-x` });
    const customer = seed.customer({ first_name: texts, last_name: "Ըx" });
    const others = [seed.store(otherAccount.id, { name: texts }), seed.customer({ first_name: texts, last_name: "x" })];
    await mustFeed([account, otherAccount, store, campaign, customer, ...others]);

    const { items } = (await as("c").post("/api/v1/customer/full-search", { query: letters.join(" ") })).body;

    const ids = Object.values<{ id: string }[]>(items).map((list) => list.map(({ id }) => id));
    expect(ids).toEqual([[store.id], [customer.id], [campaign.id]]);
  });
});
