import { env } from "cloudflare:workers";
import { beforeEach, describe, it, vi } from "vitest";
import { mustFeed, ndjson } from "../support/api.ts";
import { databaseThrough } from "../support/databases.ts";
import { differences } from "../support/differences.ts";
import * as seed from "../support/seed.ts";
import { rows, value } from "../support/state.ts";
import { setVariables } from "../support/variables.ts";
import {
  bucketWith,
  FIRST_KEPT_SECOND,
  feedOld,
  goTo,
  keepMonths,
  LAST_LEAVING_SECOND,
  linesOf,
  objects,
  seal,
  segments,
  setUpHistory,
  shop,
  storedIds,
} from "./support.ts";

// Which events leave the database for R2, in which objects, and what else changes (docs/contract/history.md, 2 and 3).

beforeEach(setUpHistory);

const byId = <Line extends { id?: unknown }>(lines: Line[]) =>
  lines.sort((first, second) => (String(first.id) < String(second.id) ? -1 : 1));
const linesInHistory = async () =>
  byId((await Promise.all((await segments()).map(({ name }) => linesOf(name)))).flat());

describe("an event", () => {
  it("leaves if it is from before the first month that stays", async ({ expect }) => {
    const { lines, customerId, ...of } = shop();
    const eventsAt = (time: string) => [of.entry("5.00", time), of.earning("2.00", time), of.play("3.00", time)];
    const [oldEvents, keptEvents] = [eventsAt(LAST_LEAVING_SECOND), eventsAt(FIRST_KEPT_SECOND)];
    const newEntry = seed.entry(customerId, lines[1]?.id, "1.00");
    await feedOld(...lines, ...oldEvents, ...keptEvents, newEntry);

    await seal();

    expect(await storedIds()).toEqual([...keptEvents, newEntry].map(({ id }) => id).sort());
    expect((await linesInHistory()).map(({ id }) => id)).toEqual(oldEvents.map(({ id }) => id).sort());
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

/** Runs the job, but loses the connection before it sends the batch that deletes entries. */
async function sealWithoutDelete(): Promise<void> {
  const { DB } = env;
  const databaseThatLosesDeletes = databaseThrough(async ({ sql, send }) => {
    if (sql.some((text) => text.includes("DELETE FROM balance_entries"))) throw new Error("Network connection lost.");
    return send();
  });
  setVariables({ DB: databaseThatLosesDeletes });
  await seal().finally(() => setVariables({ DB }));
}

async function feedOldEntry(): Promise<void> {
  const { lines, entry } = shop();
  await feedOld(...lines, entry("5.00", LAST_LEAVING_SECOND));
}

describe("a segment", () => {
  it("has at most 2,000 events, so that its transaction does not delay other requests", async ({ expect }) => {
    const { lines, entry } = shop();
    await feedOld(...lines, ...Array.from({ length: 2_001 }, () => entry("1.00", LAST_LEAVING_SECOND)));

    await seal();

    expect((await segments()).map(({ number, lines: count }) => [number, count])).toEqual([
      [1, 2_000],
      [2, 1],
    ]);
  });

  it("has at most 2 MiB of lines", async ({ expect }) => {
    const { lines, message } = shop();
    const body = "語".repeat(4_000);
    const messages = Array.from({ length: 400 }, (_, index) =>
      message(`2026-01-01 00:${String(index % 60).padStart(2, "0")}:00`, { body }),
    );
    await feedOld(...lines, ...messages);

    await seal();

    const texts = await Promise.all((await segments()).map(async ({ name }) => ndjson(await linesOf(name))));
    const sizes = texts.map((text) => new TextEncoder().encode(`${text}\n`).length);
    // The twelve messages of the two newest minutes stay, because the group may show them.
    expect(texts.flatMap((text) => text.split("\n"))).toHaveLength(400 - 2 * 6);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2 * 1024 * 1024);
    expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(1.9 * 1024 * 1024);
  });

  it("is named after its kind, the first month that stays, and a number that no object has yet", async ({ expect }) => {
    const { lines, entry, play } = shop();
    const name = "balance_entry/2026-05/1.ndjson.gz";
    await env.TEST_HISTORY.put(name, "another object");
    await feedOld(...lines, entry("5.00", LAST_LEAVING_SECOND), play("1", LAST_LEAVING_SECOND));

    await seal();

    expect((await segments()).map(({ number }) => number)).toEqual([2, 1]);
    expect(await objects()).toEqual([name, "balance_entry/2026-05/2.ndjson.gz", "play/2026-05/1.ndjson.gz"]);
    expect(await (await env.TEST_HISTORY.get(name))?.text()).toBe("another object");
  });
});

describe("names that other objects have", () => {
  it("are skipped in steps that double, and a step that is repeated finds its own object", async ({ expect }) => {
    const folder = "balance_entry/2026-05/";
    for (let number = 1; number <= 12; number += 1) await env.TEST_HISTORY.put(`${folder}${number}.ndjson.gz`, "");
    await feedOldEntry();
    const calls: string[] = [];
    const { TEST_HISTORY: bucket } = env;
    const recordingBucket = bucketWith({
      put: (...args) => {
        calls.push(`put ${args[0].slice(folder.length)}`);
        return bucket.put(...args);
      },
      head: (name) => {
        calls.push(`head ${name.slice(folder.length)}`);
        return bucket.head(name);
      },
    });
    keepMonths(1, recordingBucket);

    await expect(sealWithoutDelete()).rejects.toThrow();
    const callsOfFirstRun = calls.splice(0);
    await seal();

    const callsToSkip = [1, 2, 4, 8].flatMap((number) => [`put ${number}.ndjson.gz`, `head ${number}.ndjson.gz`]);
    expect(callsOfFirstRun).toEqual([...callsToSkip, "put 16.ndjson.gz"]);
    expect(calls).toEqual([...callsToSkip, "put 16.ndjson.gz", "head 16.ndjson.gz"]);
    expect((await segments()).map(({ number }) => number)).toEqual([16]);
    expect(await objects()).toHaveLength(13);
  });
});

describe("a bucket", () => {
  it("gets the name of the first Worker that writes to it", async ({ expect }) => {
    await feedOldEntry();
    await env.TEST_HISTORY.delete("owner");

    await seal();

    expect(await (await env.TEST_HISTORY.get("owner"))?.text()).toBe("loyalty-edge");
  });

  it("of another deployment gets no events, and the error names its owner", async ({ expect }) => {
    await feedOldEntry();
    await env.TEST_HISTORY.put("owner", "loyalty-edge-acme");
    const logError = vi.spyOn(console, "error").mockReturnValue();

    await expect(seal()).rejects.toThrow("belongs to loyalty-edge-acme");

    expect([await objects(), await segments()]).toEqual([[], []]);
    expect(await storedIds()).toHaveLength(1);
    expect(logError.mock.calls.map(([line]) => JSON.parse(line))).toMatchObject([
      { work: "seal history", error: "JOB_FAILED", cause: "ForeignBucket" },
    ]);
  });
});
