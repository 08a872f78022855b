import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, it } from "vitest";
import { sendLines } from "../../scripts/lib/feed-client.ts";
import { command } from "./command.ts";
import { customer, customers, entries, feed, fileOf } from "./feeding.ts";
import { scriptedService, serveHttp } from "./http-server.ts";

describe("npm run feed", () => {
  it("sends a file in order, in requests of at most 2,000 lines and 2 MiB, without blank lines", async ({ expect }) => {
    const { args, received } = await scriptedService();
    const lines = customers(2_001);
    const long = JSON.stringify({ record: "customer", id: "long", pad: "x".repeat(1_200_000) });
    const file = fileOf([`${lines[0]}`, "", " ", lines.slice(1).join("\r\n"), long, long]);

    const { status, output } = await feed(file, ...args);

    expect(status).toBe(0);
    expect(output).toContain("2,003 lines committed (2,003 accepted, 0 ignored)");
    expect(received.map((request) => request.length)).toEqual([2_000, 2, 1]);
    expect(received.flat().map((line) => line.trimEnd())).toEqual([...lines, long, long]);
  });

  it("starts a request where a line deletes a record that an earlier line writes, or the reverse", async ({
    expect,
  }) => {
    const { args, received } = await scriptedService();
    const pair = (customer_id: string, friend_id: string, rest: object) =>
      JSON.stringify({ record: "friendship", customer_id, friend_id, ...rest });
    const erasure = JSON.stringify({ record: "customer", id: "c1", deleted: true });
    const otherKind = JSON.stringify({ record: "store", id: "c1", deleted: true });
    const requests = [
      // Two lines may write the same record, and a key belongs to its kind.
      [customer(1), customer(2), customer(1), otherKind],
      [erasure, "[]", erasure],
      [customer(1), pair("c1", "c2", { status: 1 })],
      // A friendship is the same in both directions.
      [`\uFEFF${pair("c2", "c1", { deleted: true })}`, customer(3)],
      [pair("c1", "c2", { status: 0, deleted: false }), customer(1)],
      ['{"record":"customer","id":"c1","d\\u0065leted":true}'],
      [customer(1)],
    ];

    const { status, output } = await feed(fileOf(requests.flat()), ...args);

    expect(status, output).toBe(0);
    expect(received).toEqual(requests);
  });

  it("sends at most four requests at once, of records that may be stored in any order", async ({ expect }) => {
    const { promise: after, resolve: answer } = Promise.withResolvers<void>();
    const { args, asked, received } = await scriptedService({ after }, { after }, { after }, { after }, { after });
    const running = feed(fileOf(entries(10_000)), ...args);
    await expect.poll(() => asked.length, { timeout: 30_000 }).toBe(4);
    await sleep(200);
    const atOnce = asked.length;

    answer();

    const { status, output } = await running;
    expect(status, output).toBe(0);
    expect(output).toContain("10,000 lines committed");
    expect(atOnce).toBe(4);
    expect(received.flat().sort()).toEqual(entries(10_000).sort());
  });

  it("sends at most 20,000 items of lists in a request", async ({ expect }) => {
    const { args, received } = await scriptedService();
    const store_ids = Array.from({ length: 4_000 }, (_, index) => `s${index}`);
    const lines = Array.from({ length: 6 }, (_, index) =>
      JSON.stringify({ record: "campaign", id: `k${index}`, store_ids }),
    );

    const { status } = await feed(fileOf([customer(1), ...lines]), ...args);

    expect(status).toBe(0);
    expect(received).toEqual([[customer(1), ...lines.slice(0, 5)], lines.slice(5)]);
  });

  it("recognizes gzip by its bytes, in a file or from standard input", async ({ expect }) => {
    const { args, received } = await scriptedService();

    await feed(fileOf(gzipSync(customers(3).join("\n"))), ...args);
    const piped = command("feed", ["-", ...args], { stdin: customer(9) });
    await piped.ended;

    expect(piped.output()).toContain("1 line committed (1 accepted, 0 ignored)");
    expect(received).toEqual([customers(3), [customer(9)]]);
  });

  it("starts a request at each page of an export to restore, and keeps the limits", async ({ expect }) => {
    const { args, asked, received } = await scriptedService();
    const lines = customers(2_003);
    const text = [...lines.slice(0, 2), "", ...lines.slice(2), "", "", customer(1), "", ""].join("\n");

    const { status, output } = await feed(fileOf(gzipSync(text)), "--restore", ...args);

    expect(status).toBe(0);
    expect(output).toContain("2,004 lines committed");
    expect(received.map((request) => request.length)).toEqual([2, 2_000, 1, 1]);
    expect(asked.map(({ token }) => token)).toEqual(Array(4).fill("Bearer t"));
  });

  it("continues a restore in the middle of a page", async ({ expect }) => {
    const { args, received } = await scriptedService();
    const lines = [customer(1), customer(2), "", customer(4), "", customer(6)];

    await feed(fileOf(lines), "--restore", "--from", "2", ...args);

    expect(received).toEqual([[customer(2)], [customer(4)], [customer(6)]]);
  });

  it("sends only the kinds of --only, from the line of --from", async ({ expect }) => {
    const { args, received } = await scriptedService();
    const account = JSON.stringify({ record: "account", id: "1", company: "x" });
    const file = fileOf([`\ufeff${customer(1)}`, account, customer(3)]);

    await feed(file, "--only", "customer", "--from", "2", ...args);
    await feed(file, "--only", "account", ...args);

    expect(received).toEqual([[customer(3)], [account]]);
  });
});

