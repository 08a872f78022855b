import { beforeAll, describe, it } from "vitest";
import { type Answer, mustFeed, send, trips } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { customerToken } from "../support/tokens.ts";

const customer = seed.customer();

async function get(path: string, headers: Record<string, string> = {}) {
  const token = await customerToken(customer.id);
  return send(`/api/v1/customer/${path}`, { headers: { Authorization: `Bearer ${token}`, ...headers } });
}

async function expectedTag(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return `W/"${base64.replaceAll("+", "-").replaceAll("/", "_")}"`;
}

beforeAll(async () => {
  const accounts = Array.from({ length: 6 }, (_, index) =>
    seed.account({ loyalty_options: { chain_logo: String(index).repeat(250_000), description: "é" } }),
  );
  const lines = accounts.flatMap(({ id }) => {
    const [store, coupon] = [seed.store(id), seed.coupon(id)];
    return [store, coupon, seed.customerCoupon(customer.id, coupon.id, store.id)];
  });
  await mustFeed([...accounts, customer, ...lines]);
});

describe("an answer with an ETag", () => {
  it.for([
    ["a page with a next page", "my-coupons?per_page=1", 100],
    ["a long body, which is sent in parts", "coupons?includemfg=true&include_images=true", 1_500_000],
  ] as const)(
    "has a hash of its body as the tag, and becomes a 304 with the same headers for a client that has it: %s",
    async ([, path, leastCharacters], { expect }) => {
      const answer = await get(path);
      const tag = answer.headers.get("ETag") ?? "";

      const secondAnswer = await get(path, { "If-None-Match": tag });

      const text = JSON.stringify(answer.body);
      expect(text.length).toBeGreaterThan(leastCharacters);
      expect(tag).toBe(await expectedTag(text));
      expect([secondAnswer.status, secondAnswer.body]).toEqual([304, null]);
      const headersOf = ({ headers }: Answer) =>
        [...headers]
          .filter(([name]) => !/^(content-|server-timing|x-request-id|x-d1-bookmark)/.test(name))
          // `Link` has a bookmark, too.
          .map(([name, value]) => [name, value.replace(/%22bookmark%22.*?%7D/, "")]);
      expect(headersOf(secondAnswer)).toEqual(headersOf(answer));
      expect(secondAnswer.headers.get("Content-Type")).toBeNull();
      expect(trips(secondAnswer)).toBe(1);
    },
  );
});
