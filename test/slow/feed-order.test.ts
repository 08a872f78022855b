import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, it } from "vitest";
import { sendLines } from "../../scripts/lib/feed-client.ts";

type Line = Readonly<Record<string, string | number | boolean | null | undefined>>;

const EVENTS = new Set(["balance_entry", "token_earning"]);
const IN_ORDER = new Set(["customer", "store"]);

/** The records of a service, as far as the order of requests shows in them. */
class Stored {
  readonly records = new Map<string, Line>();
  /** The ids of customers and stores, and the keys of lines without their time, in the order first stored. */
  readonly order: string[] = [];

  /** Whether the lines were taken: each may refer only to records that are stored before it. */
  take(lines: readonly Line[]): boolean {
    for (const line of lines) if (!this.#takeOne(line)) return false;
    return true;
  }

  #takeOne(line: Line): boolean {
    const { record, deleted, ...fields } = line;
    const key = keyOf(line);
    const isMember = (customer: unknown) => this.records.has(`membership ${fields.store_id} ${customer}`);
    if (record === "token_earning" && !isMember(fields.customer_id)) return false;
    if (typeof fields.referrer_id === "string" && !isMember(fields.referrer_id)) return false;
    if (EVENTS.has(String(record)) && this.records.has(key)) return true;
    const isNew = !this.records.has(key);
    if (deleted) this.records.delete(key);
    else this.records.set(key, line);
    const hasNoTime = "created_at" in fields && fields.created_at === null;
    if (isNew && !deleted && (IN_ORDER.has(String(record)) || hasNoTime)) this.order.push(key);
    return true;
  }

  toText(): string {
    return JSON.stringify([[...this.records].sort(([one], [other]) => (one < other ? -1 : 1)), this.order]);
  }
}

function keyOf({ record, id, store_id, customer_id, friend_id }: Line): string {
  if (record === "membership") return `membership ${store_id} ${customer_id}`;
  if (record === "friendship") return `friendship ${[customer_id, friend_id].sort().join(" ")}`;
  return `${record} ${id}`;
}

const id = fc.constantFrom("a", "b", "c", "d", "e", "f");
const number = fc.nat(99);
const made = (record: string, shape: Record<string, fc.Arbitrary<Line[string]>>) =>
  fc.record({ record: fc.constant(record), ...shape }, { noNullPrototype: true }) as fc.Arbitrary<Line>;
const store_id = fc.constant("shop");
const time = fc.constant("2026-01-01");
const kinds = [
  made("customer", { id, number }),
  made("store", { id, number }),
  made("membership", { store_id, customer_id: id, referrer_id: fc.option(id, { freq: 3 }), joined_at: time }),
  made("friendship", { customer_id: id, friend_id: id, number, deleted: fc.constantFrom(false, false, true) }),
  made("balance_entry", { id: fc.uuid(), number, created_at: fc.option(time, { freq: 5 }) }),
  made("balance_entry", { id, number, created_at: time }),
  made("token_earning", { id, store_id, customer_id: id, number, earned_at: time }),
];
/** Runs of one kind, as files have them. */
const file = fc
  .array(fc.oneof(...kinds.map((kind) => fc.array(kind, { minLength: 1, maxLength: 20 }))), { maxLength: 12 })
  .map((runs) => runs.flat());

let stored = new Stored();
let delays: readonly number[] = [];
let [under, atOnce, asked] = [0, 0, 0];

const server = createServer(async (request, response) => {
  under += 1;
  atOnce = Math.max(atOnce, under);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const lines = Buffer.concat(chunks).toString().trimEnd().split("\n");
  asked += 1;
  await sleep(delays[asked % delays.length]);
  const isTaken = stored.take(lines.map((text) => JSON.parse(text) as Line));
  under -= 1;
  response.writeHead(isTaken ? 200 : 422);
  response.end(JSON.stringify({ status: isTaken, items: { accepted: lines.length, ignored: 0 } }));
});

beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)));
afterAll(() => void server.close());

describe("npm run feed", () => {
  it("stores what one request after the other would, however long each takes", async ({ expect }) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    await fc.assert(
      fc.asyncProperty(
        file,
        fc.array(fc.boolean(), { minLength: 3, maxLength: 9 }),
        fc.array(fc.constantFrom(0, 1, 2, 4), { minLength: 3, maxLength: 9 }),
        async (lines, begins, waits) => {
          const expected = new Stored();
          const good = lines.filter((one) => expected.take([one]));
          [stored, delays] = [new Stored(), waits];

          await sendLines(
            { url, token: "t" },
            good.map((one, index) => ({
              number: index + 1,
              bytes: Buffer.from(JSON.stringify(one)),
              beginsPage: begins[index % begins.length] ?? true,
            })),
            { pages: true },
          );

          expect(stored.toText()).toBe(expected.toText());
        },
      ),
      { numRuns: 100 },
    );

    expect(atOnce).toBe(4);
  });
});
