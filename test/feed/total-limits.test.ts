import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { as, type FeedLine, feed, mustFeed } from "../support/api.ts";
import { program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";
import { snapshot } from "../support/state.ts";

// Totals go to ±9,007,199,254,740,991 hundredths: 90 of the largest amounts, and 71,992,547,410.81.
const LARGEST = "999999999999.99";
const REST = "71992547410.81";
const MOST = 90_071_992_547_409.91;
const TOO_LARGE = { body: ["a total would be too large"] };
const CUSTOMER = "/api/v1/customer";

function world() {
  const { mark, customer, other, store, contest, one, lines, account } = program(seed.freshId("limits"));
  const [elsewhere, campaign] = [seed.store(account.id), seed.campaign(account.id)];
  const events = ["balance_entry", "token_earning", "play"];
  return {
    mark,
    lines: [...lines.filter(({ record }) => !events.includes(record)), elsewhere, campaign],
    account: account.id,
    store: store.id,
    elsewhere: elsewhere.id,
    customer: customer.id,
    // A member of the customer's team, so that the customer is answered their totals.
    other: other.id,
    campaign: campaign.id,
    contest: contest.id,
    employee: one.employee?.id,
  };
}

type World = ReturnType<typeof world>;

const upToTheLimit = (line: (amount: string) => FeedLine): FeedLine[] => [
  ...Array.from({ length: 90 }, () => line(LARGEST)),
  line(REST),
];

const board = ({ customer, store }: World, eip_campaign_id?: string) =>
  as(customer).post(`${CUSTOMER}/gamification/leaderboard`, { location_id: store, eip_campaign_id });
const team = async ({ customer, store }: World) =>
  (await as(customer).get(`${CUSTOMER}/stores/${store}/team-with-level`)).body.items[0];

interface Total {
  /** A line that adds to the total. No other total may reach its limit first. */
  line: (world: World, amount: string) => FeedLine;
  /** A line that takes the same amount back from another total. */
  against?: (world: World, amount: string) => FeedLine;
  /** The total in an answer to the customer. */
  seen: (world: World) => Promise<unknown>;
}

let entries = 0;
const TOTALS: Record<string, Total> = {
  "a customer's balance": {
    // At two stores in turn, because the balance at each has the same limit.
    line: ({ customer, store, elsewhere }, amount) => {
      entries += 1;
      return seed.entry(customer, entries % 2 === 0 ? store : elsewhere, amount);
    },
    seen: async ({ customer, mark }) => {
      const answer = await as(customer).post(`${CUSTOMER}/full-search`, { query: mark, filter: "customers" });
      return answer.body.customers.find(({ id }: { id: string }) => id === customer).balance;
    },
  },
  "a balance at a store": {
    line: ({ other, store }, amount) => seed.entry(other, store, amount),
    against: ({ other, elsewhere }, amount) => seed.entry(other, elsewhere, amount),
    seen: async (world) => (await team(world)).total_balance,
  },
  "a member's tokens": {
    line: ({ other, store }, tokens) => seed.earning(store, other, 4, tokens),
    seen: async (world) => (await team(world)).levels[3].total_tokens_earned,
  },
  "an employee's runs": {
    line: ({ contest, store, employee }, runs) => seed.play(contest, store, employee, { runs }),
    seen: async (world) => Number((await board(world, world.contest)).body.items[0].total_runs),
  },
};

const signed = (sign: string, line: (amount: string) => FeedLine) => (amount: string) =>
  line(`${sign}${amount}`.replace("--", ""));

describe("a total", () => {
  it.for(Object.keys(TOTALS).flatMap((name) => ["", "-"].map((sign) => [name, sign] as const)))(
    "is exact up to its limit, and goes no further: %s, %s",
    async ([name, sign], { expect }) => {
      const { line, against, seen } = TOTALS[name] ?? {};
      if (line === undefined || seen === undefined) throw new Error("no such total");
      const here = world();
      const [up, back] = [signed(sign, (amount) => line(here, amount)), sign === "" ? "-" : ""];
      const down = signed(back, (amount) => against?.(here, amount) ?? "");
      await mustFeed([...here.lines, ...upToTheLimit(up), ...upToTheLimit(down)]);
      const atLimit = await seen(here);
      const before = await snapshot();

      const refused = await feed([up("0.01")]);
      const after = await snapshot();
      await mustFeed([up("-5")]);

      expect(atLimit).toBe(sign === "" ? MOST : -MOST);
      expect([refused.status, refused.body.messages]).toEqual([422, TOO_LARGE]);
      expect(after).toBe(before);
    },
  );

  it.for(["hits", "doubles", "triples"].flatMap((measure) => [1, -1].map((sign) => [measure, sign] as const)))(
    "has the same limit for counts: %s, %i",
    async ([measure, sign], { expect }) => {
      const here = world();
      const line = (count: number) => seed.play(here.contest, here.store, here.employee, { [measure]: sign * count });
      await mustFeed([...here.lines, line(1)]);
      const location = "(SELECT key FROM stores WHERE id = ?)";
      await env.DB.prepare(`UPDATE play_totals SET ${measure} = ? WHERE location_key = ${location}`)
        .bind(sign * 9007199254740981, here.store)
        .run();

      const refused = await feed([line(5), line(6)]);
      await mustFeed([line(5), line(5)]);

      expect(refused.body.messages).toEqual(TOO_LARGE);
      const { body } = await board(here, here.contest);
      expect(body.items[0][`total_${measure}`]).toBe(sign * Number.MAX_SAFE_INTEGER);
    },
  );

  it("of a campaign's earnings at a store has its limit whatever the balances of the customers", async ({ expect }) => {
    const here = world();
    const [one, other] = [seed.customer(), seed.customer()];
    const earned = (holder: { id: string }, amount: string) =>
      seed.entry(holder.id, here.store, amount, { campaign_id: here.campaign });
    await mustFeed([...here.lines, one, other, ...upToTheLimit((amount) => earned(one, amount))]);

    const refused = await feed([earned(other, "-3"), earned(other, "0.01")]);
    const taken = await feed([earned(other, "-3"), seed.entry(other.id, here.store, "0.01")]);

    expect([refused.body.messages, taken.status]).toEqual([TOO_LARGE, 200]);
  });
});

/** So many totals at their limit add up to more than an integer holds. */
const MANY = 1_400;
const NUMBERS = `WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${MANY})`;

describe("many totals at their limit", () => {
  it("are added up on a board over all running campaigns", async ({ expect }) => {
    const here = world();
    await mustFeed(here.lines);
    await env.DB.batch([
      env.DB.prepare(
        `${NUMBERS} INSERT INTO eip_campaigns (id, account_key, name, start_date, time_zone, starts_at, ends_at)
         SELECT 'many-' || n, accounts.key, 'x', '2020-01-01', 'UTC', '2020-01-01 00:00:00', 'never'
         FROM number JOIN accounts ON accounts.id = ?`,
      ).bind(here.account),
      env.DB.prepare(
        `${NUMBERS} INSERT INTO play_totals (location_key, eip_campaign_key, employee_key, runs, hits, doubles, triples)
         SELECT stores.key, eip_campaigns.key, employees.key, 9007199254740991, 3, 0, 0
         FROM number JOIN eip_campaigns ON eip_campaigns.id = 'many-' || n
         JOIN stores ON stores.id = ? JOIN employees ON employees.id = ?`,
      ).bind(here.store, here.employee),
    ]);

    const { body } = await board(here);

    expect(body.items).toMatchObject([{ total_runs: expect.any(String), total_hits: MANY * 3 }]);
  });

  it("give the order of popularity", async ({ expect }) => {
    const here = world();
    await mustFeed([...here.lines, seed.campaign(here.account, { name: "poor" })]);
    const columns = "store_image, address_line_1, address_line_2, city, state, zip, phone, words";
    await env.DB.batch([
      env.DB.prepare(
        `${NUMBERS} INSERT INTO stores (id, account_key, name, latitude, longitude, ${columns})
         SELECT 'near-' || n, accounts.key, 'x', 35.47, -97.52, '', '', '', '', '', '', '', ''
         FROM number JOIN accounts ON accounts.id = ?`,
      ).bind(here.account),
      env.DB.prepare(
        `${NUMBERS} INSERT INTO campaign_stores (store_key, campaign_key, listed, earned)
         SELECT stores.key, campaigns.key, 1, 9007199254740991
         FROM number JOIN stores ON stores.id = 'near-' || n JOIN campaigns ON campaigns.id = ?`,
      ).bind(here.campaign),
    ]);

    const answer = await as(here.customer).post(`${CUSTOMER}/campaigns/near-by-popular-campaigns`, {
      ...{ latitude: 35.47, longitude: -97.52, single_account_id: here.account },
    });

    expect(answer.body.items[0].id).toBe(here.campaign);
  });
});
