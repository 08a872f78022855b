import { env } from "cloudflare:workers";
import { beforeEach, describe, it, vi } from "vitest";
import { mustFeed } from "../support/api.ts";
import { differences } from "../support/differences.ts";
import * as seed from "../support/seed.ts";
import { rows, value } from "../support/state.ts";
import {
  FIRST_KEPT_SECOND,
  feedOld,
  goTo,
  LAST_LEAVING_SECOND,
  linesOf,
  seal,
  segments,
  setUpHistory,
  shop,
  storedIds,
} from "./support.ts";

// Which events leave the database for R2, as which lines, and what else changes (docs/contract/history.md, 2 and 3).

beforeEach(() => setUpHistory());

const byId = <Line extends { id?: unknown }>(lines: Line[]) =>
  lines.sort((first, second) => (String(first.id) < String(second.id) ? -1 : 1));
const linesInHistory = async () =>
  byId((await Promise.all((await segments()).map(({ name }) => linesOf(name)))).flat());

describe("an event", () => {
  it("leaves if it is from before the first month that stays", async ({ expect }) => {
    const { lines, customerId, ...of } = shop();
    const oldEvents = [
      of.entry("5.00", LAST_LEAVING_SECOND),
      of.earning("2.00", LAST_LEAVING_SECOND),
      of.play("3.00", LAST_LEAVING_SECOND),
    ];
    const keptEvents = [
      of.entry("1.00", FIRST_KEPT_SECOND),
      of.earning("1.00", FIRST_KEPT_SECOND),
      of.play("1.00", FIRST_KEPT_SECOND),
    ];
    const newEntry = seed.entry(customerId, lines[1]?.id, "1.00");
    await feedOld(...lines, ...oldEvents, ...keptEvents, newEntry);

    await seal();

    expect(await storedIds()).toEqual([...keptEvents, newEntry].map(({ id }) => id).sort());
    expect((await linesInHistory()).map(({ id }) => id)).toEqual(oldEvents.map(({ id }) => id).sort());
  });

  it("leaves as its line in an export, and the row of its segment has the month, times and sums", async ({
    expect,
  }) => {
    const { lines, earned, entry } = shop();
    const [campaignEntry, plainEntry] = [earned("5.00", "2026-01-02 03:04:05"), entry("-1.25", LAST_LEAVING_SECOND)];
    await feedOld(...lines, campaignEntry, plainEntry);

    await seal();

    const [segment = {}] = await segments();
    expect(await linesInHistory()).toEqual(
      byId([
        { description: "", ...campaignEntry },
        { campaign_id: null, description: "", ...plainEntry },
      ]),
    );
    expect(segment).toMatchObject({
      ...{ kind: "balance_entry", month: "2026-05", number: 1, lines: 2 },
      ...{ oldest: "2026-01-02 03:04:05", newest: LAST_LEAVING_SECOND, sums: '{"balance":375,"earned":500}' },
    });
    const object = await env.TEST_HISTORY.head(String(segment.name));
    expect([object?.size, object?.checksums.toJSON().sha256]).toEqual([segment.bytes, segment.sha256]);
  });

  it("stays if it is a message of one of the two newest seconds of its group", async ({ expect }) => {
    const { lines, message } = shop();
    const messages = [1, 2, 3, 3, 4].map((day) => message(`2026-01-0${day} 00:00:00`));
    await feedOld(...lines, ...messages);

    await seal();
    const idsAfterFirstRun = await storedIds();
    await goTo("2026-07-10 07:00:00");
    await mustFeed([message("2026-06-11 00:00:00"), message("2026-06-12 00:00:00")]);
    await seal();

    expect(idsAfterFirstRun).toEqual(
      messages
        .slice(2)
        .map(({ id }) => id)
        .sort(),
    );
    expect(await value("SELECT min(sent_at) FROM messages")).toBe("2026-06-11 00:00:00");
    expect((await segments()).map(({ month, lines: count }) => [month, count])).toEqual([
      ["2026-05", 2],
      ["2026-06", 3],
    ]);
  });

  it("leaves with only the id of an erased customer, and without the id of a removed group", async ({ expect }) => {
    const { lines, customerId, groupId, entry, message } = shop();
    const oldEntry = entry("5.00", LAST_LEAVING_SECOND);
    const messages = [1, 2, 3].map((day) => message(`2026-01-0${day} 00:00:00`));
    await feedOld(...lines, oldEntry, ...messages, message("2026-06-01 00:00:00", { id: "kept" }));
    await mustFeed([seed.deleted("message_group", { id: groupId }), seed.deleted("customer", { id: customerId })]);

    await seal();

    expect(await linesInHistory()).toMatchObject(
      byId([
        { id: oldEntry.id, customer_id: customerId },
        ...messages.map(({ id, sent_at }) => ({ id, sent_at, group_id: null })),
      ]),
    );
    expect(await storedIds()).toEqual(["kept"]);
    expect(await differences()).toEqual([]);
  });

  it("leaves without a notification, and its segment counts as a feed request", async ({ expect }) => {
    const { lines, customerId, otherId, ...of } = shop();
    await mustFeed(lines);
    await rows("INSERT INTO listeners VALUES (?, '9'), (?, '9')", customerId, otherId);
    const messages = [1, 2, 3].map((day) => of.message(`2026-01-0${day} 00:00:00`));
    await feedOld(of.entry("5.00", LAST_LEAVING_SECOND), of.play("2", LAST_LEAVING_SECOND), ...messages);
    await rows("DELETE FROM outbox");
    const version = Number(await value("SELECT version FROM program_state"));

    await seal();

    expect(await rows("SELECT * FROM outbox")).toEqual([]);
    expect((await mustFeed([of.entry("1.00", FIRST_KEPT_SECOND)])).headers.get("X-Feed-Version")).toBe(
      String(version + 3 + 1),
    );
    expect(await segments()).toHaveLength(3);
  });

  it("writes less than 2.5 rows when it leaves, even if each event changes a different balance", async ({ expect }) => {
    const EVENTS = 400;
    const account = seed.account();
    const stores = Array.from({ length: 10 }, () => seed.store(account.id));
    const campaigns = Array.from({ length: 4 }, () => seed.campaign(account.id));
    const customers = Array.from({ length: EVENTS }, () => seed.customer());
    const entries = customers.map(({ id }, index) =>
      seed.entry(id, stores[(index * 7) % 10]?.id, "1.00", {
        created_at: LAST_LEAVING_SECOND,
        ...(index % 2 === 0 && { campaign_id: campaigns[(index / 2) % 4]?.id }),
      }),
    );
    await feedOld(account, ...stores, ...campaigns, ...customers, ...entries);
    const batch = vi.spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch");

    await seal();

    const results = (await Promise.all(batch.mock.results.map(({ value }) => value))) as D1Result[][];
    const writtenRows = results.flat().reduce((sum, { meta }) => sum + meta.rows_written, 0);
    expect(await value("SELECT count(*) FROM balance_entries WHERE customer_key > 0")).toBe(EVENTS);
    expect(writtenRows / EVENTS).toBeLessThan(2.5);
  });
});
