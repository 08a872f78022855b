import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, it, vi } from "vitest";
import { toAnswer } from "../../../scripts/lib/call.ts";
import { boardKey } from "../../../src/customer/gamification/boards.ts";
import worker from "../../../src/index.ts";
import { clock } from "../../../src/values/clock.ts";
import { mustFeed, trips } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import { databaseThrough } from "../../support/databases.ts";
import * as seed from "../../support/seed.ts";
import { customerToken } from "../../support/tokens.ts";

const PATH = "/api/v1/customer/gamification/leaderboard";
const DAY = "2026-05-10";
const NOON = Date.UTC(2026, 4, 10, 12);

let now = NOON;

beforeEach(async () => {
  now = NOON;
  vi.spyOn(clock, "now").mockImplementation(() => now);
  // A pause ends at once, but lets other work go on: a request may wait for another one's refresh.
  vi.spyOn(clock, "pause").mockImplementation(() => new Promise((resolve) => setTimeout(resolve, 0)));
  await setClock(`${DAY} 12:00:00`);
});

const failingCall = async (): Promise<never> => {
  throw new Error("D1_ERROR: Network connection lost.");
};
const NO_KV = { CACHE: { get: failingCall, put: failingCall } };
const NO_D1 = { DB: databaseThrough(failingCall) };

/** The board of a store, after the work in the background. `bindings` replace bindings of the Worker. */
async function board(
  storeId: string,
  { campaign, ...bindings }: { campaign?: string; [binding: string]: unknown } = {},
) {
  const context = createExecutionContext();
  const request = new Request(`https://loyalty.example${PATH}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${await customerToken(seed.freshId("c"))}` },
    body: JSON.stringify({ location_id: storeId, eip_campaign_id: campaign ?? null }),
  });
  const response = await worker.fetch(request, { ...env, ...bindings } as Env, context);
  await waitOnExecutionContext(context);
  const answer = await toAnswer(response);
  const names = answer.body.items?.map((item: { employee_name: string }) => item.employee_name);
  return { ...answer, names, trips: trips(answer), age: answer.headers.get("X-Board-Age") };
}

/** A store where one employee has played in a campaign that starts on this date. */
async function seedStore(start_date = "2020-01-01") {
  const account = seed.account();
  const [store, employee] = [seed.store(account.id), seed.employee(account.id)];
  const campaign = seed.eipCampaign(account.id, { start_date });
  await mustFeed([account, store, campaign, employee, seed.play(campaign.id, store.id, employee.id, { runs: "1" })]);
  return { store: store.id, campaign: campaign.id };
}

/** Puts a board with the employee "From KV" into KV. It is this many milliseconds old. */
async function putIntoKv(locationId: string, ageMs: number) {
  const key = await boardKey({ locationId, campaignId: null, measure: "run" }, DAY);
  const totals = { total_runs: "7", total_hits: 0, total_doubles: 0, total_triples: 0 };
  const item = { employee_id: "e", employee_name: "From KV", avatar: "", rank: 1, ...totals };
  await env.CACHE.put(key, JSON.stringify([item]), { metadata: { at: now - ageMs } });
}

describe("a leaderboard", () => {
  it("is computed anew when the day changes", async ({ expect }) => {
    const { store } = await seedStore("2026-05-11");
    now = Date.UTC(2026, 4, 10, 23, 59, 59);
    await setClock(`${DAY} 23:59:59`);
    expect((await board(store)).names).toEqual([]);

    now = Date.UTC(2026, 4, 11, 0, 0, 1);
    await setClock("2026-05-11 00:00:01");

    expect((await board(store)).names).toEqual(["Babe Ruth"]);
  });

  it("is not cached where its store or campaign is unknown", async ({ expect }) => {
    const { store } = await seedStore();
    const { campaign: foreignCampaign } = await seedStore();

    for (const [id, campaign] of [["nowhere"], [store, "none"], [store, foreignCampaign]] as const)
      for (let times = 0; times < 2; times += 1)
        expect(await board(id, campaign === undefined ? {} : { campaign })).toMatchObject({ names: [], trips: 1 });
    expect(
      await env.CACHE.get(await boardKey({ locationId: "nowhere", campaignId: null, measure: "run" }, DAY)),
    ).toBeNull();
  });

  it.for([
    ["KV, where the board in KV is thirty seconds old", 30_000, {}, { names: ["From KV"], trips: 0, age: "30" }],
    ["D1, where the board in KV is older", 30_001, {}, { names: ["Babe Ruth"], trips: 1, age: "0" }],
    ["D1, where KV fails", null, NO_KV, { names: ["Babe Ruth"], trips: 1, age: "0" }],
    ["KV, however old, where D1 fails", 300_000, NO_D1, { names: ["From KV"], age: "300" }],
  ] as const)("comes from %s", async ([, age, bindings, expected], { expect }) => {
    const { store } = await seedStore();
    if (age !== null) await putIntoKv(store, age);

    expect(await board(store, bindings)).toMatchObject(expected);
  });

  it("comes from memory, however old, where D1 and KV fail, and from D1 as soon as D1 is back", async ({ expect }) => {
    const { store } = await seedStore();
    await board(store);
    now += 300_000;

    const whileDown = await board(store, { ...NO_D1, ...NO_KV });
    const afterwards = await board(store);

    expect(whileDown).toMatchObject({ names: ["Babe Ruth"], age: "300" });
    expect(afterwards).toMatchObject({ names: ["Babe Ruth"], age: "0" });
  });
});
