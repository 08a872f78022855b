import { describe, it } from "vitest";
import { as, type FeedLine, feed, mustFeed } from "../support/api.ts";
import { type Program, program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";
import { rows, snapshot } from "../support/state.ts";

const LARGEST_TOTAL = Number.MAX_SAFE_INTEGER;
const TOO_LARGE = ["would make a total too large"];
const CUSTOMER = "/api/v1/customer";

async function storedProgram(): Promise<Program> {
  const stored = program(seed.freshId("limits"));
  await mustFeed(stored.lines);
  return stored;
}

const board = ({ customer, store }: Program, eip_campaign_id?: string) =>
  as(customer.id).post(`${CUSTOMER}/gamification/leaderboard`, { location_id: store.id, eip_campaign_id });
const me = async (customerId: string) => (await as(customerId).get(`${CUSTOMER}/me`)).body.items;
/** The only member of the customer's team, who is the friend. */
const member = async ({ customer, store }: Program) =>
  (await as(customer.id).get(`${CUSTOMER}/stores/${store.id}/team-with-level`)).body.items[0];

interface Total {
  table: string;
  column: string;
  /** A line that adds an amount to the total. With `isCount` the amount is a count, otherwise it is in hundredths. */
  lineThatAdds: (stored: Program, amount: number) => FeedLine;
  /** Asks for the total as a customer sees it. */
  readFromAnswer: (stored: Program) => Promise<unknown>;
  /** The field with the amount. */
  field: string;
  isCount?: boolean;
}

const toDecimal = (hundredths: number) => String(hundredths / 100);
const entryOfFriend = ({ friend, store }: Program, amount: number) =>
  seed.entry(friend.id, store.id, toDecimal(amount));

const TOTALS: Record<string, Total> = {
  "a balance at a store": {
    table: "store_balances",
    column: "balance",
    lineThatAdds: entryOfFriend,
    field: "amount",
    readFromAnswer: async (stored) => (await member(stored)).total_balance,
  },
  "a member's tokens": {
    table: "memberships",
    column: "tokens_4",
    field: "tokens",
    lineThatAdds: ({ friend, store }, amount) => seed.earning(store.id, friend.id, 4, toDecimal(amount)),
    readFromAnswer: async (stored) => (await member(stored)).levels[3].total_tokens_earned,
  },
  "an employee's runs": {
    ...playTotal("runs", toDecimal),
    readFromAnswer: async (stored) => Number((await board(stored, stored.contest.id)).body.items[0].total_runs),
  },
  ...Object.fromEntries(
    ["hits", "doubles", "triples"].map((count) => [`an employee's ${count}`, { ...playTotal(count), isCount: true }]),
  ),
};

function playTotal(measure: string, toField: (amount: number) => unknown = (amount) => amount): Total {
  return {
    table: "play_totals",
    column: measure,
    field: measure,
    lineThatAdds: ({ contest, store, recordOf }, amount) =>
      seed.play(contest.id, store.id, recordOf.employee?.id, { [measure]: toField(amount) }),
    readFromAnswer: async (stored) => (await board(stored, stored.contest.id)).body.items[0][`total_${measure}`],
  };
}

describe("a total", () => {
  it.for(Object.keys(TOTALS).flatMap((name) => [1, -1].map((sign) => [name, sign] as const)))(
    "is exact up to its limit, and goes no further: %s, %i",
    async ([name, sign], { expect }) => {
      const { table, column, field, lineThatAdds, readFromAnswer, isCount = false } = TOTALS[name] as Total;
      const stored = await storedProgram();
      // The first line makes the row of the total.
      await mustFeed([lineThatAdds(stored, 1)]);
      await rows(`UPDATE ${table} SET ${column} = ?`, sign * (LARGEST_TOTAL - 10));
      const before = await snapshot();

      const refusedAnswer = await feed([lineThatAdds(stored, sign * 5), lineThatAdds(stored, sign * 6)]);
      const after = await snapshot();
      await mustFeed([lineThatAdds(stored, sign * 5), lineThatAdds(stored, sign * 5)]);

      const named = { [`line 1.${field}`]: TOO_LARGE, [`line 2.${field}`]: TOO_LARGE };
      expect([refusedAnswer.status, refusedAnswer.body.messages]).toEqual([422, named]);
      expect(after).toBe(before);
      expect(await readFromAnswer(stored)).toBe((sign * LARGEST_TOTAL) / (isCount ? 1 : 100));
    },
  );

  it("of a campaign's earnings at a store has its limit whatever the balances of the customers", async ({ expect }) => {
    const { store, campaign, customer } = await storedProgram();
    const earned = (amount: string) => seed.entry(customer.id, store.id, amount, { campaign_id: campaign.id });
    await rows("UPDATE campaign_earnings SET earned = ?", LARGEST_TOTAL);

    const refusedAnswer = await feed([seed.entry(customer.id, store.id, "5"), earned("0.01")]);
    const acceptedAnswer = await feed([earned("-3"), seed.entry(customer.id, store.id, "0.01")]);

    expect([refusedAnswer.body.messages, acceptedAnswer.status]).toEqual([{ "line 2.amount": TOO_LARGE }, 200]);
  });

  it("of one account never refuses a line of another", async ({ expect }) => {
    const [stored, other] = [await storedProgram(), await storedProgram()];
    await mustFeed([entryOfFriend(stored, 1)]);
    await rows("UPDATE store_balances SET balance = ?", LARGEST_TOTAL);
    await rows("UPDATE customers SET balance = ?", LARGEST_TOTAL);

    const own = await feed([seed.entry(stored.friend.id, stored.store.id, "0.01")]);
    const ofOther = await feed([seed.entry(stored.friend.id, other.store.id, "0.01")]);
    const ofBoth = [other.store, stored.store].map(({ id }) => seed.entry(stored.friend.id, id, "0.01"));

    expect([own.status, ofOther.status]).toEqual([422, 200]);
    expect((await feed(ofBoth)).body.messages).toEqual({ "line 2.amount": TOO_LARGE });
  });
});

describe("many totals at their limit", () => {
  /** This many totals at their limit add up to more than an integer of SQLite holds. */
  const TOTAL_COUNT = 1_400;
  const many = <Line>(make: () => Line) => Array.from({ length: TOTAL_COUNT }, make);

  it("are added up on a board over all running campaigns", async ({ expect }) => {
    const stored = await storedProgram();
    const { account, store, recordOf } = stored;
    const contests = many(() => seed.eipCampaign(account.id));
    const plays = contests.map(({ id }) => seed.play(id, store.id, recordOf.employee?.id, { hits: 3 }));
    await mustFeed([...contests, ...plays]);
    await rows("UPDATE play_totals SET runs = ?", LARGEST_TOTAL);

    const { body } = await board(stored);

    expect(body.items).toMatchObject([{ total_runs: expect.any(String), total_hits: TOTAL_COUNT * 3 }]);
  });

  it("are added up for the popularity of a campaign, and for a balance at an account", async ({ expect }) => {
    const { account, customer } = await storedProgram();
    const [poor, popular] = [seed.campaign(account.id), seed.campaign(account.id)];
    const stores = many(() => seed.store(account.id));
    const entries = stores.map(({ id }) => seed.entry(customer.id, id, "1.00", { campaign_id: popular.id }));
    await mustFeed([poor, popular, ...stores, ...entries]);
    await rows("UPDATE campaign_earnings SET earned = ?", LARGEST_TOTAL);
    await rows("UPDATE store_balances SET balance = ?", LARGEST_TOTAL);

    const { body } = await as(customer.id).post(`${CUSTOMER}/campaigns/near-by-popular-campaigns`, {
      latitude: 35.47,
      longitude: -97.52,
      single_account_id: account.id,
    });
    const { balances } = await me(customer.id);

    expect(body.items[0].id).toBe(popular.id);
    // Doubles of this size are not exact.
    expect(balances[0].balance / (((TOTAL_COUNT + 1) * LARGEST_TOTAL) / 100)).toBeCloseTo(1, 12);
  });
});
