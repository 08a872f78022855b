import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { encodeBase64Url } from "hono/utils/encode";
import { describe, it, vi } from "vitest";
import { app } from "../../src/app.ts";
import { clock } from "../../src/values/clock.ts";
import * as seed from "../support/seed.ts";
import { customerToken, feedToken } from "../support/tokens.ts";

const CUSTOMER = "/api/v1/customer";
const TEAM = `${CUSTOMER}/stores/s/team-with-level`;
const D1_BOOKMARK = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/;
const FUTURE = `ffffffff-ffffffff-ffffffff-${"0f".repeat(16)}`;
const HMAC = { name: "HMAC", hash: "SHA-256" };
const OTHER_SECRET = "another-secret-another-secret-another-secret";

const LEADERBOARD = `${CUSTOMER}/gamification/leaderboard`;
const BOARD = { method: "POST", body: JSON.stringify({ location_id: "nowhere" }) };

interface RequestOptions {
  bookmark?: string;
  bindings?: Partial<Env>;
  method?: string;
  token?: string;
  body?: string;
}

/** Sends a request. Resolves with its status, the bookmark of the answer, and where its D1 sessions start. */
async function ask(path: string, { bookmark, bindings = {}, token, ...init }: RequestOptions = {}) {
  const starts: (string | undefined)[] = [];
  const DB = {
    withSession: (start?: string) => {
      starts.push(start);
      return env.DB.withSession(start?.startsWith("first-") ? start : "first-unconstrained");
    },
  } as D1Database;
  const headers = {
    Authorization: `Bearer ${token ?? (await customerToken("c"))}`,
    ...(bookmark !== undefined && { "X-D1-Bookmark": bookmark }),
  };
  const context = createExecutionContext();
  const response = await app.request(path, { ...init, headers }, { ...env, DB, ...bindings }, context);
  await waitOnExecutionContext(context);
  return { status: response.status, bookmark: response.headers.get("X-D1-Bookmark") ?? "", starts };
}

/** Where the last D1 session of a request with this bookmark starts. */
const startOf = async (bookmark: string, options: RequestOptions = {}) =>
  (await ask(TEAM, { ...options, bookmark })).starts.at(-1);

describe("where a request reads", () => {
  // An inbox may answer the first page of a poll. A board may be refreshed at a second session.
  it.for([
    { what: "a bookmark of the service, or else the nearest replica", path: TEAM, usesBookmark: true },
    { what: "a bookmark or a replica for messages", path: `${CUSTOMER}/messages?page=2`, usesBookmark: true },
    { what: "the primary for boards", path: LEADERBOARD, options: BOARD, usesBookmark: false },
  ])("is $what", async ({ path, options = {}, usesBookmark }, { expect }) => {
    const start = usesBookmark ? "first-unconstrained" : "first-primary";
    const body = JSON.stringify(seed.account());
    const feedAnswer = await ask("/api/v1/feed", { method: "POST", token: await feedToken("*"), body });
    const answer = await ask(TEAM);

    expect((await ask(path, options)).starts.at(-1)).toBe(start);
    for (const bookmark of [feedAnswer.bookmark, answer.bookmark]) {
      expect(bookmark.split(".")[0]).toMatch(D1_BOOKMARK);
      const { starts } = await ask(path, { ...options, bookmark });
      expect(starts.at(-1)).toBe(usesBookmark ? bookmark.split(".")[0] : start);
    }
    expect(feedAnswer.starts[0]).toBe("first-primary");
  });

  it("is the primary with a bookmark of D1's form that this service did not sign, and any replica with another text", async ({
    expect,
  }) => {
    const answer = await ask(TEAM);
    const [bookmark, signature = ""] = answer.bookmark.split(".");
    // What is signed is more than the bookmark: the secret's signature of the bookmark alone is wrong.
    const bytes = (text: string) => new TextEncoder().encode(text);
    const key = await crypto.subtle.importKey("raw", bytes(env.FEED_JWT_SECRET), HMAC, false, ["sign"]);
    const signatureByTokenKey = encodeBase64Url(await crypto.subtle.sign("HMAC", key, bytes(FUTURE))).replace("=", "");
    const unsignedBookmarks = [
      FUTURE,
      bookmark,
      `${FUTURE}.`,
      `${FUTURE}.${signature}`,
      `${FUTURE}.${"A".repeat(43)}`,
      `${FUTURE}.${signatureByTokenKey}`,
      `${bookmark}.${signature.slice(0, -1)}`,
      `${bookmark}.${signature}=`,
      `${bookmark}.${signature}.${signature}`,
      `${bookmark}.${signature.replace(/^./, (first) => (first === "A" ? "B" : "A"))}`,
    ];
    const otherTexts = [
      `${FUTURE}0`,
      FUTURE.slice(1),
      FUTURE.toUpperCase(),
      `.${signature}`,
      "first-primary",
      `first-primary.${signature}`,
      "no bookmark",
      "x".repeat(8_000),
      `${"x".repeat(8_000)}.${signature}`,
    ];

    for (const [texts, start] of [
      [unsignedBookmarks, "first-primary"],
      [otherTexts, "first-unconstrained"],
    ] as const)
      for (const text of texts) {
        const { status, starts } = await ask(TEAM, { bookmark: String(text) });
        expect([text, status, starts]).toEqual([text, 404, [start]]);
      }
  });

  it.for([
    ["another secret", { FEED_JWT_SECRET: OTHER_SECRET }],
    ["another environment", { ENVIRONMENT: "staging" }],
  ] as const)("is not at a bookmark given under %s", async ([, bindings], { expect }) => {
    const deployment = { bindings: bindings as Partial<Env> };
    const { bookmark } = await ask(TEAM, deployment);

    expect(await startOf(bookmark, deployment)).toMatch(D1_BOOKMARK);
    expect(await startOf(bookmark)).toBe("first-primary");
  });

  it("is at a bookmark that the previous secret has signed, while the secret is changed", async ({ expect }) => {
    const { bookmark } = await ask(TEAM);
    const { FEED_JWT_SECRET } = env;
    const bindings = { FEED_JWT_SECRET: OTHER_SECRET, FEED_JWT_SECRET_PREVIOUS: FEED_JWT_SECRET } as Partial<Env>;

    expect(await startOf(bookmark, { bindings })).toBe(bookmark.split(".")[0]);
  });

  it("is the primary and the nearest database for /health, which ignores bookmarks", async ({ expect }) => {
    const answer = await ask(TEAM);

    for (const [minutes, bookmark] of ["", answer.bookmark, FUTURE].entries()) {
      // A result of /health is answered again for five seconds.
      vi.spyOn(clock, "now").mockReturnValue(Date.now() + minutes * 60_000);
      const starts = ["first-primary", "first-unconstrained"];
      expect(await ask("/health", { bookmark })).toEqual({ status: 200, bookmark: "", starts });
    }
  });
});

describe("in a deployment that has no secret to sign bookmarks with", () => {
  it("a bookmark makes the request read at the primary, because anybody may have made it up", async ({ expect }) => {
    const deployment = { bindings: { FEED_JWT_SECRET: "" } as Partial<Env> };

    const first = await ask(TEAM, deployment);
    const again = await ask(TEAM, { ...deployment, bookmark: first.bookmark });
    const forged = await ask(TEAM, { ...deployment, bookmark: FUTURE });

    expect(first.bookmark).toMatch(D1_BOOKMARK);
    expect([first, again, forged].map(({ status, starts }) => [status, starts])).toEqual([
      [404, ["first-unconstrained"]],
      [404, ["first-primary"]],
      [404, ["first-primary"]],
    ]);
  });
});
