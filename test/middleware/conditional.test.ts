import { beforeAll, describe, it } from "vitest";
import { type Answer, mustFeed, send, trips } from "../support/api.ts";
import { program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";
import { customerToken } from "../support/tokens.ts";

const mine = program("mine");
const PATHS = ["messages", `stores/${mine.store.id}/team-with-level`, "coupons", "my-coupons", "me"];

async function get(path: string, headers: Record<string, string> = {}, customerId = mine.customer.id) {
  const token = await customerToken(customerId);
  return send(`/api/v1/customer/${path}`, { headers: { Authorization: `Bearer ${token}`, ...headers } });
}

const tagOf = ({ headers }: Answer): string => headers.get("ETag") ?? "";

async function expectedTag(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return `W/"${base64.replaceAll("+", "-").replaceAll("/", "_")}"`;
}

beforeAll(() => mustFeed(mine.lines));

describe("conditional requests", () => {
  it.for(PATHS)(
    "have a hash of the body as their tag, and are answered 304 with the same headers: %s",
    async (path, { expect }) => {
      const pathOfFirstPage = `${path}?per_page=1`;
      const answer = await get(pathOfFirstPage);

      const secondAnswer = await get(pathOfFirstPage, { "If-None-Match": tagOf(answer) });

      expect(answer.status).toBe(200);
      expect(tagOf(answer)).toBe(await expectedTag(JSON.stringify(answer.body)));
      expect([secondAnswer.status, secondAnswer.body]).toEqual([304, null]);
      const names = ({ headers }: Answer) => [...headers.keys()].filter((name) => !name.startsWith("content-"));
      expect(names(secondAnswer)).toEqual(names(answer));
      for (const name of ["ETag", "Link", "Cache-Control", "Vary"])
        expect(secondAnswer.headers.get(name)).toBe(answer.headers.get(name));
      expect(secondAnswer.headers.get("Content-Type")).toBeNull();
      expect(trips(secondAnswer)).toBe(1);
    },
  );

  it("have a tag for a body that is sent in parts, because it is long", async ({ expect }) => {
    const accounts = Array.from({ length: 6 }, (_, index) =>
      seed.account({ loyalty_options: { chain_logo: String(index).repeat(250_000), description: "é" } }),
    );
    const customer = seed.customer();
    const lines = accounts.flatMap(({ id }) => {
      const [store, coupon] = [seed.store(id), seed.coupon(id)];
      return [store, coupon, seed.customerCoupon(customer.id, coupon.id, store.id)];
    });
    await mustFeed([...accounts, customer, ...lines]);
    const path = "coupons?includemfg=true&include_images=true";

    const answer = await get(path, {}, customer.id);
    const secondAnswer = await get(path, { "If-None-Match": tagOf(answer) }, customer.id);

    const text = JSON.stringify(answer.body);
    expect(text.length).toBeGreaterThan(1_500_000);
    expect(tagOf(answer)).toBe(await expectedTag(text));
    expect(secondAnswer.status).toBe(304);
  });
});
