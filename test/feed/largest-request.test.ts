import { describe, it } from "vitest";
import { feed, ndjson } from "../support/api.ts";
import * as seed from "../support/seed.ts";

// In a file of its own: tests that compare the whole database would read its megabytes each time.
describe("the largest feed request", () => {
  it("takes 2,000 lines and 2 MiB in one request", async ({ expect }) => {
    const customers = Array.from({ length: 2_000 }, () => seed.customer({ customer_description: "é".repeat(460) }));
    const bytes = new TextEncoder().encode(ndjson(customers));
    const padding = new Uint8Array(2 * 1024 * 1024 - bytes.length).fill(0x20);

    const answer = await feed(new Blob([bytes, padding]));

    expect(bytes.length).toBeGreaterThan(1.8 * 1024 * 1024);
    expect(answer.body).toEqual({ status: true, items: { accepted: 2_000, ignored: 0 } });
  });
});
