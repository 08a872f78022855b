import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { demoLines } from "../../../scripts/program/program.ts";
import type { Derived } from "../../../src/db/derived/derived.ts";
import { DERIVED, newestMessages } from "../../../src/db/derived/index.ts";
import {
  ALL_KEYS,
  type Difference,
  findDifferences,
  rangeOfKeys,
  repair,
  toText,
} from "../../../src/db/derived/recount.ts";
import { customerBalances } from "../../../src/db/derived/totals.ts";
import { mustFeed } from "../../support/api.ts";
import { differences } from "../../support/differences.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";

const run = (statements: readonly string[]) => env.DB.batch(statements.map((text) => env.DB.prepare(text)));

/** A range of keys without rows. */
const NO_KEYS = rangeOfKeys(500_000, 500_001);

async function differencesOf(derived: Derived, range = ALL_KEYS): Promise<Difference[]> {
  return (await env.DB.prepare(findDifferences(derived, range)).all<Difference>()).results;
}

const repairAll = (derived: Derived) => run(repair(derived, ALL_KEYS));

const key = (table: string, id: string) => `(SELECT key FROM ${table} WHERE id = '${id}')`;
const [c1, c2, store, employee] = [
  key("customers", "c1"),
  key("customers", "c2"),
  key("stores", "s101-1-1"),
  key("employees", "e101-1"),
];

/** Statements that damage derived data. A recount finds one difference for each, unless DIFFERENCES says otherwise. */
const DAMAGE: Record<string, readonly string[]> = {
  "customers' balances": [
    `UPDATE customers SET balance = balance + 1 WHERE key = ${c1}`,
    `UPDATE customers SET balance = 0 WHERE key = ${c2}`,
  ],
  "balances at stores": [
    `UPDATE store_balances SET balance = -5
     WHERE customer_key = ${c1} AND store_key = (SELECT min(store_key) FROM store_balances WHERE customer_key = ${c1})`,
    `DELETE FROM store_balances
     WHERE customer_key = ${c2} AND store_key = (SELECT min(store_key) FROM store_balances WHERE customer_key = ${c2})`,
    `INSERT OR REPLACE INTO store_balances (store_key, customer_key, balance) VALUES (${store}, ${key("customers", "c500")}, 7)`,
  ],
  "what campaigns have earned": [
    `UPDATE campaign_stores SET earned = earned + 1
     WHERE campaign_key = ${key("campaigns", "k101-double")}
       AND store_key = (SELECT min(store_key) FROM campaign_stores
                        WHERE campaign_key = ${key("campaigns", "k101-double")})`,
    `INSERT OR REPLACE INTO campaign_stores (store_key, campaign_key, earned)
     VALUES (${store}, ${key("campaigns", "k900-1")}, 70)`,
  ],
  "stores that campaigns list": [
    `UPDATE campaign_stores SET listed = 0
     WHERE listed = 1 AND campaign_key = ${key("campaigns", "k900-2")} AND store_key = ${key("stores", "s900-1")}`,
    `DELETE FROM campaign_stores
     WHERE campaign_key = ${key("campaigns", "k900-2")} AND store_key = ${key("stores", "s900-2")}`,
    `INSERT OR REPLACE INTO campaign_stores (store_key, campaign_key, listed)
     VALUES (${key("stores", "s900-3")}, ${key("campaigns", "k900-2")}, 1)`,
  ],
  "stores joined": [`UPDATE customers SET stores_count = 99 WHERE key = ${c1}`],
  "team links": [
    `DELETE FROM team_links WHERE (store_key, descendant_id) = (
       SELECT store_key, max(descendant_id) FROM team_links
       WHERE depth = 1 AND store_key = (SELECT min(store_key) FROM team_links)
     ) AND depth = 1`,
    `INSERT INTO team_links VALUES (${store}, ${c1}, 1, 5, 'Nobody', 'c499', ${key("customers", "c499")})`,
  ],
  "members of teams": [
    `UPDATE memberships SET members_3 = 77
     WHERE customer_key = ${c1} AND store_key = (SELECT min(store_key) FROM memberships WHERE customer_key = ${c1})`,
  ],
  "rounds of memberships": [
    `UPDATE memberships SET round = 3
     WHERE store_key = ${key("stores", "s101-1-6")} AND customer_key = ${c1}`,
  ],
  "tokens of teams": [
    `UPDATE memberships SET tokens_2 = tokens_2 + 5
     WHERE store_key = ${key("stores", "s101-1-6")} AND customer_key = ${c1}`,
  ],
  "groups by their news": [
    "DELETE FROM message_group_news WHERE group_id = 'g1' AND newest_at <> ''",
    `INSERT INTO message_group_news VALUES (${c2}, '', 'g2', ${key("message_groups", "g2")})`,
    "INSERT INTO message_group_news VALUES (999999, '', 'gone', 999999)",
  ],
  "newest messages of groups": [
    "UPDATE message_groups SET newest_id = earlier_id WHERE id = 'g1'",
    "UPDATE message_groups SET earlier_at = NULL, earlier_id = NULL WHERE id = 'seconds'",
    "UPDATE message_groups SET newest_at = '2020-01-01 00:00:00', newest_id = 'm3-1' WHERE id = 'g2'",
  ],
  "totals of plays": [
    `UPDATE play_totals SET hits = hits + 1 WHERE employee_key = ${employee}`,
    `INSERT INTO play_totals (location_key, eip_campaign_key, employee_key, runs, hits, doubles, triples)
     VALUES (${key("stores", "s101-1-3")}, ${key("eip_campaigns", "eip-101")}, ${employee}, 0, 1, 0, 0)`,
  ],
  "words of stores": [
    `DELETE FROM store_words WHERE rowid = ${key("stores", "s900-1")}`,
    `DELETE FROM store_words WHERE rowid = ${key("stores", "s900-2")}`,
    `INSERT INTO store_words (rowid, words) VALUES (${key("stores", "s900-2")}, 'other words')`,
    "INSERT INTO store_words (rowid, words) VALUES (999999, 'nobody')",
  ],
  "words of campaigns": [
    `DELETE FROM campaign_words WHERE rowid IN (${key("campaigns", "k900-1")}, ${key("campaigns", "k900-2")})`,
  ],
  "words of customers": ["DELETE FROM customer_words WHERE rowid = 1"],
  "vocabulary of merchants": [
    "DELETE FROM merchant_vocabulary WHERE word = 'street'",
    "INSERT INTO merchant_vocabulary VALUES ('stret')",
  ],
  "vocabulary of customers": ["INSERT INTO customer_vocabulary VALUES ('日本語')"],
};

