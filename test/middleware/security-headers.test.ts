import { describe, it } from "vitest";
import { as, feed, mustFeed, send } from "../support/api.ts";
import { CALLS } from "../support/calls.ts";
import { program } from "../support/programs.ts";

describe("every response", () => {
  it("has headers against shared caches, and against browsers that guess its type, run it or frame it", async ({
    expect,
  }) => {
    const stored = program("headers");
    await mustFeed(stored.lines);
    const api = as(String(stored.customer.id));

    const successes = await Promise.all(Object.values(CALLS).map((call) => call(api, stored)));
    const otherAnswers = await Promise.all([
      as("nobody").get("/api/v1/customer/coupons"),
      api.get("/api/v1/customer/my-coupons?page=0"),
      api.post("/api/v1/customer/coupons", {}),
      feed([]),
      feed(["{"]),
      send("/nowhere"),
      send("/api/v1/feed", { method: "POST" }),
    ]);

    expect(Object.keys(CALLS).filter((_, index) => successes[index]?.headers.has("ETag"))).toEqual(
      Object.keys(CALLS).filter((route) => route.startsWith("GET")),
    );
    for (const { headers } of [...successes, ...otherAnswers])
      expect(Object.fromEntries(headers)).toMatchObject({
        "cache-control": headers.has("ETag") ? "private, no-cache" : "private, no-store",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "referrer-policy": "no-referrer",
        "strict-transport-security": "max-age=31536000",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "content-type": expect.stringMatching(/^application\/json/),
      });
  });
});
