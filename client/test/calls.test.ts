import { describe, it, vi } from "vitest";
import { mustFeed } from "../../test/support/api.ts";
import * as seed from "../../test/support/seed.ts";
import { createClient, LoyaltyError, toDate } from "../src/client.ts";
import { clientOf, type Send, SHORT_WAITS, worker } from "./support/client.ts";

const URL = "https://loyalty.example";

describe("createClient", () => {
  it.for([
    "not a url",
    "loyalty.example",
    "ws://loyalty.example",
    "https://",
    "https://a b",
    "https://a?b",
    "/api",
    "",
  ])("refuses an address that is not the address of a service: %j", (url, { expect }) => {
    expect(() => createClient({ url, token: "t" })).toThrow(TypeError);
  });

  it.for([URL, "HTTP://127.0.0.1:8787/", "https://example.org/loyalty/"])(
    "sends requests to %s",
    async (url, { expect }) => {
      const sentAddresses: string[] = [];
      const send: Send = async (input) => {
        sentAddresses.push(String(input));
        return Response.json({ status: true, items: [] });
      };

      await createClient({ url, token: "t", fetch: send }).coupons();

      expect(sentAddresses).toEqual([`${url.replace(/\/$/, "")}/api/v1/customer/coupons`]);
    },
  );

  it.for(["", "/", "/loyalty"])("takes an address relative to the page: %j", (url, { expect }) => {
    vi.stubGlobal("location", { href: "https://app.example/page" });

    expect(() => createClient({ url, token: "t" })).not.toThrow();
    expect(() => createClient({ url: "not a url", token: "t" })).toThrow(TypeError);
    vi.unstubAllGlobals();
  });
});

