import { describe, it, vi } from "vitest";
import { createClient, LoyaltyError } from "../../src/client/index.ts";
import { mustFeed } from "../support/api.ts";
import { clientOf, QUICKLY, type Send, worker } from "../support/client.ts";
import * as seed from "../support/seed.ts";

const HERE = { latitude: 35.47, longitude: -97.52 };

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

  it.for([
    "not a url",
    "loyalty.example",
    "ws://loyalty.example",
    "https://",
    "https://a b",
    "https://a?b",
    "/api",
    "",
  ])("throws at once for an address that is none: %j", (url, { expect }) => {
    expect(() => createClient({ url, token: "t" })).toThrow(TypeError);
  });

  it.for(["https://loyalty.example", "HTTP://127.0.0.1:8787/", "https://example.org/loyalty/"])(
    "takes an address, also with a path: %s",
    async (url, { expect }) => {
      const sent: string[] = [];
      const send: Send = async (input) => {
        sent.push(String(input));
        return Response.json({ status: true, items: [] });
      };

      await createClient({ url, token: "t", fetch: send }).coupons();

      expect(sent).toEqual([`${url.replace(/\/$/, "")}/api/v1/customer/coupons`]);
    },
  );

  it.for(["", "/", "/loyalty"])("takes an address of the page that it is on: %j", (url, { expect }) => {
    vi.stubGlobal("location", { href: "https://app.example/page" });

    expect(() => createClient({ url, token: "t" })).not.toThrow();
    expect(() => createClient({ url: "not a url", token: "t" })).toThrow(TypeError);
    vi.unstubAllGlobals();
  });

  it("hands on which words a search forgave, and for what, beside the lists, in both variants", async ({ expect }) => {
    await mustFeed([seed.customer({ first_name: "Guillaume" })]);
    const { client } = clientOf("c");

    const results = [
      await client.fullSearch({ query: "guilluame" }),
      await client.fullSearch({ query: "guilluame", filter: "customers" }),
      await client.fullSearch({ query: "guillaume" }),
    ];

    expect(results.map((result) => result.status && result.items.customers[0]?.first_name)).toEqual([
      "Guillaume",
      "Guillaume",
      "Guillaume",
    ]);
    const always = ["status", "httpStatus", "requestId", "items"];
    expect(results.map((result) => (result.status ? Object.keys(result) : []))).toEqual([
      [...always, "forgiven", "meant"],
      [...always, "forgiven", "meant"],
      always,
    ]);
    expect(results[0]).toMatchObject({ forgiven: ["guilluame"], meant: { guilluame: ["guillaume"] } });
  });

  it("answers each endpoint", async ({ expect }) => {
    const { client } = clientOf("nobody");

    const results = [
      await client.messages(),
      await client.coupons({ includemfg: true }),
      await client.myCoupons({ storeId: ["a", "b"] }),
      await client.me(),
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
      "NOT_FOUND",
      { stores: [], customers: [], campaigns: [] },
      { stores: [], customers: [], campaigns: [] },
      [],
    ]);
  });

  it("gives a failure with every bad field", async ({ expect }) => {
    const result = await clientOf("c").client.nearbyCampaigns({ latitude: 91, longitude: 181, single_account_id: "1" });

    expect(result).toMatchObject({ status: false, errorCode: "VALIDATION_EXCEPTION" });
    if (!result.status) expect(Object.keys(result.messages ?? {})).toEqual(["latitude", "longitude"]);
  });

  it("tries again after a lost connection and when the service is busy, each time with a token", async ({ expect }) => {
    const { client, sent } = clientOf("c", first(new TypeError("connection lost"), busy(0)));

    const result = await client.leaderboard({ location_id: "nowhere" });

    expect(result.status).toBe(true);
    expect(sent).toHaveLength(3);
  });

  it.for([
    ["a page of a proxy", () => new Response("<h1>Bad gateway</h1>", { status: 502 }), 3],
    ["the page of a captive network", () => new Response("<h1>Log in</h1>"), 1],
    ["JSON of somebody else", () => Response.json({ error: "blocked" }, { status: 403 }), 1],
  ] as const)("throws a LoyaltyError for %s", async ([, answer, tries], { expect }) => {
    const { client, sent } = clientOf("c", first(answer(), answer(), answer()));

    const failed = await client.coupons().catch((error: unknown) => error);

    expect(failed).toBeInstanceOf(LoyaltyError);
    expect(failed).toMatchObject({ failure: null, message: expect.stringContaining(`${answer().status}`) });
    expect(sent).toHaveLength(tries);
  });

  it("sends half of a surrogate pair in a path as a query does", async ({ expect }) => {
    const { client, sent } = clientOf("c");

    expect(await client.teamWithLevel("\ud800")).toMatchObject({ status: false, errorCode: "NOT_FOUND" });
    expect(sent[0]).toContain("/stores/%EF%BF%BD/team-with-level");
  });

  it("throws a LoyaltyError where no token can be had, after trying again", async ({ expect }) => {
    const cause = new TypeError("no connection");
    const token = vi.fn<() => Promise<string>>().mockRejectedValue(cause);
    const client = createClient({ url: "https://loyalty.example", token, fetch: worker, retry: QUICKLY });

    await expect(client.coupons()).rejects.toMatchObject({ name: "LoyaltyError", cause });
    expect(token).toHaveBeenCalledTimes(3);
  });
});