type Line = Readonly<Record<string, string | number | boolean | null>>;

const id = fc.constantFrom("a", "b", "c", "d", "e", "f");
const kind = (record: string, fields: Record<string, fc.Arbitrary<Line[string]>>) =>
  fc.record({ record: fc.constant(record), ...fields }, { noNullPrototype: true }) as fc.Arbitrary<Line>;
const store_id = fc.constant("shop");
const time = fc.constant("2026-01-01");
const kinds = [
  kind("customer", { id }),
  kind("store", { id }),
  kind("membership", { store_id, customer_id: id, referrer_id: fc.option(id, { freq: 3 }), joined_at: time }),
  kind("friendship", { customer_id: id, friend_id: id, deleted: fc.constantFrom(false, false, true) }),
  kind("balance_entry", { id: fc.uuid(), created_at: fc.option(time, { freq: 5 }) }),
  kind("balance_entry", { id, created_at: time }),
  kind("token_earning", { id, store_id, customer_id: id, earned_at: time }),
];
/** Files have runs of lines of one kind. */
const linesOfFile = fc
  .array(fc.oneof(...kinds.map((line) => fc.array(line, { minLength: 1, maxLength: 20 }))), { maxLength: 12 })
  .map((runs) => runs.flat());

const keyOf = ({ record, id, store_id, customer_id, friend_id }: Line) =>
  record === "friendship"
    ? [customer_id, friend_id].sort().join(" ")
    : `${record} ${id ?? `${store_id} ${customer_id}`}`;

/** Whether the later line may only be stored after the earlier line. */
function mustFollow(later: Line, earlier: Line): boolean {
  if (keyOf(later) === keyOf(earlier)) return true;
  const { record, customer_id, created_at, referrer_id } = later;
  const refersTo = record === "token_earning" ? customer_id : (referrer_id ?? "nobody");
  if (earlier.record === "membership" && earlier.customer_id === refersTo) return true;
  // Answers show the order of customers and stores, and of entries without a time.
  const showsOrder = record === "customer" || record === "store" || created_at === null;
  return showsOrder && record === earlier.record && created_at === earlier.created_at;
}

/** The pairs of lines that were stored in the wrong order. */
function wrongPairs(lines: readonly Line[], stored: readonly number[]): string[] {
  const texts = lines.map((line) => JSON.stringify(line));
  return stored.flatMap((first, position) =>
    stored
      .slice(position + 1)
      .filter((second) => second < first && mustFollow(lines[first] ?? {}, lines[second] ?? {}))
      .map((second) => `${texts[first]} before ${texts[second]}`),
  );
}

describe("requests that are sent at once", () => {
  it("store what one request after the other would, however long each takes", async ({ expect }) => {
    let stored: number[] = [];
    let delays: readonly number[] = [];
    let [requests, underWay, mostAtOnce] = [0, 0, 0];
    const url = await serveHttp(async (request, response) => {
      underWay += 1;
      mostAtOnce = Math.max(mostAtOnce, underWay);
      const lines = String(await buffer(request))
        .trimEnd()
        .split("\n");
      requests += 1;
      await sleep(delays[requests % delays.length]);
      stored.push(...lines.map((line) => JSON.parse(line).index));
      underWay -= 1;
      response.end(JSON.stringify({ status: true, items: { accepted: lines.length, ignored: 0 } }));
    });

    await fc.assert(
      fc.asyncProperty(
        linesOfFile,
        fc.array(fc.boolean(), { minLength: 3, maxLength: 9 }),
        fc.array(fc.constantFrom(0, 1, 2, 4), { minLength: 3, maxLength: 9 }),
        async (lines, pageStarts, milliseconds) => {
          [stored, delays] = [[], milliseconds];
          const sent = lines.map((line, index) => ({
            number: index + 1,
            bytes: Buffer.from(JSON.stringify({ ...line, index })),
            beginsPage: pageStarts[index % pageStarts.length] ?? true,
          }));

          await sendLines({ url, token: "t" }, sent, { pages: true });

          expect(wrongPairs(lines, stored)).toEqual([]);
          expect(stored.toSorted((one, other) => one - other)).toEqual([...lines.keys()]);
        },
      ),
      { numRuns: 100 },
    );

    expect(mostAtOnce).toBe(4);
  });
});
