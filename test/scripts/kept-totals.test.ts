import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { demoLines } from "../../scripts/demo/program.ts";
import { forRange, KEPT, type Kept } from "../../scripts/lib/kept-totals.ts";
import { as, mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { rows } from "../support/state.ts";

const ALL = 1_000_000_000;

const differences = (kept: Kept) => rows(forRange(kept.differences, 0, ALL));

async function mend(kept: Kept): Promise<void> {
  await env.DB.batch(kept.mend.map((statement) => env.DB.prepare(forRange(statement, 0, ALL))));
}

/** What somebody's careless hand may do to each kept thing, with the differences that it makes. */
const DAMAGE: Record<string, { by: string[]; found: number }> = {
  "customers' balances": { by: ["UPDATE customers SET balance = balance + 1 WHERE id IN ('c1', 'c2')"], found: 2 },
  "balances at stores": {
    by: [
      "UPDATE store_balances SET balance = -5 WHERE customer_id = 'c1' AND store_id = (SELECT min(store_id) FROM store_balances WHERE customer_id = 'c1')",
      "DELETE FROM store_balances WHERE customer_id = 'c2' AND store_id = (SELECT min(store_id) FROM store_balances WHERE customer_id = 'c2')",
      "INSERT INTO store_balances VALUES ('s101-1-1', 'c500', 7)",
    ],
    found: 3,
  },
  "what campaigns have earned": {
    by: [
      "UPDATE campaign_stores SET earned = earned + 1 WHERE campaign_id = 'k101-double' AND store_id = (SELECT min(store_id) FROM campaign_stores WHERE campaign_id = 'k101-double')",
      "INSERT INTO campaign_stores VALUES ('k101-opening', 's101-1-1', 1, 70)",
    ],
    found: 2,
  },
  "stores joined": { by: ["UPDATE customers SET stores_count = 99 WHERE id = 'c1'"], found: 1 },
  "team links": {
    by: [
      "DELETE FROM team_links WHERE (store_id, descendant_id) = (SELECT store_id, max(descendant_id) FROM team_links WHERE depth = 1 AND store_id = (SELECT min(store_id) FROM team_links)) AND depth = 1",
      "INSERT INTO team_links VALUES ('s101-1-1', 'c1', 1, 5, 'Nobody', 'c499')",
    ],
    found: 2,
  },
  "members of teams": {
    by: [
      "UPDATE memberships SET members_3 = 77 WHERE customer_id = 'c1' AND store_id = (SELECT min(store_id) FROM memberships WHERE customer_id = 'c1')",
    ],
    found: 1,
  },
  "positions of stores": {
    by: [
      "DELETE FROM store_positions WHERE key = 1",
      "UPDATE store_positions SET min_latitude = 5, max_latitude = 5 WHERE key = 2",
      "INSERT INTO store_positions VALUES (999999, 1, 1, 1, 1, 1, 1)",
    ],
    found: 3,
  },
  "answers of accounts": {
    by: [
      "UPDATE account_answers SET coupons = replace(coupons, 'Blue', 'Red') WHERE key = 1",
      "DELETE FROM account_answers WHERE key = 2",
      "INSERT INTO account_answers VALUES (999999, '{}')",
    ],
    found: 3,
  },
  "answers of coupons": {
    by: [
      "UPDATE coupon_answers SET detail = '{}' WHERE key = 1",
      "UPDATE coupon_answers SET record = '{}' WHERE key = 2",
      "DELETE FROM coupon_answers WHERE key = 3",
      "UPDATE coupon_answers SET text = '{}' WHERE key = 4",
      "INSERT INTO coupon_answers VALUES (999999, '{}', '{}', '{}')",
    ],
    found: 5,
  },
  "tokens of teams": {
    by: ["UPDATE memberships SET tokens_2 = tokens_2 + 5 WHERE store_id = 's101-1-6' AND customer_id = 'c1'"],
    found: 1,
  },
  "newest messages of groups": {
    by: ["UPDATE message_groups SET newest_at = '2020-01-01 00:00:00', newest_id = NULL WHERE id IN ('g1', 'g2')"],
    found: 2,
  },
  "newest messages of members": {
    by: ["UPDATE message_group_members SET newest_at = NULL WHERE group_id = 'g1' AND customer_id = 'c1'"],
    found: 1,
  },
  "totals of plays": {
    by: [
      "UPDATE play_totals SET hits = hits + 1 WHERE employee_id = 'e101-1'",
      "INSERT INTO play_totals VALUES ('s101-1-3', 'eip-101', 'e101-1', 0, 1, 0, 0)",
    ],
    found: 5,
  },
  "words of stores": {
    by: [
      "DELETE FROM store_words WHERE rowid = 1",
      "DELETE FROM store_words WHERE rowid = 2",
      "INSERT INTO store_words (rowid, words) VALUES (2, 'other words')",
      "INSERT INTO store_words (rowid, words) VALUES (999999, 'nobody')",
    ],
    found: Number.NaN,
  },
  "words of campaigns": { by: ["DELETE FROM campaign_words WHERE rowid IN (1, 2)"], found: Number.NaN },
  "words of chains": { by: ["INSERT INTO chain_words (rowid, words) VALUES (1, 'blue')"], found: 1 },
  "words of customers": { by: ["DELETE FROM customer_words WHERE rowid = 1"], found: 2 },
};

beforeAll(async () => {
  const lines = demoLines();
  for (let from = 0; from < lines.length; from += 5_000) await mustFeed(lines.slice(from, from + 5_000));
  await mustFeed([
    { record: "membership", store_id: "s101-1-1", customer_id: "c500" },
    { record: "membership", store_id: "s101-1-1", customer_id: "c500", deleted: true },
    { record: "customer", id: "c6", deleted: true },
  ]);
});

describe("what is kept beside the records", () => {
  it("has a way to damage it for each kept thing", ({ expect }) => {
    expect(Object.keys(DAMAGE).sort()).toEqual(KEPT.map(({ name }) => name).sort());
  });

  it.for(KEPT)("agrees with a recount after the feed: $name", async (kept, { expect }) => {
    expect(await differences(kept)).toEqual([]);
  });

  it.for(KEPT)("is found out and mended when it was damaged: $name", async (kept, { expect }) => {
    const damage = DAMAGE[kept.name];
    await env.DB.batch((damage?.by ?? []).map((statement) => env.DB.prepare(statement)));

    const found = await differences(kept);
    await mend(kept);

    // Where a whole entry is lost, each of its words is a difference.
    if (Number.isNaN(damage?.found)) expect(found.length).toBeGreaterThan(1);
    else expect(found).toHaveLength(damage?.found ?? 0);
    expect(await differences(kept)).toEqual([]);
    for (const other of KEPT) expect(await differences(other)).toEqual([]);
  });

  it("is looked at in ranges of keys that together are the whole", async ({ expect }) => {
    await env.DB.exec("UPDATE customers SET balance = balance + 1");
    const [balances] = KEPT;
    if (balances === undefined) throw new Error("nothing is kept");

    const halves = await Promise.all([
      rows(forRange(balances.differences, 0, 250)),
      rows(forRange(balances.differences, 251, ALL)),
    ]);
    await mend(balances);

    expect(halves.map((half) => half.length)).toEqual([250, 250]);
    expect(await differences(balances)).toEqual([]);
  });

  it("does not bring back the messages of a group that was removed and written again", async ({ expect }) => {
    // The demo program has short ids of its own.
    const [ada, bob] = [seed.customer({ id: "removed-ada" }), seed.customer({ id: "removed-bob" })];
    const group = seed.group([ada.id, bob.id], { id: "removed-group" });
    await mustFeed([ada, bob, group, seed.message(group.id, ada.id, { id: "removed-message" })]);
    await mustFeed([seed.deleted("message_group", { id: group.id })]);
    await mustFeed([group]);

    for (const kept of KEPT) {
      expect({ name: kept.name, found: await differences(kept) }).toEqual({ name: kept.name, found: [] });
      await mend(kept);
    }

    expect((await as(String(bob.id)).get("/api/v1/customer/messages")).body.errorCode).toBe("NO_ITEMS");
  });
});
