import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EventLine, oppositeOf } from "../../../scripts/lib/opposite.ts";
import { Random } from "../../../scripts/program/random.ts";
import { type FeedLine, feed, mustFeed } from "../../support/api.ts";
import { differences } from "../../support/differences.ts";
import { exportPages } from "../../support/exporting.ts";
import { freshDatabase } from "../../support/fresh-database.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";

// docs/contract/requests.md, 3, and feed.md, 1: what undo and repetition promise.

const NOW = "2026-05-01 10:00:00";

/** The totals of all events. An employee may stay on a board with 0, and a customer with a balance of 0. */
const totals = async () =>
  Promise.all([
    rows("SELECT id, balance FROM customers"),
    rows("SELECT * FROM store_balances WHERE balance <> 0"),
    rows("SELECT store_key, customer_key, tokens_1, tokens_2, tokens_3, tokens_4, tokens_5 FROM memberships"),
    rows("SELECT * FROM play_totals WHERE runs <> 0 OR hits <> 0 OR doubles <> 0 OR triples <> 0"),
  ]);

/** The stored events, without the request that stored them. */
const events = async () =>
  Promise.all(
    ["balance_entries", "token_earnings", "plays", "messages"].map(async (table) =>
      (await rows(`SELECT * FROM ${table} ORDER BY id`)).map(({ request: _, ...event }) => event),
    ),
  );

/** A small program whose customers get random events. */
function randomProgram(random: Random) {
  const account = seed.account();
  const stores = [seed.store(account.id), seed.store(account.id)];
  const customers = Array.from({ length: 4 }, () => seed.customer());
  const employee = seed.employee(account.id);
  const contest = seed.eipCampaign(account.id);
  const group = seed.group(customers);
  const memberships = stores.flatMap((store) => customers.map((customer) => seed.membership(store.id, customer.id)));
  const amount = () => (random.integer(-100_000, 100_000) / 100).toFixed(2);
  const makers: (() => FeedLine & object)[] = [
    () => seed.entry(random.pick(customers), random.pick(stores), amount()),
    () => seed.earning(random.pick(stores).id, random.pick(customers).id, random.integer(1, 5), amount()),
    () =>
      seed.play(contest.id, random.pick(stores).id, employee.id, {
        runs: amount(),
        hits: random.integer(-5, 5),
        triples: 1,
      }),
    () => seed.message(group.id, random.pick(customers).id, { body: `message ${random.integer(1, 9)}` }),
  ];
  const sent: (FeedLine & object)[] = [];
  /** A request of events: mostly new ones, some again, and seldom a line with the id of another event. */
  const request = () =>
    Array.from({ length: random.integer(1, 6) }, () => {
      const chance = random.next();
      const line = random.pick(makers)();
      if (sent.length > 0 && chance < 0.3) return random.pick(sent);
      sent.push(line);
      return line;
    });
  return { records: [account, ...stores, ...customers, employee, contest, group, ...memberships], customers, request };
}

async function undo(versions: string): Promise<number> {
  const pages = await exportPages(`/api/v1/feed?request=${versions}`);
  const lines = await Promise.all(pages.flatMap(({ body }) => body as EventLine[]).map(oppositeOf));
  const { body } = await mustFeed(lines.filter((line) => line !== null));
  return body.items.accepted;
}

describe("requests of events", () => {
  it("leave all totals as they were, once they are undone, however often", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.boolean(), fc.boolean(), async (name, erasesBefore, erasesAfter) => {
        await freshDatabase(NOW);
        const program = randomProgram(new Random(name));
        await mustFeed(program.records);
        for (let count = 0; count < 3; count += 1) await mustFeed(program.request());
        if (erasesBefore) await mustFeed([seed.deleted("customer", { id: program.customers[0]?.id })]);
        const before = await totals();
        const versions: number[] = [];
        for (let count = 0; count < 3; count += 1) {
          const { status, headers } = await feed(program.request());
          if (status === 200) versions.push(Number(headers.get("X-Feed-Version")));
        }
        if (erasesAfter) await mustFeed([seed.deleted("customer", { id: program.customers[1]?.id })]);
        const range = `${versions[0] ?? 0}-${versions.at(-1) ?? 0}`;

        await undo(range);
        // From the first of these requests on: the requests that undo are among them.
        const again = await undo(`${versions[0] ?? 0}-999999999`);

        expect(await totals()).toEqual(before);
        expect(again).toBe(0);
        expect(
          await rows(`SELECT id FROM messages WHERE request BETWEEN ${range.replace("-", " AND ")} AND body <> ''`),
        ).toEqual([]);
        expect(await differences()).toEqual([]);
      }),
      propertyRuns(6),
    );
  });

  it("store what they store once, however often each is sent", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.array(fc.nat(3), { maxLength: 12 }), async (name, repeats) => {
        const program = randomProgram(new Random(name));
        const requests = Array.from({ length: 4 }, program.request);
        const send = async (...sequence: (typeof requests)[number][]) => {
          await freshDatabase(NOW);
          await mustFeed(program.records);
          for (const lines of sequence) await mustFeed(lines);
          return [await totals(), await events()];
        };
        const once = await send(...requests);

        // A request may come again at any time after it came first.
        const repeated = requests.flatMap((lines, index) => [
          lines,
          ...repeats.filter((which) => which <= index).map((which) => requests[which] ?? []),
        ]);

        expect(await send(...repeated)).toEqual(once);
      }),
      propertyRuns(3),
    );
  });
});
