import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { boardKey } from "../../../src/customer/gamification/boards.ts";
import worker from "../../../src/index.ts";
import { clock } from "../../../src/values/clock.ts";
import { type Answer, feed, mustFeed } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import * as seed from "../../support/seed.ts";
import { customerToken, feedToken } from "../../support/tokens.ts";

const NOW = Date.UTC(2026, 4, 10, 12);
const MINUTES = 60_000;

beforeEach(async () => {
  vi.spyOn(clock, "now").mockReturnValue(NOW);
  vi.spyOn(clock, "pause").mockResolvedValue();
  await setClock("2026-05-10 12:00:00");
});

afterEach(() => {
  vi.restoreAllMocks();
});

async function refuse(): Promise<never> {
  throw new Error("KV failed: 429 Too Many Requests");
}
const unreadable = { CACHE: { get: refuse, put: env.CACHE.put.bind(env.CACHE) } };
const unwritable = { CACHE: { get: env.CACHE.get.bind(env.CACHE), put: refuse } };
const silent = { CACHE: { get: () => new Promise(() => {}), put: env.CACHE.put.bind(env.CACHE) } };
const noKv = { CACHE: { get: refuse, put: refuse } };
const noD1 = {
  DB: {
    withSession: () => ({
      prepare: () => ({ bind: () => ({}) }),
      batch: async () => {
        throw new Error("D1_ERROR: Network connection lost.");
      },
      getBookmark: () => null,
    }),
  },
};

/** Sends a request with some bindings failing, and waits for its work in the background. */
async function sendTo(path: string, token: string, body: string, faults: object): Promise<Answer> {
  const context = createExecutionContext();
  const init = { method: "POST", headers: { Authorization: `Bearer ${token}` }, body };
  const request = new Request(`https://loyalty.example${path}`, init);
  const response = await worker.fetch(request, { ...env, ...faults } as Env, context);
  await waitOnExecutionContext(context);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

async function board(location_id: string, faults: object) {
  const token = await customerToken(seed.freshId("c"));
  return sendTo("/api/v1/customer/gamification/leaderboard", token, JSON.stringify({ location_id }), faults);
}

/** A location whose board is one employee with one run in D1, but in no cache. */
async function location() {
  const account = seed.account();
  const [store, campaign, employee] = [seed.store(account.id), seed.eipCampaign(account.id), seed.employee(account.id)];
  const lines = [account, store, campaign, employee, seed.play(campaign.id, store.id, employee.id, { runs: "1" })];
  await sendTo("/api/v1/feed", await feedToken("*"), lines.map((line) => JSON.stringify(line)).join("\n"), {
    ...noKv,
    DB: env.DB,
  });
  // What the feed has put in memory is made too old to matter by asking an hour later.
  vi.mocked(clock.now).mockReturnValue(NOW + 60 * MINUTES);
  return store.id;
}

/** Puts another board for the location into KV, so old. */
async function putIntoKv(locationId: string, ageMilliseconds: number) {
  const key = await boardKey({ locationId, campaignId: null }, "2026-05-10");
  const employee = { id: "e", name: "From KV", avatar: "", runs: 700, hits: 0, doubles: 0, triples: 0 };
  await env.CACHE.put(key, JSON.stringify({ value: [employee], at: clock.now() - ageMilliseconds }));
}

const names = ({ body }: Awaited<ReturnType<typeof board>>) =>
  body.items?.map((item: { employee_name: string }) => item.employee_name);

describe("a leaderboard when something fails", () => {
  it.for([
    ["cannot be read", unreadable, 0],
    ["does not answer", silent, 0],
    ["answers 429 to every write", unwritable, null],
    ["fails altogether", noKv, null],
    ["holds one that is older than thirty seconds", {}, 30_001],
  ] as const)("comes from D1 when KV %s", async ([, faults, cachedMillisecondsAgo], { expect }) => {
    const store = await location();
    if (cachedMillisecondsAgo !== null) await putIntoKv(store, cachedMillisecondsAgo);

    const answer = await board(store, faults);

    expect(names(answer)).toEqual(["Babe Ruth"]);
    expect(answer.headers.get("X-Board-Age")).toBe("0");
  });

  it("is the last one in memory, of any age, when D1 and KV fail", async ({ expect }) => {
    const store = await location();
    expect(names(await board(store, unwritable))).toEqual(["Babe Ruth"]);
    vi.mocked(clock.now).mockReturnValue(clock.now() + 5 * MINUTES);

    const answer = await board(store, { ...noD1, ...noKv });

    expect(names(answer)).toEqual(["Babe Ruth"]);
    expect(answer.headers.get("X-Board-Age")).toBe("300");
  });

  it("comes from D1 again as soon as D1 is back", async ({ expect }) => {
    const store = await location();
    await putIntoKv(store, 5 * MINUTES);
    expect(names(await board(store, noD1))).toEqual(["From KV"]);

    expect(names(await board(store, {}))).toEqual(["Babe Ruth"]);
  });

  it.for([
    ["KV holds none", noD1],
    ["KV fails too", { ...noD1, ...noKv }],
  ] as const)("is 503 when D1 fails and %s", async ([, faults], { expect }) => {
    const answer = await board(seed.freshId("s"), faults);

    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ status: false, errorCode: "UNAVAILABLE" });
    expect(answer.headers.get("Retry-After")).not.toBeNull();
  });

  it("does not hold up a feed whose boards cannot be written", async ({ expect }) => {
    const account = seed.account();
    const [store, campaign, employee] = [
      seed.store(account.id),
      seed.eipCampaign(account.id),
      seed.employee(account.id),
    ];
    await mustFeed([account, store, campaign, employee]);
    const line = JSON.stringify(seed.play(campaign.id, store.id, employee.id));

    const answer = await sendTo("/api/v1/feed", await feedToken("*"), line, noKv);

    expect(answer.body).toEqual({ status: true, items: { accepted: 1, ignored: 0 } });
    expect((await feed([line])).body.items).toEqual({ accepted: 0, ignored: 1 });
  });
});
