import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { mustFeed } from "../support/api.ts";
import { differences } from "../support/differences.ts";
import * as seed from "../support/seed.ts";
import { rows, value } from "../support/state.ts";
import { beginNight, endNight, feedOld, goTo, KEPT, linesOf, OLD, seal, segments, shop, storedIds } from "./support.ts";

// docs/contract/history.md, 2 and 3: which events leave, their lines, and what else changes.

beforeEach(() => beginNight());
afterEach(endNight);

const byId = <Line extends { id?: unknown }>(lines: Line[]) =>
  lines.sort((one, other) => (String(one.id) < String(other.id) ? -1 : 1));
const left = async () => byId((await Promise.all((await segments()).map(({ name }) => linesOf(name)))).flat());

describe("an event", () => {
  it("leaves if its time is before the horizon, and stays if its time is the horizon or later", async ({ expect }) => {
    const { lines, customerId, ...of } = shop();
    const old = [of.entry("5.00", OLD), of.earning("2.00", OLD), of.play("3.00", OLD)];
    const kept = [of.entry("1.00", KEPT), of.earning("1.00", KEPT), of.play("1.00", KEPT)];
    const now = seed.entry(customerId, lines[1]?.id, "1.00");
    await feedOld(...lines, ...old, ...kept, now);

    await seal();

    expect(await storedIds()).toEqual([...kept, now].map(({ id }) => id).sort());
    expect((await left()).map(({ id }) => id)).toEqual(old.map(({ id }) => id).sort());
  });

  it("leaves as its line in an export, and its segment has its month, times and sums", async ({ expect }) => {
    const { lines, earned, entry } = shop();
    const [one, other] = [earned("5.00", "2026-01-02 03:04:05"), entry("-1.25", OLD)];
    await feedOld(...lines, one, other);

    await seal();

    const [segment = {}] = await segments();
    expect(await left()).toEqual(
      byId([
        { description: "", ...one },
        { campaign_id: null, description: "", ...other },
      ]),
    );
    expect(segment).toMatchObject({
      ...{ kind: "balance_entry", month: "2026-05", number: 1, lines: 2 },
      ...{ oldest: "2026-01-02 03:04:05", newest: OLD, sums: '{"balance":375,"earned":500}' },
    });
    const object = await env.TEST_HISTORY.head(String(segment.name));
    expect([object?.size, object?.checksums.toJSON().sha256]).toEqual([segment.bytes, segment.sha256]);
  });

  it("that is a message stays while it is from one of the two newest seconds of its group", async ({ expect }) => {
    const { lines, message } = shop();
    const messages = [1, 2, 3, 3, 4].map((day) => message(`2026-01-0${day} 00:00:00`));
    await feedOld(...lines, ...messages);

    await seal();
    const first = await storedIds();
    await goTo("2026-07-10 07:00:00");
    await mustFeed([message("2026-06-11 00:00:00"), message("2026-06-12 00:00:00")]);
    await seal();

    expect(first).toEqual(
      messages
        .map(({ id }) => id)
        .slice(2)
        .sort(),
    );
    expect(await value("SELECT min(sent_at) FROM messages")).toBe("2026-06-11 00:00:00");
    expect((await segments()).map(({ month, lines: count }) => [month, count])).toEqual([
      ["2026-05", 2],
      ["2026-06", 3],
    ]);
  });

  it("of an erased customer keeps only the id, and a message of a removed group has no group", async ({ expect }) => {
    const { lines, customerId, groupId, entry, message } = shop();
    const old = entry("5.00", OLD);
    const messages = [1, 2, 3].map((day) => message(`2026-01-0${day} 00:00:00`));
    await feedOld(...lines, old, ...messages, message("2026-06-01 00:00:00", { id: "kept" }));
    await mustFeed([seed.deleted("message_group", { id: groupId }), seed.deleted("customer", { id: customerId })]);

    await seal();

    expect(await left()).toMatchObject(
      byId([
        { id: old.id, customer_id: customerId },
        ...messages.map(({ id, sent_at }) => ({ id, sent_at, group_id: null })),
      ]),
    );
    expect(await storedIds()).toEqual(["kept"]);
    expect(await differences()).toEqual([]);
  });

  it("leaves without a notification, and each segment counts as a feed request", async ({ expect }) => {
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

  it("costs less than 2.5 rows written, even if each event changes another balance", async ({ expect }) => {
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
