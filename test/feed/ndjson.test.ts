import { describe, it } from "vitest";
import { splitLines } from "../../src/feed/lines.ts";
import { feed } from "../support/api.ts";
import { FEED_BYTES } from "../support/feed-bytes.ts";
import * as seed from "../support/seed.ts";

describe("the lines of a body", () => {
  it("are split one by one, as they are read", ({ expect }) => {
    const lines = splitLines(new TextEncoder().encode("a\n\nb\n".repeat(1_000_000)));

    expect([lines.next().value, lines.next().value, lines.next().value]).toEqual([
      { number: 1, text: "a" },
      { number: 3, text: "b" },
      { number: 4, text: "a" },
    ]);
  });
});

describe("a body by its bytes", () => {
  it.for(FEED_BYTES)("is read as feed-bytes.ts says: $what", async ({ body, lines, bad }, { expect }) => {
    const answer = await feed(new Blob([body]));

    const messages = Object.entries(bad).map(([line, text]) => [line, [text]]);
    if (messages.length === 0) expect(answer.body).toEqual({ status: true, items: { accepted: lines, ignored: 0 } });
    else expect(answer.body.messages).toEqual(Object.fromEntries(messages));
  });
});

describe("a line", () => {
  const VALUE_LIMIT = 100_000;
  const customer = (json: string) =>
    `{"record":"customer","id":"x","first_name":"a","last_name":"b","unknown":${json}}`;

  it.for([
    // Almost 2 MiB, the limit of a request.
    ["numbers of a list of ids", `{"record":"campaign","store_ids":[${"1,".repeat(1024 * 1024 - 100)}1]}`],
    ["lists", customer(`[${"[],".repeat(VALUE_LIMIT)}1]`)],
    ["objects", customer(`[${"{},".repeat(VALUE_LIMIT)}1]`)],
    ["fields", customer(`{${Array.from({ length: VALUE_LIMIT + 1 }, (_, index) => `"${index}":1`).join()}}`)],
  ] as const)("is not parsed if it has more than 100,000 values: %s", async ([, line], { expect }) => {
    const answer = await feed(line);

    expect(answer.body.messages).toEqual({ "line 1": ["must hold at most 100000 values"] });
  });

  it("is taken with exactly 100,000 values", async ({ expect }) => {
    // The record, its id, its names and the list are five of them.
    const line = customer(`[${"0,".repeat(VALUE_LIMIT - 6)}0]`);

    expect((await feed(line)).status).toBe(200);
  });

  it("may hold any number of commas, brackets and quotes in its texts", async ({ expect }) => {
    const text = '[{,\\"'.repeat(5_000);
    const customer = { ...seed.customer(), unknown: Array.from({ length: 20 }, () => text) };

    expect((await feed([customer])).body.items).toMatchObject({ accepted: 1, ignored: 0 });
  });
});