/** The texts of the differences, or their number. */
const DIFFERENCES: Record<string, readonly string[] | number> = {
  "stores that campaigns list": [
    "k900-2 s900-1: stored 0, expected 1",
    "k900-2 s900-2: stored 0, expected 1",
    "k900-2 s900-3: stored 1, expected 0",
  ],
  "groups by their news": [
    "g1 c1: stored nothing, expected there",
    "g1 c11: stored nothing, expected there",
    "g2 c2: stored there, expected nothing",
    "gone (no longer stored): stored there, expected nothing",
  ],
  "totals of plays": 3,
  // Each word is a difference. The entry of a store "Main Street" of the account "Large Chain" has four words.
  "words of stores": 4 + (4 + 2) + 1,
  "words of campaigns": 8,
  "words of customers": 2,
  // The inserted word is no difference, because the vocabulary may have words that no entry has.
  "vocabulary of merchants": ["street: stored nothing, expected there"],
  "vocabulary of customers": ["日本語: stored there, expected nothing"],
};

beforeAll(async () => {
  await mustFeed(demoLines());
  // The demo program has no large account, no short list of stores, no group whose messages came out of order, no
  // deleted membership and no erased customer.
  const numbers = Array.from({ length: 102 }, (_, index) => index + 1);
  await mustFeed([
    seed.account({ id: "900", company: "Large Chain" }),
    ...numbers.map((number) => seed.store("900", { id: `s900-${number}` })),
    seed.campaign("900", { id: "k900-1", store_ids: "all" }),
    seed.campaign("900", { id: "k900-2", store_ids: ["s900-1", "s900-2"] }),
    seed.group(["c1", "c2"], { id: "seconds" }),
    seed.message("seconds", "c1", { sent_at: "2026-03-01 10:00:02" }),
    seed.message("seconds", "c1", { sent_at: "2026-03-01 10:00:01" }),
    seed.membership("s101-1-1", "c500"),
  ]);
  await mustFeed([
    seed.deleted("membership", { store_id: "s101-1-1", customer_id: "c500" }),
    seed.deleted("customer", { id: "c6" }),
  ]);
});

