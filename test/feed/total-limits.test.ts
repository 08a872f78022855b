import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { as, type FeedLine, feed, mustFeed } from "../support/api.ts";
import { program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";
import { snapshot } from "../support/state.ts";

// Totals go to ±9,007,199,254,740,991 hundredths: 90 of the largest amounts, and 71,992,547,410.81.
const LARGEST = "999999999999.99";
const MOST = 90_071_992_547_409.91;
const TOO_LARGE = { body: ["a total would be too large"] };

const CUSTOMER = "/api/v1/customer";

function world() {
  const mark = seed.freshId("limits");
  const { customer, other, store, contest, one, lines, account } = program(mark);
  const elsewhere = seed.store(account.id);
  const campaign = seed.campaign(account.id);
  return {
    mark,
    // Without the amounts that a program has of its own.
    lines: [
      ...(lines as { record?: unknown }[]).filter(
        ({ record }) => !["balance_entry", "token_earning", "play"].includes(String(record)),
      ),
      elsewhere,
      campaign,
    ],
    account,
    store: String(store.id),
    elsewhere: String(elsewhere.id),
    customer: String(customer.id),
    // The one whose team the customer is in, so that somebody sees the customer's totals in a team.
    other: String(other.id),
    campaign: String(campaign.id),
    contest: String(contest.id),
    employee: String(one.employee?.id),
  };
}

type World = ReturnType<typeof world>;

/** Half of a customer's entries at another store, so that no balance at a store gets to its limit first. */
function entryAnywhere({ customer, store, elsewhere }: World, amount: string): FeedLine {
  entries += 1;
  return seed.entry(customer, entries % 2 === 0 ? store : elsewhere, amount);
}
let entries = 0;

/** Lines that come to the limit. */
function upToTheLimit(line: (amount: string) => FeedLine, sign: "" | "-"): FeedLine[] {
  return [...Array.from({ length: 90 }, () => line(`${sign}${LARGEST}`)), line(`${sign}71992547410.81`)];
}

const found = async ({ customer, mark }: World) => {
  const answer = await as(customer).post(`${CUSTOMER}/full-search`, { query: mark, filter: "customers" });
  return answer.body.customers.find(({ id }: { id: string }) => id === customer).balance;
};
const members = async ({ customer, store }: World) =>
  (await as(customer).get(`${CUSTOMER}/stores/${store}/team-with-level`)).body.items;
const board = async ({ customer, store }: World, eip_campaign_id?: string) =>
  as(customer).post(`${CUSTOMER}/gamification/leaderboard`, { location_id: store, eip_campaign_id });

/** What a line of each kind adds to, and where a customer sees it. */
const TOTALS: Record<
  string,
  {
    line: (world: World, amount: string) => FeedLine;
    /** What keeps other totals from getting there first. */
    against?: (world: World, amount: string) => FeedLine;
    seen: (world: World) => Promise<unknown>;
    /** A total as it is answered. */
    as: (total: number) => unknown;
  }
> = {
  "a customer's balance": {
    line: entryAnywhere,
    seen: found,
    as: (total) => total,
  },
  "a balance that others see beside messages": {
    line: entryAnywhere,
    seen: async ({ other }) =>
      (await as(other).get(`${CUSTOMER}/messages`)).body.items[0].group_members[0].total_balance,
    as: (total) => total,
  },
  "a balance at a store": {
    line: ({ other, store }, amount) => seed.entry(other, store, amount),
    against: ({ other, elsewhere }, amount) => seed.entry(other, elsewhere, amount),
    seen: async (world) => (await members(world))[0].total_balance,
    as: (total) => total,
  },
  "a member's tokens": {
    line: ({ other, store }, tokens) => seed.earning(store, other, 4, tokens),
    seen: async (world) => (await members(world))[0].levels[3].total_tokens_earned,
    as: (total) => total,
  },
  "an employee's runs": {
    line: ({ contest, store, employee }, runs) => seed.play(contest, store, employee, { runs }),
    seen: async (world) => (await board(world, world.contest)).body.items[0].total_runs,
    // Text, so exact where a number is not.
    as: (total) => `${total < 0 ? "-" : ""}90071992547409.91`,
  },
};

const cases = Object.keys(TOTALS).flatMap((name) => [[name, ""] as const, [name, "-"] as const]);

describe("a total", () => {
  it.for(cases)("is exact up to its limit, and goes no further: %s, %s", async ([name, sign], { expect }) => {
    const total = TOTALS[name];
    if (total === undefined) throw new Error("no such total");
    const [here, apart] = [world(), world()];
    const line = (amount: string) => total.line(here, amount);
    const side = sign === "-" ? -1 : 1;
    const against = (amount: string) => total.against?.(here, amount) ?? "";
    const other = sign === "" ? "-" : "";
    await mustFeed([...here.lines, ...apart.lines, ...upToTheLimit(line, sign), ...upToTheLimit(against, other)]);
    const atLimit = await total.seen(here);
    const before = await snapshot();

    const refused = await feed([total.line(apart, `${sign}5`), line(`${sign}0.01`)]);
    const after = await snapshot();
    await mustFeed([line(`${-side * 5}`)]);

    expect(atLimit).toBe(total.as(side * MOST));
    expect([refused.status, refused.body.messages]).toEqual([422, TOO_LARGE]);
    expect(after).toBe(before);
  });

  it.for(["hits", "doubles", "triples"].flatMap((measure) => [[measure, 1] as const, [measure, -1] as const]))(
    "counts so far too: %s, %i",
    async ([measure, sign], { expect }) => {
      const here = world();
      const line = (count: number) => seed.play(here.contest, here.store, here.employee, { [measure]: sign * count });
      await mustFeed([...here.lines, line(1)]);
      const location = "(SELECT key FROM stores WHERE id = ?)";
      await env.DB.prepare(`UPDATE play_totals SET ${measure} = ? WHERE location_key = ${location}`)
        .bind(sign * 9007199254740981, here.store)
        .run();

      const refused = await feed([line(0), line(5), line(6)]);
      await mustFeed([line(5), line(5)]);

      expect(refused.body.messages).toEqual(TOO_LARGE);
      const { body } = await board(here, here.contest);
      expect(body.items[0][`total_${measure}`]).toBe(sign * Number.MAX_SAFE_INTEGER);
    },
  );

  it.for([
    // Other totals stay small: of the customer what comes from elsewhere goes back, and a campaign has many customers.
    [
      "a balance at a store",
      (here: World) => [
        seed.entry(here.customer, here.store, LARGEST),
        seed.entry(here.customer, here.elsewhere, `-${LARGEST}`),
      ],
    ],
    [
      "a campaign's earnings",
      (here: World) => {
        const holder = seed.customer();
        return [holder, seed.entry(holder.id, here.store, LARGEST, { campaign_id: here.campaign })];
      },
    ],
    [
      "an employee's runs",
      (here: World) => [seed.play(here.contest, here.store, here.employee, { runs: LARGEST }), seed.customer()],
    ],
  ] as const)("goes no further in its first request: %s", async ([, lines], { expect }) => {
    const here = world();
    await mustFeed(here.lines);

    const refused = await feed(Array.from({ length: 200 }, () => lines(here)).flat());

    expect([refused.status, refused.body.messages]).toEqual([422, TOO_LARGE]);
  });

  it("of what a campaign has earned at a store goes no further, whatever the customers' balances", async ({
    expect,
  }) => {
    const here = world();
    const holders = [seed.customer(), seed.customer()];
    const earned = (holder: number, amount: string) =>
      seed.entry(holders[holder]?.id, here.store, amount, { campaign_id: here.campaign });
    await mustFeed([...here.lines, ...holders, ...upToTheLimit((amount) => earned(0, amount), "")]);

    const refused = await feed([earned(1, "-3"), earned(1, "0.01")]);
    const taken = await feed([earned(1, "-3"), seed.entry(holders[1]?.id, here.store, "0.01")]);

    expect(refused.body.messages).toEqual(TOO_LARGE);
    expect(taken.status).toBe(200);
  });
});

/** As many as it takes for totals at their limit to come to more than an integer holds. */
const MANY = 1_400;
const NUMBERS = `WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${MANY})`;

describe("what is read of many totals at their limit", () => {
  it("is a board over all running campaigns", async ({ expect }) => {
    const here = world();
    await mustFeed(here.lines);
    await env.DB.batch([
      env.DB.prepare(
        `${NUMBERS} INSERT INTO eip_campaigns (id, account_key, name, start_date, time_zone, starts_at, ends_at)
         SELECT 'many-' || n, accounts.key, 'x', '2020-01-01', 'UTC', '2020-01-01 00:00:00', 'never' FROM number JOIN accounts ON accounts.id = ?`,
      ).bind(here.account.id),
      env.DB.prepare(
        `${NUMBERS} INSERT INTO play_totals (location_key, eip_campaign_key, employee_key, runs, hits, doubles, triples)
         SELECT stores.key, eip_campaigns.key, employees.key, 9007199254740991, 3, 0, 0
         FROM number JOIN eip_campaigns ON eip_campaigns.id = 'many-' || n
         JOIN stores ON stores.id = ? JOIN employees ON employees.id = ?`,
      ).bind(here.store, here.employee),
    ]);

    const { status, body } = await board(here);

    expect(status).toBe(200);
    expect(body.items).toMatchObject([{ total_runs: expect.any(String), total_hits: MANY * 3 }]);
  });

  it("is the order of popularity", async ({ expect }) => {
    const here = world();
    await mustFeed([...here.lines, seed.campaign(here.account.id, { name: "poor" })]);
    await env.DB.batch([
      env.DB.prepare(
        `${NUMBERS} INSERT INTO stores (
           id, account_key, name, latitude, longitude, store_image, address_line_1, address_line_2, city, state, zip,
           phone, words
         )
         SELECT 'near-' || n, accounts.key, 'x', 35.47, -97.52, '', '', '', '', '', '', '', ''
         FROM number JOIN accounts ON accounts.id = ?`,
      ).bind(here.account.id),
      env.DB.prepare(
        `${NUMBERS} INSERT INTO campaign_stores (store_key, campaign_key, listed, earned)
         SELECT stores.key, campaigns.key, 1, 9007199254740991
         FROM number JOIN stores ON stores.id = 'near-' || n JOIN campaigns ON campaigns.id = ?`,
      ).bind(here.campaign),
    ]);

    const answer = await as(here.customer).post(`${CUSTOMER}/campaigns/near-by-popular-campaigns`, {
      latitude: 35.47,
      longitude: -97.52,
      single_account_id: here.account.id,
    });

    expect(answer.body.items[0].id).toBe(here.campaign);
  });
});
