import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { rows, value } from "../support/state.ts";
import { beginNight, endNight, feedOld, KEPT, OLD, seal, segments, shop } from "./support.ts";

// docs/contract/history.md, 3.

beforeEach(() => beginNight());
afterEach(endNight);

describe("what has left", () => {
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

  it("costs less than 2.5 rows written an event if each event changes another balance", async ({ expect }) => {
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
