import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { ndjson } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import * as seed from "../../support/seed.ts";
import { customerToken, feedToken } from "../../support/tokens.ts";

const PATH = "/api/v1/customer/gamification/leaderboard";
const START = Date.UTC(2026, 4, 10, 12);
// Two boards each: more than a request caches anew, and more than an isolate remembers.
const STORES = 33;

let now = START;

beforeEach(async () => {
  now = START;
  await setClock("2026-05-10 12:00:00");
});

afterEach(() => {
  vi.restoreAllMocks();
});

type Bindings = Partial<Record<"CACHE" | "DB", unknown>>;

/** The Worker in an isolate of its own: it shares no memory with any other, only D1 and KV. */
async function isolate(bindings: Bindings = {}) {
  vi.resetModules();
  const { clock } = await import("../../../src/values/clock.ts");
  const { default: worker } = await import("../../../src/index.ts");
  vi.spyOn(clock, "now").mockImplementation(() => now);
  vi.spyOn(clock, "pause").mockResolvedValue();

  /** Sends a request, and resolves with its answer, and with how to wait for its work in the background. */
  const ask = async (path: string, token: string, body: string) => {
    const context = createExecutionContext();
    const headers = { Authorization: `Bearer ${token}` };
    const request = new Request(`https://loyalty.example${path}`, { method: "POST", headers, body });
    const response = await worker.fetch(request, { ...env, ...bindings } as Env, context);
    if (response.status !== 200) throw new Error(await response.text());
    return { response, settle: () => waitOnExecutionContext(context) };
  };
  const send = async (path: string, token: string, body: string) => {
    const { response, settle } = await ask(path, token, body);
    await settle();
    return response;
  };
  const askToFeed = async (lines: readonly Record<string, unknown>[]) =>
    ask("/api/v1/feed", await feedToken("*"), ndjson(lines));
  return {
    askToFeed,
    feed: async (lines: readonly Record<string, unknown>[]) => (await askToFeed(lines)).settle(),
    /** How many employees a board shows, and how old it says that it is. */
    board: async ({ locationId, campaignId }: Board) => {
      const body = JSON.stringify({ location_id: locationId, eip_campaign_id: campaignId });
      const response = await send(PATH, await customerToken(seed.freshId("c")), body);
      const { items }: { items: unknown[] } = await response.json();
      return { employees: items.length, age: Number(response.headers.get("X-Board-Age")) };
    },
  };
}

interface Board {
  locationId: string;
  campaignId: string | null;
}

/** A program of many stores and employees, on whose boards nobody has played yet. */
function program(employeeCount: number) {
  const account = seed.account();
  const campaign = seed.eipCampaign(account.id);
  const stores = Array.from({ length: STORES }, () => seed.store(account.id));
  const employees = Array.from({ length: employeeCount }, () => seed.employee(account.id));
  const boards: Board[] = stores.flatMap(({ id }) => [
    { locationId: id, campaignId: campaign.id },
    { locationId: id, campaignId: null },
  ]);
  /** Plays of these employees at every store, beginning with another one in each request. */
  const plays = (from: number, to: number) =>
    [...stores.slice(from), ...stores.slice(0, from)].flatMap(({ id }) =>
      employees.slice(from, to).map((one) => seed.play(campaign.id, id, one.id, { runs: "1" })),
    );
  return { lines: [account, campaign, ...stores, ...employees], boards, plays };
}

describe("boards after a bulk feed", () => {
  it("are counted at the primary", async ({ expect }) => {
    const asked: string[] = [];
    const DB = {
      withSession: (start = "first-unconstrained") => {
        const session = env.DB.withSession(start);
        let times = 0;
        const batch = (statements: D1PreparedStatement[]) => {
          times += 1;
          // Only the first statements of a session that begins there are sure to be answered by the primary.
          asked.push(times === 1 ? start : `${start}, then any that is not behind it`);
          return session.batch(statements);
        };
        return { prepare: (query: string) => session.prepare(query), batch, getBookmark: () => session.getBookmark() };
      },
    };
    const { lines, boards, plays } = program(1);
    const one = await isolate({ DB });

    await one.feed([...lines, ...plays(0, 1)]);
    await one.board(boards[0] as Board);

    expect(asked).toEqual(["first-primary", "first-primary"]);
  });
});
