import { describe, it } from "vitest";
import { feed } from "../support/api.ts";
import { differences } from "../support/differences.ts";
import { program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";
import { rows, value } from "../support/state.ts";

// With 1,000 balance entries or more, their ids are looked up once for all checks and totals.
const ENTRIES_A_REQUEST = 1_020;
/** The lines of a request: the entries, and for every fifth entry one event of each of three other kinds. */
const LINES_A_REQUEST = ENTRIES_A_REQUEST + (3 * ENTRIES_A_REQUEST) / 5;

function world() {
  const { lines, store, campaign, customer, contest, recordOf } = program(seed.freshId("many"));
  /** The lines of a request, from this number on. Odd ids have a minus, so ids do not sort as their numbers do. */
  const events = (first: number) =>
    Array.from({ length: ENTRIES_A_REQUEST }, (_, index) => first + index).flatMap((number) => {
      const id = `${store.id}-${number % 2 === 0 ? number : -number}`;
      const sent_at = `2026-01-01 00:${String(number % 60).padStart(2, "0")}:00`;
      const campaign_id = number % 3 === 0 ? campaign.id : null;
      const entry = seed.entry(customer.id, store.id, "1.25", { id, campaign_id });
      if (number % 5 > 0) return [entry];
      return [
        entry,
        { ...seed.earning(store.id, customer.id, 1, "0.50"), id },
        seed.play(contest.id, store.id, recordOf.employee?.id, { id, runs: "2" }),
        seed.message(recordOf.message_group?.id, customer.id, { id, sent_at }),
      ];
    });
  return { lines, events, customer: String(customer.id), store: String(store.id) };
}

const balanceOf = (customer: unknown) => value("SELECT balance FROM customers WHERE id = ?", customer);

describe("a request of many events", () => {
  it("adds each new one to the totals once", async ({ expect }) => {
    const { lines, events, customer } = world();
    const halfOfEntries = ENTRIES_A_REQUEST / 2;

    const first = await feed([...lines, ...events(0)]);
    const overlapping = await feed(events(halfOfEntries));
    const again = await feed(events(halfOfEntries));

    expect(first.body.items.ignored).toBe(0);
    expect(overlapping.body.items).toEqual({ accepted: LINES_A_REQUEST / 2, ignored: LINES_A_REQUEST / 2 });
    expect(again.body.items).toEqual({ accepted: 0, ignored: LINES_A_REQUEST });
    // The program has an entry of 5.00 too.
    expect(await balanceOf(customer)).toBe(500 + 125 * (ENTRIES_A_REQUEST + halfOfEntries));
    expect(await differences()).toEqual([]);
    expect(await rows("SELECT * FROM fresh_events")).toEqual([]);
  });

  it("is taken whole if its ids fill more than one parameter of a statement", async ({ expect }) => {
    // The longest id, in characters of four bytes.
    const padded = (id: string) => `${id}${"🙂".repeat(64 - id.length)}`;
    const account = seed.account();
    const store = seed.store(account.id, { id: padded(seed.freshId("s")) });
    const customer = seed.customer({ id: padded(seed.freshId("c")) });
    const entries = Array.from({ length: 1_700 }, () =>
      seed.entry(customer.id, store.id, "1.25", { id: padded(seed.freshId("b")) }),
    );

    const answer = await feed([account, store, customer, ...entries]);

    expect(answer.body.items).toEqual({ accepted: 1_703, ignored: 0 });
    expect(await balanceOf(customer.id)).toBe(125 * entries.length);
  });

  it("is refused whole if one line is bad, and stores nothing", async ({ expect }) => {
    const { lines, events, customer, store } = world();

    const answer = await feed([...lines, ...events(0), seed.entry(seed.freshId("nobody"), store, "1.00")]);

    expect(answer.body.messages).toEqual({
      [`line ${lines.length + LINES_A_REQUEST + 1}.customer_id`]: ["names a record that is not stored"],
    });
    expect(await rows("SELECT 1 FROM customers WHERE id = ?", customer)).toEqual([]);
    expect(await rows("SELECT * FROM fresh_events")).toEqual([]);
  });
});
