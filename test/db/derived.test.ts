import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { beforeAll, describe, it } from "vitest";
import { demoLines } from "../../scripts/program/program.ts";
import type { Derived } from "../../scripts/verify-totals/definition.ts";
import { DERIVED, newestMessages } from "../../scripts/verify-totals/derived.ts";
import {
  ALL_KEYS,
  type Difference,
  findDifferences,
  rangeOfKeys,
  repair,
  toText,
} from "../../scripts/verify-totals/recount.ts";
import { textOf } from "../../src/db/dialect.ts";
import { upkeepOf } from "../../src/feed/apply/statements.ts";
import { KINDS } from "../../src/records/index.ts";
import { mustFeed } from "../support/api.ts";
import { differences } from "../support/differences.ts";
import * as seed from "../support/seed.ts";
import { rows } from "../support/state.ts";

const run = (statements: readonly string[]) => env.DB.batch(statements.map((text) => env.DB.prepare(text)));

/** A range of keys without rows. */
const NO_KEYS = rangeOfKeys(500_000, 500_001);

async function differencesOf(derived: Derived, range = ALL_KEYS): Promise<Difference[]> {
  return (await env.DB.prepare(findDifferences(derived, range)).all<Difference>()).results;
}

const customerBalances = DERIVED.find(({ name }) => name === "customers' balances") as Derived;

const repairAll = (derived: Derived) => run(repair(derived, ALL_KEYS));

const key = (table: string, id: string) => `(SELECT key FROM ${table} WHERE id = '${id}')`;

/** Statements that damage derived data, and the texts of the differences that a recount then finds, or their number. */
interface Damage {
  statements: readonly string[];
  differences: readonly string[] | number;
}

/** Damage that shows how differences are written, or that differs from the damage below. */
const SPECIAL_DAMAGE: Record<string, Damage> = {
  "stores that campaigns list": {
    statements: [
      `DELETE FROM campaign_stores
       WHERE campaign_key = ${key("campaigns", "k900-2")} AND store_key = ${key("stores", "s900-2")}`,
      `INSERT INTO campaign_stores (store_key, campaign_key)
       VALUES (${key("stores", "s900-3")}, ${key("campaigns", "k900-2")})`,
    ],
    differences: ["k900-2 s900-2: stored nothing, expected there", "k900-2 s900-3: stored there, expected nothing"],
  },
  // The demo program has no redemption.
  "redeemed uses of coupons": {
    statements: ["UPDATE customer_coupons SET redeemed = redeemed + 1 WHERE id = 'cc0-2-welcome'"],
    differences: 1,
  },
  "groups by their news": {
    statements: [
      "DELETE FROM message_group_news WHERE group_id = 'g1' AND newest_at <> ''",
      `INSERT INTO message_group_news VALUES (${key("customers", "c2")}, '', 'g2', ${key("message_groups", "g2")})`,
      "INSERT INTO message_group_news VALUES (999999, '', 'gone', 999999)",
    ],
    differences: [
      "g1 c1: stored nothing, expected there",
      "g1 c11: stored nothing, expected there",
      "g2 c2: stored there, expected nothing",
      "gone (no longer stored): stored there, expected nothing",
    ],
  },
  "vocabulary of merchants": {
    statements: [
      "DELETE FROM merchant_vocabulary WHERE word = 'street'",
      "INSERT INTO merchant_vocabulary VALUES ('stret'), ('waiting')",
      // This word is no difference, because a job will remove it.
      "INSERT INTO removed_words (words) VALUES ('a waiting word')",
    ],
    differences: ["street: stored nothing, expected there", "stret: stored there, expected nothing"],
  },
  "vocabulary of customers": {
    statements: ["INSERT INTO customer_vocabulary VALUES ('日本語')"],
    differences: ["日本語: stored there, expected nothing"],
  },
};

/** Changes each value, in a row of its own. If whole rows are derived, also removes one and adds one. */
function damageRows({ table, storedAs, key, values = [], expected }: Derived): Damage {
  const select = (columns: readonly string[], order: string) =>
    `SELECT ${columns} FROM (${textOf(expected(ALL_KEYS))}) ORDER BY ${key.map((column) => `${column} ${order}`)} LIMIT 1`;
  const isRow = (number: number) => `(${key}) = (${select(key, "ASC")} OFFSET ${number})`;
  const changes = values.map(
    (column, number) => `UPDATE ${table} SET ${column} = ifnull(${column}, '') || '1' WHERE ${isRow(number)}`,
  );
  if (storedAs === "columns") return { statements: changes, differences: changes.length };
  // The added row takes the first column of its key from the first row, and the others from the last row, so that no row
  // has this key yet.
  const [firstColumn = "", ...otherColumns] = key;
  const statements = [
    ...changes,
    `DELETE FROM ${table} WHERE ${isRow(values.length)}`,
    `INSERT INTO ${table} (${[...key, ...values]}) SELECT ${[...key, ...values.map(() => 7)]}
     FROM (${select([firstColumn], "ASC")}), (${select(otherColumns, "DESC")})`,
  ];
  return { statements, differences: statements.length };
}

/** Removes an entry of a search index, changes one, and adds one. Each word is a difference. */
async function damageEntries({ table, expected }: Derived): Promise<Damage> {
  const entries = await rows(
    `SELECT key, count(DISTINCT term) AS words FROM (${textOf(expected(ALL_KEYS))}) GROUP BY key ORDER BY key LIMIT 2`,
  );
  const [removedKey, changedKey] = entries.map((entry) => entry.key);
  const removedWords = entries.reduce((sum, { words }) => sum + Number(words), 0);
  const addedWords = ["other", "words", "nobody"];
  return {
    statements: [
      `DELETE FROM ${table} WHERE rowid IN (${removedKey}, ${changedKey})`,
      `INSERT INTO ${table} (rowid, words) VALUES (${changedKey}, 'other words'), (999999, 'nobody')`,
    ],
    differences: removedWords + addedWords.length,
  };
}

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
  it("has every table to which the feed adds new events", ({ expect }) => {
    const upkeep = KINDS.flatMap(upkeepOf).map((addTo) => textOf(addTo(sql`WITH fresh`)));
    const written = upkeep.map((text) => /(?:UPDATE|INSERT INTO) `(\w+)`/.exec(text)?.[1]);

    const derived = DERIVED.map(({ table }) => table);
    expect(written.length).toBeGreaterThan(5);
    // The stamp of messages is no sum.
    const sums = written.filter((table) => table !== "program_state");
    expect(sums.filter((table) => !derived.includes(String(table)))).toEqual([]);
  });

  it.for(DERIVED)("is recounted and repaired if it is damaged: $name", async (derived, { expect }) => {
    const usualDamage = derived.storedAs === "search index" ? damageEntries : damageRows;
    const damage = SPECIAL_DAMAGE[derived.name] ?? (await usualDamage(derived));
    await run(damage.statements);

    const foundDifferences = await differencesOf(derived);
    await run(repair(derived, NO_KEYS));
    const remainingDifferences = await differencesOf(derived);
    // A repair of balances at stores fires triggers, so what follows from these is repaired later, as by the command.
    for (const next of DERIVED.slice(DERIVED.indexOf(derived))) await repairAll(next);

    if (typeof damage.differences === "number") expect(foundDifferences).toHaveLength(damage.differences);
    else expect(foundDifferences.map(toText)).toEqual(damage.differences);
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