describe("derived data", () => {
  it("has statements above that damage each of its parts", ({ expect }) => {
    expect(Object.keys(DAMAGE).sort()).toEqual(DERIVED.map(({ name }) => name).sort());
  });

  it.for(DERIVED)("is recounted and repaired if it is damaged: $name", async (derived, { expect }) => {
    const statements = DAMAGE[derived.name] ?? [];
    const expected = DIFFERENCES[derived.name] ?? statements.length;
    await run(statements);

    const foundDifferences = await differencesOf(derived);
    await run(repair(derived, NO_KEYS));
    const remainingDifferences = await differencesOf(derived);
    await repairAll(derived);

    if (typeof expected === "number") expect(foundDifferences).toHaveLength(expected);
    else expect(foundDifferences.map(toText)).toEqual(expected);
    expect(remainingDifferences).toEqual(foundDifferences);
    expect(await differences()).toEqual([]);
  });

  it("is compared and repaired in ranges of keys", async ({ expect }) => {
    await env.DB.exec("UPDATE customers SET balance = balance + 1");

    const halves = await Promise.all([
      differencesOf(customerBalances, rangeOfKeys(0, 250)),
      differencesOf(customerBalances, rangeOfKeys(251, Number.MAX_SAFE_INTEGER)),
    ]);
    await run(repair(customerBalances, rangeOfKeys(1, 200)));
    const remainingDifferences = await differencesOf(customerBalances);
    await repairAll(customerBalances);

    expect(halves.map((half) => half.length)).toEqual([250, 250]);
    expect(remainingDifferences).toHaveLength(300);
    expect(await differencesOf(customerBalances)).toEqual([]);
  });

  it("is repaired in one pass if both the news and the newest message of a group are wrong", async ({ expect }) => {
    await run([
      "UPDATE message_groups SET newest_at = '2020-01-01 00:00:00', newest_id = NULL WHERE id = 'g3'",
      `INSERT INTO message_group_news
       SELECT customer_key, (SELECT max(sent_at) FROM messages WHERE group_key = member.group_key), 'g3', group_key
       FROM message_group_members AS member WHERE group_key = ${key("message_groups", "g3")}`,
    ]);

    for (const derived of DERIVED) await repairAll(derived);

    expect(await differences()).toEqual([]);
  });

  it("may name any message of a second, and a repair keeps the newest message", async ({ expect }) => {
    await mustFeed([
      seed.group(["c1", "c2"], { id: "ties" }),
      ...["b", "c", "a"].map((id) => seed.message("ties", "c1", { id: `2${id}`, sent_at: "2026-03-01 10:00:02" })),
      ...["b", "c", "a"].map((id) => seed.message("ties", "c1", { id: `1${id}`, sent_at: "2026-03-01 10:00:01" })),
    ]);
    const newestIds = () => rows("SELECT newest_id, earlier_id FROM message_groups WHERE id = 'ties'");
    const before = await newestIds();
    await run(["UPDATE message_groups SET earlier_at = NULL, earlier_id = NULL WHERE id = 'ties'"]);

    await repairAll(newestMessages);

    expect(before).toEqual([{ newest_id: "2a", earlier_id: "1a" }]);
    expect(await newestIds()).toEqual([{ newest_id: "2a", earlier_id: "1c" }]);
    expect(await differences()).toEqual([]);
  });
});
