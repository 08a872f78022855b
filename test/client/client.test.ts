import { env, exports } from "cloudflare:workers";
import { describe, it } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { mustFeed } from "../support/api.ts";
import { setClock } from "../support/clock.ts";
import * as seed from "../support/seed.ts";
import { customerToken } from "../support/tokens.ts";

const HERE = { latitude: 35.47, longitude: -97.52 };

type Send = typeof fetch;
const worker: Send = (input, init) => exports.default.fetch(new Request(input as string, init as RequestInit));

/** A client of the Worker as one customer, and what it has sent. */
function clientOf(customerId: string, send: Send = worker, retry = {}) {
  const sent: string[] = [];
  const client = createClient({
    url: "https://loyalty.example",
    token: () => customerToken(customerId),
    fetch: (input, init) => {
      sent.push(String(input));
      return send(input, init);
    },
    retry,
  });
  return { client, sent };
}

/** A service that gives these answers in turn, then the Worker's. */
function first(...answers: (Response | Error)[]): Send {
  return async (input, init) => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer ?? worker(input, init);
  };
}

const busy = (seconds: number) =>
  Response.json(
    { status: false, errorCode: "UNAVAILABLE", message: "down" },
    { status: 503, headers: { "Retry-After": String(seconds) } },
  );

describe("createClient", () => {
  it("gives the items of a call that went well, as the service's routes type them", async ({ expect }) => {
    const account = seed.account();
    const campaign = seed.campaign(account.id);
    await mustFeed([account, seed.store(account.id, HERE), campaign]);

    const result = await clientOf("c").client.nearbyCampaigns({ ...HERE, single_account_id: account.id });

    if (!result.status) throw new Error(result.message);
    const [found] = result.items;
    expect(found?.id).toBe(campaign.id);
    expect(found?.distance.toFixed(2)).toBe("0.00");
  });

  it("answers each endpoint", async ({ expect }) => {
    const { client } = clientOf("nobody");

    const results = [
      await client.messages(),
      await client.coupons({ includemfg: "true" }),
      await client.myCoupons({ storeId: ["a", "b"] }),
      await client.teamWithLevel("no such store/?"),
      await client.fullSearch({ query: "nothing", filter: "stores" }),
      await client.fullSearch({ query: "nothing" }),
      await client.leaderboard({ location_id: "nowhere", rank_on: "hit" }),
    ];

    expect(results.map((result) => (result.status ? result.items : result.errorCode))).toEqual([
      "NO_ITEMS",
      "NO_ITEMS",
      "NO_ITEMS",
      "NOT_FOUND",
      { stores: [], customers: [] },
      { stores: [], customers: [], campaigns: [] },
      [],
    ]);
  });

  it("gives a failure with every bad field", async ({ expect }) => {
    const result = await clientOf("c").client.nearbyCampaigns({ latitude: 91, longitude: "x", single_account_id: "1" });

    expect(result).toMatchObject({ status: false, errorCode: "VALIDATION_EXCEPTION" });
    if (!result.status) expect(Object.keys(result.messages ?? {})).toEqual(["latitude", "longitude"]);
  });

  it("tries again after as long as it is told, and after a lost connection", async ({ expect }) => {
    const { client, sent } = clientOf("c", first(busy(1), new TypeError("connection lost")));
    const startedAt = Date.now();

    const result = await client.leaderboard({ location_id: "nowhere" });

    expect(result.status).toBe(true);
    expect(sent).toHaveLength(3);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1_000);
  });

  it("gives up after its limit of tries, or when it is told to wait too long", async ({ expect }) => {
    const often = clientOf("c", first(busy(0), busy(0), busy(0)));
    const long = clientOf("c", first(busy(60)));

    expect(await often.client.coupons()).toMatchObject({ status: false, errorCode: "UNAVAILABLE" });
    expect(often.sent).toHaveLength(3);
    expect(await long.client.coupons()).toMatchObject({ status: false, errorCode: "UNAVAILABLE" });
    expect(long.sent).toHaveLength(1);
  });

  it("does not try again what a second try would not mend", async ({ expect }) => {
    const { client, sent } = clientOf("x".repeat(65));

    expect(await client.coupons()).toMatchObject({ errorCode: "UNAUTHENTICATED" });
    expect(sent).toHaveLength(1);
  });

  it("is called off by its signal, also while it waits", async ({ expect }) => {
    const { client, sent } = clientOf("c", first(busy(5)));
    const stop = new AbortController();

    const call = client.coupons({}, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error("enough")), 50);

    await expect(call).rejects.toThrow("enough");
    expect(sent).toHaveLength(1);
  });
});

describe("newMessages", () => {
  it("gives every group with a new message once, over all pages of a poll", async ({ expect }) => {
    await setClock("2026-06-01 12:00:00");
    const [reader, writer] = [seed.customer(), seed.customer()];
    const groups = Array.from({ length: 60 }, () => seed.group([reader.id, writer.id]));
    const say = (group: object & { id: string }) => seed.message(group.id, writer.id);
    await mustFeed([reader, writer, ...groups, ...groups.map(say)]);
    await setClock("2026-06-01 12:00:10");
    const stop = new AbortController();
    const { client, sent } = clientOf(reader.id);
    const seen: string[] = [];

    for await (const group of client.newMessages({ everyMs: 10, signal: stop.signal })) {
      seen.push(group.group_id);
      if (seen.length === 60) {
        await mustFeed([say(groups[7] as { id: string })]);
        await setClock("2026-06-01 12:00:20");
      }
      if (seen.length === 61) setTimeout(() => stop.abort(), 100);
    }

    expect(new Set(seen.slice(0, 60)).size).toBe(60);
    expect(seen.slice(60)).toEqual([groups[7]?.id]);
    expect(sent.some((address) => address.includes("after="))).toBe(true);
    expect(sent.at(-1)).toContain("check_time=2026-06-01+12%3A00%3A10");
  });

  it("ends with its signal, also within a page", async ({ expect }) => {
    await setClock("2026-06-01 12:00:00");
    const [reader, writer] = [seed.customer(), seed.customer()];
    const groups = [seed.group([reader.id, writer.id]), seed.group([reader.id, writer.id])];
    await mustFeed([reader, writer, ...groups, ...groups.map(({ id }) => seed.message(id, writer.id))]);
    await setClock("2026-06-01 12:00:10");
    const stop = new AbortController();
    let seen = 0;

    for await (const _ of clientOf(reader.id).client.newMessages({ signal: stop.signal })) {
      seen += 1;
      stop.abort();
    }

    expect(seen).toBe(1);
  });

  it("throws what trying again does not mend", async ({ expect }) => {
    const polling = clientOf("x".repeat(65)).client.newMessages();

    await expect(polling.next()).rejects.toMatchObject({ failure: { errorCode: "UNAUTHENTICATED" } });
    expect(env.ENVIRONMENT).toBe("production");
  });
});
