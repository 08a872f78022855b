import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { boardKey } from "../../../src/customer/gamification/boards.ts";
import { LeaderboardAnswer } from "../../../src/customer/gamification/operations.ts";
import { clock } from "../../../src/values/clock.ts";
import { type Answer, as, mustFeed, send, trips } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import * as seed from "../../support/seed.ts";
import { customerToken } from "../../support/tokens.ts";

const PATH = "/api/v1/customer/gamification/leaderboard";

let now = Date.UTC(2026, 4, 10, 12);

beforeEach(async () => {
  vi.spyOn(clock, "now").mockImplementation(() => now);
  await setClock("2026-05-10 12:00:00");
});

afterEach(() => {
  vi.restoreAllMocks();
});

const pass = (seconds: number) => {
  now += seconds * 1_000;
};

async function location() {
  const account = seed.account();
  const store = seed.store(account.id);
  const campaign = seed.eipCampaign(account.id);
  await mustFeed([account, store, campaign]);
  return { account, store, campaign };
}

async function team(accountId: unknown, names: readonly string[]) {
  const employees = names.map((name) => seed.employee(accountId, { name }));
  await mustFeed(employees);
  return employees;
}

async function board(store: { id: string }, fields: Record<string, unknown> = {}): Promise<Answer> {
  return as(seed.freshId("c")).post(PATH, { location_id: store.id, ...fields });
}

const ranks = ({ body }: Answer) =>
  body.items.map((item: Record<string, unknown>) => [item.rank, item.employee_name, item.total_runs]);