describe("a call", () => {
  it("returns the answer of each endpoint, its HTTP status and the id of the request", async ({ expect }) => {
    const { client } = clientOf("nobody");
    const lists = { stores: [], customers: [], campaigns: [] };

    const results = [
      await client.nearbyCampaigns({ latitude: 35.47, longitude: -97.52, single_account_id: "1" }),
      await client.messages(),
      await client.coupons({ includemfg: true }),
      await client.myCoupons({ storeId: ["a", "b"] }),
      await client.me(),
      await client.entries({ limit: 1 }),
      await client.teamWithLevel("no such store/?"),
      await client.fullSearch({ query: "nothing" }),
      await client.fullSearch({ query: "nothing", filter: "stores" }),
      await client.fullSearch({ query: "nothing", filter: ["customers", "stores"] }),
      await client.leaderboard({ location_id: "nowhere", rank_on: "hit" }),
      await client.nearbyCampaigns({ latitude: 91, longitude: 181, single_account_id: "1" }),
    ];

    expect(results.map((result) => (result.status ? result.items : result.errorCode))).toEqual([
      ...[[], "NO_ITEMS", "NO_ITEMS", "NO_ITEMS", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND"],
      ...[lists, lists, lists, [], "VALIDATION_EXCEPTION"],
    ]);
    const statuses = [200, 200, 200, 200, 404, 404, 404, 200, 200, 200, 200, 422];
    expect(results.map(({ httpStatus }) => httpStatus)).toEqual(statuses);
    expect(results.at(-1)).toHaveProperty("messages", { latitude: expect.any(Array), longitude: expect.any(Array) });
    const ids = results.map(({ requestId }) => requestId);
    expect(new Set(ids).size).toBe(results.length);
    expect(ids).toEqual(ids.map(() => expect.stringMatching(/^[\w-]{8,}$/)));
  });

  it("returns the words that a search forgave", async ({ expect }) => {
    await mustFeed([seed.customer({ first_name: "Guillaume" })]);
    const { client } = clientOf("c");

    const everything = await client.fullSearch({ query: "guilluame" });
    const customers = await client.fullSearch({ query: "guilluame", filter: "customers" });
    const exact = await client.fullSearch({ query: "guillaume" });

    const forgiven = { forgiven: ["guilluame"], meant: { guilluame: ["Guillaume"] } };
    const items = expect.objectContaining({ customers: [expect.objectContaining({ first_name: "Guillaume" })] });
    expect(everything).toMatchObject({ items, ...forgiven });
    expect(customers).toMatchObject({ items, ...forgiven });
    expect(Object.keys(exact)).toEqual(["status", "httpStatus", "requestId", "items"]);
  });

  it("returns the age of a leaderboard in seconds", async ({ expect }) => {
    const cachedBoard = { headers: { "X-Board-Age": "17" } };
    const { client } = clientOf("c", async () => Response.json({ status: true, items: [] }, cachedBoard));

    expect(await client.leaderboard({ location_id: "nowhere" })).toMatchObject({ status: true, items: [], age: 17 });
    expect(await clientOf("c").client.leaderboard({ location_id: "nowhere" })).toMatchObject({ age: 0 });
  });

  it.for([
    ["a page of a proxy", () => new Response("<h1>Bad gateway</h1>", { status: 502 }), 3],
    ["the page of a captive network", () => new Response("<h1>Log in</h1>"), 1],
    ["JSON without a status", () => Response.json({ error: "blocked" }, { status: 403 }), 1],
  ] as const)("throws a LoyaltyError for %s", async ([, answer, tries], { expect }) => {
    const { client, sentAddresses } = clientOf("c", async () => answer());

    const thrownError = await client.coupons().catch((error: unknown) => error);

    expect(thrownError).toBeInstanceOf(LoyaltyError);
    expect(thrownError).toMatchObject({ failure: null, message: expect.stringContaining(`${answer().status}`) });
    expect(sentAddresses).toHaveLength(tries);
  });

  it("asks for a token before each try, and throws a LoyaltyError if the app has none", async ({ expect }) => {
    const cause = new TypeError("no connection");
    const token = vi.fn<() => Promise<string>>().mockRejectedValue(cause);
    const client = createClient({ url: URL, token, fetch: worker, retry: SHORT_WAITS });

    await expect(client.coupons()).rejects.toMatchObject({ name: "LoyaltyError", cause });
    expect(token).toHaveBeenCalledTimes(3);
  });

  it("sends half of a surrogate pair in a path as U+FFFD", async ({ expect }) => {
    const { client, sentAddresses } = clientOf("c");

    expect(await client.teamWithLevel("\ud800")).toMatchObject({ status: false, errorCode: "NOT_FOUND" });
    expect(sentAddresses[0]).toContain("/stores/%EF%BF%BD/team-with-level");
  });
});

describe("the bookmark of an answer", () => {
  const withBookmark = (bookmark = "") =>
    Response.json({ status: true, items: [] }, bookmark === "" ? {} : { headers: { "X-D1-Bookmark": bookmark } });
  const sentBookmarks = (headers: Headers[]) => headers.map((request) => request.get("X-D1-Bookmark"));

  it.for([
    ["goes with every later request", ["1.a"], [null, "1.a", "1.a"]],
    ["is replaced by a later bookmark", ["1.a", "2.b"], [null, "1.a", "2.b"]],
    ["is dropped if the service answers with an earlier one", ["9.a", "1.b", "2.b"], [null, "9.a", "1.b", "2.b"]],
  ] as const)("%s", async ([, answers, expected], { expect }) => {
    const { client, sentHeaders } = clientOf("c", async () => withBookmark(answers[sentHeaders.length - 1]));

    for (const _ of expected) await client.fullSearch({ query: "blue" });

    expect(sentBookmarks(sentHeaders)).toEqual(expected);
  });

  it("stays if the answer to an earlier request comes later", async ({ expect }) => {
    const answers: ((answer: Response) => void)[] = [];
    const { client, sentHeaders } = clientOf("c", () => new Promise((resolve) => answers.push(resolve)));
    const calls = [client.coupons(), client.messages(), client.me()];
    await vi.waitFor(() => expect(answers).toHaveLength(3));

    for (const [index, bookmark] of [
      [1, "2.b"],
      [2, "3.c"],
      [0, "1.a"],
    ] as const) {
      answers[index]?.(withBookmark(bookmark));
      await calls[index];
    }
    const lastCall = client.coupons();
    await vi.waitFor(() => expect(answers).toHaveLength(4));
    answers[3]?.(withBookmark("4.d"));
    await lastCall;

    expect(sentBookmarks(sentHeaders)).toEqual([null, null, null, "3.c"]);
  });
});

describe("toDate", () => {
  it("takes a time of the service as UTC", ({ expect }) => {
    expect(toDate("2026-11-20 09:30:00").toISOString()).toBe("2026-11-20T09:30:00.000Z");
  });

  it.for(["", "2026-11-20", "2026-11-20T09:30:00Z", "2026-11-20 9:30", "2026-13-01 00:00:00"])(
    "refuses another text: %j",
    (text, { expect }) => {
      expect(() => toDate(text)).toThrow(RangeError);
    },
  );
});
