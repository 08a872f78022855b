import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { boardKey } from "../../../src/customer/gamification/boards.ts";
import { clock } from "../../../src/values/clock.ts";
import { type Answer, as, mustFeed, trips } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import * as seed from "../../support/seed.ts";

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
});
