import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { DERIVED } from "../../src/db/derived/index.ts";
import { ALL_KEYS, repair } from "../../src/db/derived/recount.ts";
import { mustFeed } from "../support/api.ts";
import { differences } from "../support/differences.ts";
import * as seed from "../support/seed.ts";
import { rows, value } from "../support/state.ts";
import { beginNight, endNight, feedOld, KEPT, OLD, seal, segments, shop } from "./support.ts";

// Rules of docs/contract/history.md, 3.

beforeEach(() => beginNight());
afterEach(endNight);

describe("what has left", () => {
  it("stays in every total, and a recount and a repair agree", async ({ expect }) => {
    const { lines, ...of } = shop();
    await feedOld(
      ...lines,
      ...[of.earned("5.00", OLD), of.entry("-5.00", OLD), of.earned("2.00", KEPT), of.entry("1.00", KEPT)],
      ...[of.earning("3.00", OLD), of.earning("0.50", KEPT), of.play("2", OLD), of.play("-1", KEPT)],
    );
    await seal();
    const totals = async () => [
      await rows("SELECT balance FROM customers ORDER BY key"),
      await rows("SELECT balance FROM store_balances"),
      await rows("SELECT earned FROM campaign_stores"),
      await rows("SELECT tokens_2 FROM memberships"),
      await rows("SELECT runs, hits FROM play_totals"),
    ];
    const before = await totals();

    const found = await differences();
    await rows("UPDATE customers SET balance = 99");
    await rows("UPDATE store_balances SET balance = 99");
    await rows("UPDATE campaign_stores SET earned = 99");
    await rows("UPDATE memberships SET tokens_2 = 99, tokens_3 = 1");
    await rows("UPDATE play_totals SET runs = 99, hits = 99");
    const damaged = await differences();
    for (const derived of DERIVED) await env.DB.batch(repair(derived, ALL_KEYS).map((one) => env.DB.prepare(one)));

    expect(before).toEqual([
      [{ balance: 300 }, { balance: 0 }],
      [{ balance: 300 }],
      [{ earned: 700 }],
      [{ tokens_2: 350 }],
      [{ runs: 100, hits: 2 }],
    ]);
    expect([found, damaged.length]).toEqual([[], 5]);
    expect(await totals()).toEqual(before);
  });

  it("leaves the row of a balance and of a board where nothing else is left of it", async ({ expect }) => {
    const { lines, entry, play } = shop();
    await feedOld(...lines, entry("5.00", OLD), entry("-5.00", OLD), play("0", OLD));

    await seal();

    expect(await differences()).toEqual([]);
    expect(await rows("SELECT balance FROM store_balances")).toEqual([{ balance: 0 }]);
    expect(await rows("SELECT runs, hits FROM play_totals")).toEqual([{ runs: 0, hits: 1 }]);
  });

  it("is told to nobody, and each segment counts as a feed request", async ({ expect }) => {
    const { lines, customerId, otherId, ...of } = shop();
    await mustFeed(lines);
    await rows("INSERT INTO listeners VALUES (?, '9'), (?, '9')", customerId, otherId);
    const messages = [1, 2, 3].map((day) => of.message(`2026-01-0${day} 00:00:00`));
    await feedOld(of.entry("5.00", OLD), of.play("2", OLD), ...messages);
    await rows("DELETE FROM outbox");
    const version = Number(await value("SELECT version FROM program_state"));

    await seal();

    expect(await rows("SELECT * FROM outbox")).toEqual([]);
    expect((await mustFeed([of.entry("1.00", KEPT)])).headers.get("X-Feed-Version")).toBe(String(version + 3 + 1));
    expect(await segments()).toHaveLength(3);
  });

  it("costs less than 2.5 rows written an event, of which each is of another balance", async ({ expect }) => {
    const EVENTS = 400;
    const account = seed.account();
    const stores = Array.from({ length: 10 }, () => seed.store(account.id));
    const campaigns = Array.from({ length: 4 }, () => seed.campaign(account.id));
    const customers = Array.from({ length: EVENTS }, () => seed.customer());
    const entries = customers.map(({ id }, index) =>
      seed.entry(id, stores[(index * 7) % 10]?.id, "1.00", {
        created_at: OLD,
        ...(index % 2 === 0 && { campaign_id: campaigns[(index / 2) % 4]?.id }),
      }),
    );
    await feedOld(account, ...stores, ...campaigns, ...customers, ...entries);
    const log = vi.spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch");

    await seal();

    const results = (await Promise.all(log.mock.results.map(({ value }) => value))) as D1Result[][];
    const written = results.flat().reduce((sum, { meta }) => sum + meta.rows_written, 0);
    expect(await value("SELECT count(*) FROM balance_entries WHERE customer_key > 0")).toBe(EVENTS);
    expect(written / EVENTS).toBeLessThan(2.5);
  });
});