describe("POST /gamification/leaderboard", () => {
  it("answers each field of an item: totals over all plays, each with its own", async ({ expect }) => {
    const { account, store, campaign } = await location();
    const ruth = seed.employee(account.id, { name: "Babe Ruth", avatar: "https://i.example/r" });
    const plays = [
      seed.play(campaign.id, store.id, ruth.id, { runs: "0.25", hits: 3, doubles: 1 }),
      seed.play(campaign.id, store.id, ruth.id, { runs: "1.25", triples: 2, hits: 1 }),
    ];
    await mustFeed([ruth, ...plays, plays[0] as never]);
    await mustFeed(plays);

    const answer = await board(store, { eip_campaign_id: campaign.id });

    expect(LeaderboardAnswer.strict().safeParse(answer.body).error).toBeUndefined();
    expect(answer.body).toEqual({
      status: true,
      items: [
        {
          employee_id: ruth.id,
          employee_name: "Babe Ruth",
          avatar: "https://i.example/r",
          rank: 1,
          total_runs: "1.5",
          total_hits: 4,
          total_doubles: 1,
          total_triples: 2,
        },
      ],
    });
  });

  it("gives ties one rank and skips those after, in the order of name, then id", async ({ expect }) => {
    const { account, store, campaign } = await location();
    const [b, a, top, last, a2] = await team(account.id, ["Bea", "Ann", "Top", "Zoe", "Ann"]);
    const runs = (one: { id: string } | undefined, count: string) =>
      seed.play(campaign.id, store.id, one?.id, { runs: count });
    await mustFeed([runs(a2, "5"), runs(b, "5"), runs(a, "5.00"), runs(top, "12"), runs(last, "-0.5")]);

    const answer = await board(store, { eip_campaign_id: campaign.id });

    expect(ranks(answer)).toEqual([
      [1, "Top", "12"],
      [2, "Ann", "5"],
      [2, "Ann", "5"],
      [2, "Bea", "5"],
      [5, "Zoe", "-0.5"],
    ]);
    expect(answer.body.items.slice(1, 3).map((item: { employee_id: string }) => item.employee_id)).toEqual([
      a?.id,
      a2?.id,
    ]);
  });

  it("ranks by rank_on, and by runs if it is left out", async ({ expect }) => {
    const { account, store, campaign } = await location();
    const [r, h, d, t] = await team(account.id, ["R", "H", "D", "T"]);
    await mustFeed([
      seed.play(campaign.id, store.id, r?.id, { runs: "9" }),
      seed.play(campaign.id, store.id, h?.id, { hits: 9 }),
      seed.play(campaign.id, store.id, d?.id, { doubles: 9 }),
      seed.play(campaign.id, store.id, t?.id, { triples: 9 }),
    ]);
    const first = async (rank_on: unknown) => (await board(store, { rank_on })).body.items[0].employee_name;

    expect(await Promise.all(["run", "hit", "double", "triple"].map(first))).toEqual(["R", "H", "D", "T"]);
    expect(await Promise.all([undefined, "", null].map(first))).toEqual(["R", "R", "R"]);
  });

  it("answers a hundred employees with their ranks on the whole board", async ({ expect }) => {
    const { account, store, campaign } = await location();
    const names = Array.from({ length: 150 }, (_, index) => `E${String(index).padStart(3, "0")}`);
    const employees = await team(account.id, names);
    await mustFeed(
      employees.map(({ id }, index) =>
        seed.play(campaign.id, store.id, id, { runs: String(index % 3), hits: 150 - index, triples: index }),
      ),
    );

    const [runs, hits, triples] = await Promise.all(
      ["run", "hit", "triple"].map((rank_on) => board(store, { rank_on })),
    );

    const names_ = (answer: Answer | undefined) =>
      answer?.body.items.map((item: { employee_name: string }) => item.employee_name);
    expect(names_(hits)).toEqual(names.slice(0, 100));
    expect(names_(triples)).toEqual(names.toReversed().slice(0, 100));
    expect(runs?.body.items.map(({ rank }: { rank: number }) => rank)).toEqual([
      ...Array(50).fill(1),
      ...Array(50).fill(51),
    ]);
  });

  it("takes all campaigns that run today when none is named, and one that is named whenever it runs", async ({
    expect,
  }) => {
    const { account, store } = await location();
    const campaigns = [
      { start_date: "2026-05-10" },
      { end_date: "2026-05-10" },
      { start_date: "2026-05-11" },
      { end_date: "2026-05-09" },
    ].map((dates) => seed.eipCampaign(account.id, dates));
    const [ruth] = await team(account.id, ["Ruth"]);
    await mustFeed([
      ...campaigns,
      ...campaigns.map(({ id }, index) => seed.play(id, store.id, ruth?.id, { runs: String(10 ** index) })),
    ]);

    expect(ranks(await board(store))).toEqual([[1, "Ruth", "11"]]);
    expect(ranks(await board(store, { eip_campaign_id: campaigns[2]?.id }))).toEqual([[1, "Ruth", "100"]]);
    expect(ranks(await board(store, { eip_campaign_id: campaigns[3]?.id }))).toEqual([[1, "Ruth", "1000"]]);
  });

  it("has a board of its own for each day", async ({ expect }) => {
    const { account, store } = await location();
    const tomorrow = seed.eipCampaign(account.id, { start_date: "2026-05-11" });
    const [ruth] = await team(account.id, ["Ruth"]);
    await mustFeed([tomorrow, seed.play(tomorrow.id, store.id, ruth?.id, { runs: "1" })]);
    expect(ranks(await board(store))).toEqual([]);

    const noon = now;
    now = Date.UTC(2026, 4, 11, 0, 0, 1);
    await setClock("2026-05-11 00:00:01");
    expect(ranks(await board(store))).toEqual([[1, "Ruth", "1"]]);
    now = noon;
  });

  it("answers no items for an unknown location or campaign, and caches no board for it", async ({ expect }) => {
    const { account, store } = await location();
    const other = await location();
    const answers = [
      await board({ id: "nowhere" }),
      await board(store, { eip_campaign_id: "none" }),
      await board(store, { eip_campaign_id: other.campaign.id }),
    ];

    expect(answers.map(({ body }) => body)).toEqual(Array(3).fill({ status: true, items: [] }));
    expect(account.id).not.toBe(other.account.id);
    expect(await env.CACHE.get(await boardKey({ locationId: "nowhere", campaignId: null }, "2026-05-10"))).toBeNull();
    expect(trips(await board({ id: "nowhere" }))).toBe(1);
  });

  it("answers what is soft-deleted as if it were not there, until it is written again", async ({ expect }) => {
    const { account, store, campaign } = await location();
    const [ruth] = await team(account.id, ["Ruth"]);
    await mustFeed([seed.play(campaign.id, store.id, ruth?.id, { runs: "1" })]);
    const both = async () => [await board(store), await board(store, { eip_campaign_id: campaign.id })].map(ranks);
    const there = [[[1, "Ruth", "1"]], [[1, "Ruth", "1"]]];

    for (const one of [account, store, campaign, ruth as typeof account]) {
      await mustFeed([seed.deleted(one.record, { id: one.id })]);
      pass(31);
      expect(await both()).toEqual([[], []]);

      await mustFeed([one]);
      pass(31);
      expect(await both()).toEqual(there);
    }
    now = Date.UTC(2026, 4, 10, 12);
  });

  it("makes one round trip for a cold board, none for a warm one, and says how old it is", async ({ expect }) => {
    const { store, campaign } = await location();
    const cold = await board(store, { eip_campaign_id: campaign.id });
    pass(30);
    const warm = await board(store, { eip_campaign_id: campaign.id, rank_on: "hit" });

    expect([trips(cold), cold.headers.get("X-Board-Age")]).toEqual([1, "0"]);
    expect([trips(warm), warm.headers.get("X-Board-Age")]).toEqual([0, "30"]);
  });

  it("makes one round trip for a hundred simultaneous requests for a cold board", async ({ expect }) => {
    const { store } = await location();

    const answers = await Promise.all(Array.from({ length: 100 }, () => board(store)));

    expect(answers.map(trips).reduce((sum, count) => sum + count)).toBe(1);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });

  it("answers a board that KV holds without a round trip, up to thirty seconds old", async ({ expect }) => {
    const { store, campaign } = await location();
    const key = await boardKey({ locationId: store.id, campaignId: campaign.id }, "2026-05-10");
    const cached = { id: "e", name: "From KV", avatar: "", runs: 700, hits: 0, doubles: 0, triples: 0 };
    await env.CACHE.put(key, JSON.stringify({ value: [cached], at: now - 30_000 }));

    const answer = await board(store, { eip_campaign_id: campaign.id });
    pass(1);
    const later = await board(store, { eip_campaign_id: campaign.id });

    expect(ranks(answer)).toEqual([[1, "From KV", "7"]]);
    expect([trips(answer), answer.headers.get("X-Board-Age")]).toEqual([0, "30"]);
    expect([ranks(later), trips(later), later.headers.get("X-Board-Age")]).toEqual([[], 1, "0"]);
  });

  it("takes the location from the body, else from the query", async ({ expect }) => {
    const { account, store, campaign } = await location();
    const [ruth] = await team(account.id, ["Ruth"]);
    await mustFeed([seed.play(campaign.id, store.id, ruth?.id, { runs: "1" })]);
    const ask = (query: string, body: Record<string, unknown>) => as("c").post(`${PATH}?${query}`, body);

    for (const body of [{}, { location_id: "" }, { location_id: null }]) {
      expect(ranks(await ask(`location_id=${store.id}`, body))).toEqual([[1, "Ruth", "1"]]);
    }
    expect(ranks(await ask("location_id=x&location_id=y", { location_id: store.id }))).toEqual([[1, "Ruth", "1"]]);
    expect(ranks(await ask(`location_id=${store.id}`, { location_id: "nowhere" }))).toEqual([]);
  });

  it.for([
    ["", {}, ["location_id"]],
    ["location_id=", {}, ["location_id"]],
    ["location_id=a&location_id=b", {}, ["location_id"]],
    [`location_id=${"x".repeat(65)}`, {}, ["location_id"]],
    ["location_id=a", { location_id: 7 }, ["location_id"]],
    ["location_id=a", { location_id: 0 }, ["location_id"]],
    ["", { location_id: "a", eip_campaign_id: "x".repeat(65) }, ["eip_campaign_id"]],
    ["", { eip_campaign_id: 7, rank_on: "home run" }, ["eip_campaign_id", "location_id"]],
  ] as const)("names every bad field of ?%s with %j", async ([query, body, fields], { expect }) => {
    const answer = await as("c").post(`${PATH}?${query}`, body);

    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ status: false, errorCode: "VALIDATION_EXCEPTION" });
    expect(Object.keys(answer.body.messages).sort()).toEqual(fields);
  });

  it.for(["home run", "Run", 1, 0, false, ["run"]])(
    "refuses rank_on %j with a message alone",
    async (rank_on, { expect }) => {
      const answer = await as("c").post(PATH, { location_id: "a", rank_on });

      expect(answer.status).toBe(422);
      expect(answer.body).toEqual({ status: false, message: expect.stringMatching(/run, hit, double or triple/) });
    },
  );

  it("refuses a body that is not a JSON object", async ({ expect }) => {
    const headers = { Authorization: `Bearer ${await customerToken("c")}` };
    const answer = await send(`${PATH}?location_id=a`, { method: "POST", headers });

    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body.messages)).toEqual(["body"]);
  });
});
