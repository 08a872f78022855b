import { env, exports } from "cloudflare:workers";
import { afterEach, beforeAll, describe, it } from "vitest";
import { type Answer, mustFeed, send } from "../support/api.ts";
import { CALLS } from "../support/calls.ts";
import { program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";
import { customerToken } from "../support/tokens.ts";

const CUSTOMER = "/api/v1/customer";
const mine = program("mine");
const paths = {
  messages: `${CUSTOMER}/messages`,
  team: `${CUSTOMER}/stores/${mine.store.id}/team-with-level`,
  coupons: `${CUSTOMER}/coupons`,
  "my-coupons": `${CUSTOMER}/my-coupons`,
  me: `${CUSTOMER}/me`,
};
const PATHS = Object.entries(paths);

async function get(path: string, headers: Record<string, string> = {}, by: unknown = mine.customer.id) {
  const token = await customerToken(String(by));
  return send(path, { headers: { Authorization: `Bearer ${token}`, ...headers } });
}

const tagOf = ({ headers }: Answer): string => headers.get("ETag") ?? "";

/** The tag of a body, computed here: from its bytes and nothing else. */
async function expectedTag(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return `W/"${base64.replaceAll("+", "-").replaceAll("/", "_")}"`;
}

beforeAll(() => mustFeed(mine.lines));
afterEach(() => {
  Object.assign(env, { CORS_ORIGINS: "" });
});

describe("conditional requests", () => {
  it.for(PATHS)("%s: a 200 with items has a weak tag, of its body alone", async ([, path], { expect }) => {
    const answer = await get(path);

    expect(answer.status).toBe(200);
    expect(tagOf(answer)).toBe(await expectedTag(JSON.stringify(answer.body)));
    expect(answer.headers.get("Cache-Control")).toBe("private, no-cache");
    expect(answer.headers.get("Vary")).toBe("Authorization");
  });

  it.for(PATHS)(
    "%s: who has the tag is answered 304, without a body, with the other headers",
    async ([, path], { expect }) => {
      const paged = `${path}?per_page=1`;
      const answer = await get(paged);

      const again = await get(paged, { "If-None-Match": tagOf(answer) });

      expect(again.status).toBe(304);
      expect(again.body).toBeNull();
      const names = ({ headers }: Answer) => [...headers.keys()].filter((name) => !name.startsWith("content-"));
      expect(names(again)).toEqual(names(answer));
      for (const name of ["ETag", "Link", "Cache-Control", "Vary"])
        expect(again.headers.get(name)).toBe(answer.headers.get(name));
      expect(again.headers.get("Content-Type")).toBeNull();
      expect(again.headers.get("Server-Timing")).toContain('trips;desc="1"');
    },
  );

  it("tags a body that is too long to be held as a whole", async ({ expect }) => {
    const accounts = Array.from({ length: 6 }, (_, index) =>
      seed.account({ loyalty_options: { chain_logo: String(index).repeat(250_000), description: "é" } }),
    );
    const stores = accounts.map(({ id }) => seed.store(id));
    const coupons = accounts.map(({ id }) => seed.coupon(id));
    const customer = seed.customer();
    const issued = coupons.map((coupon, index) => seed.customerCoupon(customer.id, coupon.id, stores[index]?.id));
    await mustFeed([...accounts, ...stores, ...coupons, customer, ...issued]);
    const path = `${paths.coupons}?includemfg=true&include_images=true`;

    const answer = await get(path, {}, customer.id);
    const again = await get(path, { "If-None-Match": tagOf(answer) }, customer.id);

    const text = JSON.stringify(answer.body);
    expect(text.length).toBeGreaterThan(1_500_000);
    expect(tagOf(answer)).toBe(await expectedTag(text));
    expect(again.status).toBe(304);
  });

  it.for([
    ["no items", paths.messages, 200],
    ["no items", paths.coupons, 200],
    ["no items", paths["my-coupons"], 200],
    ["an unknown store", `${CUSTOMER}/stores/nowhere/team-with-level`, 404],
    ["a customer who is not stored", paths.me, 404],
    ["a bad field", `${paths.coupons}?includemfg=maybe`, 422],
  ] as const)("a failure is never 304 and may not be cached: %s, %s", async ([, path, status], { expect }) => {
    const answer = await get(path, { "If-None-Match": "*" }, "nobody");

    expect(answer.status).toBe(status);
    expect(answer.body.status).toBe(false);
    expect(answer.headers.get("ETag")).toBeNull();
    expect(answer.headers.get("Cache-Control")).toBe("private, no-store");
  });

  it("every other endpoint answers in full and may not be cached", async ({ expect }) => {
    const others = Object.entries(CALLS).filter(([route]) => route.startsWith("POST"));
    const api = {
      get,
      post: async (path: string, body: unknown) => {
        const headers = {
          Authorization: `Bearer ${await customerToken(String(mine.customer.id))}`,
          "If-None-Match": "*",
        };
        return send(path, { method: "POST", headers, body: JSON.stringify(body) });
      },
    };

    const answers = await Promise.all(others.map(([, call]) => call(api, mine)));

    expect(answers).toHaveLength(3);
    for (const { status, headers } of answers) {
      expect(status).toBe(200);
      expect(headers.get("ETag")).toBeNull();
      expect(headers.get("Cache-Control")).toBe("private, no-store");
    }
  });

  it("a page of another origin may ask with a tag, and read it", async ({ expect }) => {
    Object.assign(env, { CORS_ORIGINS: "https://app.example" });
    const origin = { Origin: "https://app.example" };

    const preflight = { method: "OPTIONS", headers: { ...origin, "Access-Control-Request-Method": "GET" } };
    const asked = await exports.default.fetch(new Request(`https://loyalty.example${paths.me}`, preflight));
    const answer = await get(paths.me, origin);
    const again = await get(paths.me, { ...origin, "If-None-Match": tagOf(answer) });

    expect(asked.headers.get("Access-Control-Allow-Headers")).toContain("If-None-Match");
    for (const { headers } of [answer, again]) {
      expect(headers.get("Access-Control-Expose-Headers")).toContain("ETag");
      expect(headers.get("Vary")).toBe("Authorization, Origin");
    }
    expect(again.status).toBe(304);
  });
});
