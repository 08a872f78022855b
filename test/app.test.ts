import { exports } from "cloudflare:workers";
import { hc } from "hono/client";
import { describe, expectTypeOf, it } from "vitest";
import type { AppType } from "../src/app.ts";
import type { LeaderboardItem } from "../src/customer/gamification/schema.ts";
import type { Me } from "../src/customer/me/schema.ts";
import { mustFeed } from "./support/api.ts";
import * as seed from "./support/seed.ts";
import { customerToken } from "./support/tokens.ts";

const clientOf = async (customerId: string) =>
  hc<AppType>("https://loyalty.example", {
    fetch: (input: RequestInfo | URL, init?: RequestInit) => exports.default.fetch(new Request(input, init)),
    headers: { Authorization: `Bearer ${await customerToken(customerId)}` },
  }).api.v1.customer;

describe("AppType, for a client of Hono", () => {
  it("types the answer of /me", async ({ expect }) => {
    const customer = seed.customer({ first_name: "Ada" });
    await mustFeed([customer]);
    const client = await clientOf(customer.id);

    const answer = await (await client.me.$get({ query: {} })).json();

    expectTypeOf(answer).toEqualTypeOf<{ status: true; items: Me }>();
    expect(answer.items).toMatchObject({ id: customer.id, first_name: "Ada", balances: [] });
  });

  it("types the body and the answer of a leaderboard", async ({ expect }) => {
    const client = await clientOf("nobody");

    const answer = await (await client.gamification.leaderboard.$post({ json: { location_id: "none" } })).json();

    expectTypeOf(answer.items).toEqualTypeOf<LeaderboardItem[]>();
    expectTypeOf(client.gamification.leaderboard.$post)
      .parameter(0)
      .toHaveProperty("json")
      .not.toMatchTypeOf<object[]>();
    expect(answer).toEqual({ status: true, items: [] });
  });
});
