import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { as, type FeedLine, feed, mustFeed } from "../support/api.ts";
import { type Program, program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";
import { rows, snapshot } from "../support/state.ts";

const LARGEST_TOTAL = Number.MAX_SAFE_INTEGER;
const TOO_LARGE = { body: ["a total would be too large"] };
const CUSTOMER = "/api/v1/customer";

async function storedProgram(): Promise<Program> {
  const stored = program(seed.freshId("limits"));
  await mustFeed(stored.lines);
  return stored;
}

const board = ({ customer, store }: Program, eip_campaign_id?: string) =>
  as(customer.id).post(`${CUSTOMER}/gamification/leaderboard`, { location_id: store.id, eip_campaign_id });
const me = async ({ customer }: Program) => (await as(customer.id).get(`${CUSTOMER}/me`)).body.items;
/** The only member of the customer's team. */
const member = async ({ customer, store }: Program) =>
  (await as(customer.id).get(`${CUSTOMER}/stores/${store.id}/team-with-level`)).body.items[0];

interface Total {
  /** The SQL that sets the total to `?1`, for the id `?2`. */
  update: string;
  id: (stored: Program) => string;
  /** A line that adds an amount to the total. With `isCount` the amount is a count, otherwise it is in hundredths. */
  line: (stored: Program, amount: number) => FeedLine;
  inAnswer: (stored: Program) => Promise<unknown>;
  isCount?: boolean;
}

const TOTALS: Record<string, Total> = {
  "a customer's balance": {
    update: "UPDATE customers SET balance = ?1 WHERE id = ?2",
    id: ({ customer }) => customer.id,
    line: ({ customer, store }, amount) => seed.entry(customer.id, store.id, String(amount / 100)),
    inAnswer: async (stored) => (await me(stored)).balance,
  },
  "a balance at a store": {
    update: "UPDATE store_balances SET balance = ?1 WHERE customer_key = (SELECT key FROM customers WHERE id = ?2)",
    id: ({ friend }) => friend.id,
    line: ({ friend, store }, amount) => seed.entry(friend.id, store.id, String(amount / 100)),
    inAnswer: async (stored) => (await member(stored)).total_balance,
  },
  "a member's tokens": {
    update: "UPDATE memberships SET tokens_4 = ?1 WHERE customer_key = (SELECT key FROM customers WHERE id = ?2)",
    id: ({ friend }) => friend.id,
    line: ({ friend, store }, amount) => seed.earning(store.id, friend.id, 4, String(amount / 100)),
    inAnswer: async (stored) => (await member(stored)).levels[3].total_tokens_earned,
  },
  "an employee's runs": {
    ...playTotal("runs", (amount) => String(amount / 100)),
    inAnswer: async (stored) => Number((await board(stored, stored.contest.id)).body.items[0].total_runs),
  },
  ...Object.fromEntries(
    ["hits", "doubles", "triples"].map((count) => [`an employee's ${count}`, { ...playTotal(count), isCount: true }]),
  ),
};

function playTotal(measure: string, toField: (amount: number) => unknown = (amount) => amount): Total {
  return {
    update: `UPDATE play_totals SET ${measure} = ?1 WHERE location_key = (SELECT key FROM stores WHERE id = ?2)`,
    id: ({ store }) => store.id,
    line: ({ contest, store, recordOf }, amount) =>
      seed.play(contest.id, store.id, recordOf.employee?.id, { [measure]: toField(amount) }),
    inAnswer: async (stored) => (await board(stored, stored.contest.id)).body.items[0][`total_${measure}`],
  };
}

describe("a total", () => {
  it.for(Object.keys(TOTALS).flatMap((name) => [1, -1].map((sign) => [name, sign] as const)))(
    "is exact up to its limit, and goes no further: %s, %i",
    async ([name, sign], { expect }) => {
      const { update, id, line, inAnswer, isCount = false } = TOTALS[name] as Total;
      const stored = await storedProgram();
      // The first line makes the row of the total.
      await mustFeed([line(stored, 1)]);
      await rows(update, sign * (LARGEST_TOTAL - 10), id(stored));
      const before = await snapshot();

      const refusedAnswer = await feed([line(stored, sign * 5), line(stored, sign * 6)]);
      const after = await snapshot();
      await mustFeed([line(stored, sign * 5), line(stored, sign * 5)]);

      expect([refusedAnswer.status, refusedAnswer.body.messages]).toEqual([422, TOO_LARGE]);
      expect(after).toBe(before);
      expect(await inAnswer(stored)).toBe((sign * LARGEST_TOTAL) / (isCount ? 1 : 100));
    },
  );

  it("is exact for a member of a group, with either sign", async ({ expect }) => {
    const { customer, friend, lines } = program(seed.freshId("limits"));
    await mustFeed(lines);
    const balances = [LARGEST_TOTAL, -LARGEST_TOTAL, 1e15 + 5, 999_999_999_999_999];

    for (const balance of balances) {
      await rows("UPDATE customers SET balance = ?1 WHERE id = ?2", balance, friend.id);
      const { body } = await as(customer.id).get(`${CUSTOMER}/messages`);
      expect(body.items[0].group_members[0].total_balance).toBe(balance / 100);
    }
  });

  it("of a campaign's earnings at a store has its limit whatever the balances of the customers", async ({ expect }) => {
    const { store, campaign, customer, lines } = program(seed.freshId("limits"));
    const earned = (amount: string) => seed.entry(customer.id, store.id, amount, { campaign_id: campaign.id });
    await mustFeed(lines);
    const ofCampaignSql = "campaign_key = (SELECT key FROM campaigns WHERE id = ?2)";
    await rows(`UPDATE campaign_stores SET earned = ?1 WHERE ${ofCampaignSql}`, LARGEST_TOTAL, campaign.id);

    const refusedAnswer = await feed([earned("-3"), earned("0.01")]);
    const acceptedAnswer = await feed([earned("-3"), seed.entry(customer.id, store.id, "0.01")]);

    expect([refusedAnswer.body.messages, acceptedAnswer.status]).toEqual([TOO_LARGE, 200]);
  });
});

/** This many totals at their limit add up to more than an integer of SQLite holds. */
const TOTAL_COUNT = 1_400;
const NUMBERS = `WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${TOTAL_COUNT})`;

/** Adds many stores to a program's account. */
async function addStores({ account }: Program): Promise<void> {
  const columns = "store_image, address_line_1, address_line_2, city, state, zip, phone, words";
  await rows(
    `${NUMBERS} INSERT INTO stores (id, account_key, name, latitude, longitude, ${columns})
     SELECT 'near-' || n || '-' || accounts.id, accounts.key, 'x', 35.47, -97.52, '', '', '', '', '', '', '', ''
     FROM number JOIN accounts ON accounts.id = ?`,
    account.id,
  );
}

describe("many totals at their limit", () => {
  it("are added up on a board over all running campaigns", async ({ expect }) => {
    const stored = await storedProgram();
    await env.DB.batch([
      env.DB.prepare(
        `${NUMBERS} INSERT INTO eip_campaigns (id, account_key, name, start_date, time_zone, starts_at, ends_at)
         SELECT 'many-' || n, accounts.key, 'x', '2020-01-01', 'UTC', '2020-01-01 00:00:00', 'never'
         FROM number JOIN accounts ON accounts.id = ?`,
      ).bind(stored.account.id),
      env.DB.prepare(
        `${NUMBERS} INSERT INTO play_totals (location_key, eip_campaign_key, employee_key, runs, hits, doubles, triples)
         SELECT stores.key, eip_campaigns.key, employees.key, ${LARGEST_TOTAL}, 3, 0, 0
         FROM number JOIN eip_campaigns ON eip_campaigns.id = 'many-' || n
         JOIN stores ON stores.id = ? JOIN employees ON employees.id = ?`,
      ).bind(stored.store.id, stored.recordOf.employee?.id),
    ]);

    const { body } = await board(stored);

    expect(body.items).toMatchObject([{ total_runs: expect.any(String), total_hits: TOTAL_COUNT * 3 }]);
  });

  it("give the order of popularity", async ({ expect }) => {
    const stored = await storedProgram();
    await mustFeed([seed.campaign(stored.account.id, { name: "poor" })]);
    await addStores(stored);
    await rows(
      `INSERT INTO campaign_stores (store_key, campaign_key, listed, earned)
       SELECT stores.key, campaigns.key, 1, ${LARGEST_TOTAL}
       FROM stores JOIN campaigns ON campaigns.id = ? WHERE stores.id LIKE 'near-%' || ?`,
      ...[stored.campaign.id, stored.account.id],
    );

    const { body } = await as(stored.customer.id).post(`${CUSTOMER}/campaigns/near-by-popular-campaigns`, {
      ...{ latitude: 35.47, longitude: -97.52, single_account_id: stored.account.id },
    });

    expect(body.items[0].id).toBe(stored.campaign.id);
  });

  it("are added up in the balance at an account", async ({ expect }) => {
    const stored = await storedProgram();
    await addStores(stored);
    await rows(
      `INSERT INTO store_balances (store_key, customer_key, balance)
       SELECT stores.key, customers.key, ${LARGEST_TOTAL}
       FROM stores JOIN customers ON customers.id = ? WHERE stores.id LIKE 'near-%' || ?`,
      ...[stored.customer.id, stored.account.id],
    );

    const { balances } = await me(stored);

    // Doubles of this size are not exact.
    expect(balances[0].balance / ((TOTAL_COUNT * LARGEST_TOTAL) / 100)).toBeCloseTo(1, 12);
  });
});
