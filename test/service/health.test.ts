import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import packageJson from "../../package.json";
import { send, trips } from "../support/api.ts";

describe("GET /health", () => {
  it("says the version, and that D1 and KV answer, without a token, in one round trip", async ({ expect }) => {
    const answer = await send("/health");

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      status: true,
      items: { version: packageJson.version, database: "up", cache: "up" },
    });
    expect(trips(answer)).toBe(1);
  });

  it("answers 503 and names what does not answer", async ({ expect }) => {
    const database = vi.spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch");
    database.mockRejectedValue(new Error("D1_ERROR: no such table"));
    const cache = vi.spyOn(Object.getPrototypeOf(env.CACHE), "get").mockRejectedValue(new Error("KV GET failed: 500"));

    const both = await send("/health");
    database.mockRestore();
    const one = await send("/health");
    cache.mockRestore();

    expect([both.status, one.status]).toEqual([503, 503]);
    expect(both.headers.get("Retry-After")).toBe("2");
    expect(both.body).toEqual({
      status: false,
      errorCode: "UNAVAILABLE",
      message: "The database and the cache cannot be reached.",
    });
    expect(one.body.message).toBe("The cache cannot be reached.");
  });

  it("does not wait longer than three seconds for what hangs", async ({ expect }) => {
    const cache = vi.spyOn(Object.getPrototypeOf(env.CACHE), "get").mockReturnValue(new Promise(() => {}));
    const startedAt = Date.now();

    const answer = await send("/health");
    cache.mockRestore();

    expect(answer.status).toBe(503);
    expect(Date.now() - startedAt).toBeLessThan(5_000);
  });
});
