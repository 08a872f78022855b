import { describe, it } from "vitest";
import { as, feed, mustFeed, send } from "../support/api.ts";
import { CALLS } from "../support/calls.ts";
import { program } from "../support/programs.ts";

describe("every response", () => {
  it("may be stored by no shared cache, and neither guessed at, run nor framed by a browser", async ({ expect }) => {
    const stored = program("headers");
    await mustFeed(stored.lines);
    const api = as(String(stored.customer.id));

    const answers = await Promise.all([
      ...Object.values(CALLS).map((call) => call(api, stored)),
      as("nobody").get("/api/v1/customer/coupons"),
      api.get("/api/v1/customer/my-coupons?page=0"),
      api.post("/api/v1/customer/coupons", {}),
      feed([]),
      feed(["{"]),
      send("/nowhere"),
      send("/api/v1/feed", { method: "POST" }),
    ]);

    for (const { headers } of answers)
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
