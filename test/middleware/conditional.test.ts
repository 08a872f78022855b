import { env, exports } from "cloudflare:workers";
import { afterEach, beforeAll, describe, it } from "vitest";
import { type Answer, mustFeed, send, trips } from "../support/api.ts";
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

/** The tag of a body: a hash of its bytes. */
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
  it.for(PATHS)(
    "%s: a tag is a hash of the body, and a request with it is answered 304",
    async ([, path], { expect }) => {
      const paged = `${path}?per_page=1`;
      const answer = await get(paged);

      const again = await get(paged, { "If-None-Match": tagOf(answer) });

      expect(answer.status).toBe(200);
      expect(tagOf(answer)).toBe(await expectedTag(JSON.stringify(answer.body)));
      expect([again.status, again.body]).toEqual([304, null]);
      const names = ({ headers }: Answer) => [...headers.keys()].filter((name) => !name.startsWith("content-"));
      expect(names(again)).toEqual(names(answer));
      for (const name of ["ETag", "Link", "Cache-Control", "Vary"])
        expect(again.headers.get(name)).toBe(answer.headers.get(name));
      expect(again.headers.get("Content-Type")).toBeNull();
      expect(trips(again)).toBe(1);
    },
  );

  it("have a tag for a body that is too long to be in memory as a whole", async ({ expect }) => {
    const accounts = Array.from({ length: 6 }, (_, index) =>
      seed.account({ loyalty_options: { chain_logo: String(index).repeat(250_000), description: "é" } }),
    );
    const customer = seed.customer();
    const lines = accounts.flatMap(({ id }) => {
      const [store, coupon] = [seed.store(id), seed.coupon(id)];
      return [store, coupon, seed.customerCoupon(customer.id, coupon.id, store.id)];
    });
    await mustFeed([...accounts, customer, ...lines]);
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
  ] as const)("get neither a tag nor 304 for a failure: %s, %s", async ([, path, status], { expect }) => {
    const answer = await get(path, { "If-None-Match": "*" }, "nobody");

    expect([answer.status, answer.body.status, answer.headers.get("ETag")]).toEqual([status, false, null]);
    expect(answer.headers.get("Cache-Control")).toBe("private, no-store");
  });

  it("may be sent by a page of an allowed origin, which may also read the tags", async ({ expect }) => {
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
