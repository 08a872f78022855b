import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { DERIVED } from "../../src/db/derived/index.ts";
import { ALL_KEYS, repair } from "../../src/db/derived/recount.ts";
import { as, feed, mustFeed, ndjson } from "../support/api.ts";
import { databaseThrough } from "../support/databases.ts";
import { differences } from "../support/differences.ts";
import { recordMetrics, stopMetrics } from "../support/metrics.ts";
import * as seed from "../support/seed.ts";
import { sendTo } from "../support/stalling.ts";
import { rows, snapshot, value } from "../support/state.ts";
import { addPrograms, setVariables } from "../support/test-programs.ts";
import { signToken } from "../support/tokens.ts";
import {
  beginNight,
  beginRun,
  bucketWith,
  endNight,
  goTo,
  keepMonths,
  linesOf,
  objects,
  seal,
  sealInPart,
  segments,
  shop,
} from "./support.ts";

// Rules of docs/contract/history.md. May and later are kept.
const OLD = "2026-04-30 23:59:59";
const KEPT = "2026-05-01 00:00:00";

beforeEach(() => beginNight());
afterEach(endNight);

const storedIds = async () =>
  (
    await rows(
      `SELECT id FROM balance_entries UNION ALL SELECT id FROM token_earnings
       UNION ALL SELECT id FROM plays UNION ALL SELECT id FROM messages ORDER BY id`,
    )
  ).map(({ id }) => id);

describe("without the settings", () => {
  it("nothing leaves, no statement is sent, and no point of metrics is written", async ({ expect }) => {
    const { lines, entry } = shop();
    keepMonths(undefined);
    await mustFeed([...lines, entry("5.00", OLD)]);
    const before = await snapshot();
    const batch = vi.spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch");
    const points = recordMetrics();

    await seal();

    stopMetrics();
    expect(batch).not.toHaveBeenCalled();
    batch.mockRestore();
    expect([points, await snapshot()]).toEqual([[], before]);
  });

  it.for([
    ["a number without a bucket", "13", false],
    ["a bucket without a number", "", true],
    ["no month", "0", true],
    ["more than 120 months", "121", true],
    ["another word", "many", true],
  ] as const)(
    "nothing leaves, what never left is taken, and /health says why: %s",
    async ([, months, isBound], { expect }) => {
      const { lines, entry } = shop();
      const bindings = { HISTORY_MONTHS: months, ...(isBound && { HISTORY: env.TEST_HISTORY }) };
      keepMonths(undefined);
      Object.assign(env, bindings);

      await mustFeed([...lines, entry("5.00", OLD)]);
      await seal();
      const health = await sendTo(bindings, "/health");

      expect(await segments()).toEqual([]);
      expect(health.status).toBe(503);
      expect(await health.json()).toMatchObject({ message: expect.stringContaining("HISTORY_MONTHS") });
    },
  );
});

describe("an event", () => {
  it("leaves if its time is before the horizon, and stays if it is of that second or later", async ({ expect }) => {
    const { lines, ...of } = shop();
    const old = [of.entry("5.00", OLD), of.earning("2.00", OLD), of.play("3.00", OLD)];
    const kept = [
      of.entry("1.00", KEPT),
      of.earning("1.00", KEPT),
      of.play("1.00", KEPT),
      seed.entry(of.customerId, lines[1]?.id, "1.00"),
    ];
    keepMonths(undefined);
    await mustFeed([...lines, ...old, ...kept]);
    keepMonths(1);

    await seal();

    expect(await storedIds()).toEqual(kept.map(({ id }) => id).sort());
    const found = await Promise.all((await segments()).map(({ name }) => linesOf(name)));
    expect(
      found
        .flat()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(old.map(({ id }) => id).sort());
  });

  it("leaves as the line that an export has of it, and its segment says what it holds", async ({ expect }) => {
    const { lines, earned, entry } = shop();
    const [one, other] = [earned("5.00", "2026-01-02 03:04:05"), entry("-1.25", OLD)];
    keepMonths(undefined);
    await mustFeed([...lines, one, other]);
    keepMonths(1);

    await seal();

    const [segment = {}] = await segments();
    expect(await linesOf(segment.name)).toEqual(
      [one, { campaign_id: null, ...other }].sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
    expect(segment).toMatchObject({
      ...{ kind: "balance_entry", month: "2026-05", number: 1, lines: 2 },
      ...{ oldest: "2026-01-02 03:04:05", newest: OLD, sums: '{"balance":375,"earned":500}' },
    });
    const object = await env.TEST_HISTORY.head(String(segment.name));
    expect([object?.size, object?.checksums.toJSON().sha256]).toEqual([segment.bytes, segment.sha256]);
  });

  it("of a message stays while it is of one of the two newest seconds of its group", async ({ expect }) => {
    const { lines, message } = shop();
    const times = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-03", "2026-01-04"].map(
      (day) => `${day} 00:00:00`,
    );
    const written = times.map((time) => message(time));
    keepMonths(undefined);
    await mustFeed([...lines, ...written]);
    keepMonths(1);

    await seal();
    const first = await storedIds();
    await goTo("2026-07-10 07:00:00");
    await mustFeed([message("2026-06-11 00:00:00"), message("2026-06-12 00:00:00")]);
    await seal();

    expect(first).toEqual(
      written
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

  it("of a removed group leaves with no group", async ({ expect }) => {
    const { lines, groupId, message } = shop();
    keepMonths(undefined);
    await mustFeed([...lines, ...[1, 2, 3].map((day) => message(`2026-01-0${day} 00:00:00`))]);
    await mustFeed([seed.deleted("message_group", { id: groupId })]);
    keepMonths(1);

    await seal();

    const [segment] = await segments();
    expect(await linesOf(segment?.name)).toMatchObject([{ group_id: null, sent_at: "2026-01-01 00:00:00" }]);
  });

  it("of a customer who was erased leaves under the bare id", async ({ expect }) => {
    const { lines, customerId, entry } = shop();
    keepMonths(undefined);
    await mustFeed([...lines, entry("5.00", OLD)]);
    await mustFeed([seed.deleted("customer", { id: customerId })]);
    keepMonths(1);

    await seal();

    const [segment] = await segments();
    expect(await linesOf(segment?.name)).toMatchObject([{ customer_id: customerId }]);
    expect(await differences()).toEqual([]);
  });
});

describe("a segment", () => {
  it("has at most 1,000 events, so that others wait for less than 50 ms", async ({ expect }) => {
    const { lines, entry } = shop();
    keepMonths(undefined);
    await mustFeed([...lines, entry("1.00", OLD)]);
    await mustFeed(Array.from({ length: 2_000 }, () => entry("1.00", OLD)));
    keepMonths(1);

    await seal();

    expect((await segments()).map(({ number, lines: count }) => [number, count])).toEqual([
      [1, 1_000],
      [2, 1_000],
      [3, 1],
    ]);
    expect(await differences()).toEqual([]);
  });

  it("has at most 500 messages, and 8 MiB of lines", async ({ expect }) => {
    const { lines, message } = shop();
    keepMonths(undefined);
    await mustFeed(lines);
    for (const half of [0, 1])
      await mustFeed(
        Array.from({ length: 600 }, (_, index) =>
          message(`2026-01-0${half + 1} 00:00:${String(index % 60).padStart(2, "0")}`, { body: "語".repeat(4_000) }),
        ),
      );
    keepMonths(1);

    await seal();

    const counts = (await segments()).map(({ lines: count }) => Number(count));
    const texts = await Promise.all((await segments()).map(async ({ name }) => ndjson(await linesOf(name))));
    const sizes = texts.map((text) => new TextEncoder().encode(`${text}\n`).length);
    expect(counts).toEqual([500, 500, 1_200 - 20 - 1_000]);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(8 * 1024 * 1024);
  });

  it("is called by its program, kind, the horizon's month and a number", async ({ expect }) => {
    const { lines, entry, play } = shop();
    const events = [...lines, entry("5.00", OLD), play("1", OLD)];
    const remove = await addPrograms("acme");
    keepMonths(undefined);
    await mustFeed(events);
    const token = await signToken({ scope: "feed", sub: "tests", accounts: "*", program: "acme" });
    const body = events.map((line) => JSON.stringify(line)).join("\n");
    await sendTo({}, "/api/v1/feed", { method: "POST", headers: { Authorization: `Bearer ${token}` }, body });
    keepMonths(1);

    await seal();
    remove();

    expect(await objects()).toEqual([
      "acme/balance_entry/2026-05/1.ndjson.gz",
      "acme/play/2026-05/1.ndjson.gz",
      "default_program/balance_entry/2026-05/1.ndjson.gz",
      "default_program/play/2026-05/1.ndjson.gz",
    ]);
  });

  it("takes the next number where another object has its name, and overwrites nothing", async ({ expect }) => {
    const { lines, entry } = shop();
    const name = "default_program/balance_entry/2026-05/1.ndjson.gz";
    await env.TEST_HISTORY.put(name, "of a database that was set back");
    keepMonths(undefined);
    await mustFeed([...lines, entry("5.00", OLD)]);
    keepMonths(1);

    await seal();

    expect((await segments()).map(({ number }) => number)).toEqual([2]);
    expect(await (await env.TEST_HISTORY.get(name))?.text()).toBe("of a database that was set back");
  });
});

describe("a name that another object has", () => {
  it("is passed in six calls, however many are taken; cut off there, the step meets its own object", async ({
    expect,
  }) => {
    const { lines, entry } = shop();
    const folder = "default_program/balance_entry/2026-05/";
    for (let number = 1; number <= 12; number += 1) await env.TEST_HISTORY.put(`${folder}${number}.ndjson.gz`, "");
    keepMonths(undefined);
    await mustFeed([...lines, entry("5.00", OLD)]);
    const calls: string[] = [];
    const { TEST_HISTORY: bucket } = env;
    const noted = bucketWith({
      put: ((...given: Parameters<R2Bucket["put"]>) => {
        calls.push(`put ${given[0].slice(folder.length)}`);
        return bucket.put(...given);
      }) as R2Bucket["put"],
      head: (name) => {
        calls.push(`head ${name.slice(folder.length)}`);
        return bucket.head(name);
      },
      list: (options) => {
        calls.push("list");
        // As in folders of thousands.
        return bucket.list({ ...options, limit: 5 });
      },
    });
    keepMonths(1, noted);

    await expect(sealCutOff("before")).rejects.toThrow();
    const first = calls.splice(0);
    await seal();

    const taken = ["put 1.ndjson.gz", "head 1.ndjson.gz", "list", "list", "list"];
    expect(first).toEqual([...taken, "put 12.ndjson.gz", "head 12.ndjson.gz", "put 13.ndjson.gz"]);
    expect(calls).toEqual([...taken, "put 13.ndjson.gz", "head 13.ndjson.gz"]);
    expect((await segments()).map(({ number }) => number)).toEqual([13]);
    expect(await objects()).toHaveLength(13);
  });
});

describe("a kind that fails", () => {
  it("stops no other kind, and goes on in the next run", async ({ expect }) => {
    const { lines, entry, play } = shop();
    keepMonths(undefined);
    await mustFeed([...lines, entry("5.00", OLD), play("1", OLD)]);
    const put = async (...given: Parameters<R2Bucket["put"]>) => {
      if (given[0].includes("balance_entry")) throw new Error("put: Unspecified error (0)");
      return env.TEST_HISTORY.put(...given);
    };
    keepMonths(1, bucketWith({ put: put as R2Bucket["put"] }));

    await expect(seal()).rejects.toThrow("Unspecified");
    const first = (await segments()).map(({ kind }) => kind);
    keepMonths(1);
    await seal();

    expect(first).toEqual(["play"]);
    expect((await segments()).map(({ kind }) => kind)).toEqual(["balance_entry", "play"]);
  });
});

describe("a run of last month", () => {
  it("that is still at work moves no walk of this month", async ({ expect }) => {
    const { lines, entry } = shop();
    keepMonths(undefined);
    await mustFeed([...lines, entry("5.00", OLD), entry("6.00", OLD), entry("7.00", OLD)]);
    const straggler = beginRun();
    // One for each kind.
    for (let turn = 0; turn < 4; turn += 1) await straggler();
    await goTo("2026-07-01 07:00:00");
    await sealInPart(1);
    const walks = () => rows("SELECT month, last_id FROM history_walks ORDER BY kind LIMIT 1");
    const before = await walks();

    await straggler();

    expect(await walks()).toEqual(before);
    expect((await segments()).map(({ month, number }) => [month, number])).toEqual([
      ["2026-05", 1],
      ["2026-05", 2],
      ["2026-06", 1],
    ]);
    expect(await storedIds()).toEqual([]);
  });
});

describe("a step that is cut off", () => {
  async function feedOld(...more: string[]) {
    const { lines, entry } = shop();
    keepMonths(undefined);
    await mustFeed([...lines, entry("5.00", OLD), ...more.map((amount) => entry(amount, OLD)), entry("1.00", KEPT)]);
    keepMonths(1);
  }

  it("after its object was written is repeated with the same object", async ({ expect }) => {
    await feedOld();
    const before = await snapshotOfEvents();
    await expect(sealCutOff("before")).rejects.toThrow();
    const between = await snapshotOfEvents();

    await seal();

    expect(between).toEqual(before);
    expect(await objects()).toHaveLength(1);
    expect((await segments()).map(({ name, lines }) => [name, lines])).toEqual([[(await objects())[0], 1]]);
  });

  it("after it was committed is not done twice", async ({ expect }) => {
    await feedOld();
    await expect(sealCutOff("after")).rejects.toThrow();

    await seal();

    expect((await segments()).map(({ lines }) => lines)).toEqual([1]);
    expect(await value("SELECT balance_opening FROM store_balances")).toBe(500);
    expect(await differences()).toEqual([]);
  });

  it("because another run took it before it writes nothing", async ({ expect }) => {
    await feedOld();
    const { TEST_HISTORY: bucket } = env;
    let isFirst = true;
    const put = async (...given: Parameters<R2Bucket["put"]>) => {
      if (isFirst) {
        isFirst = false;
        await seal();
      }
      return bucket.put(...given);
    };
    keepMonths(1, bucketWith({ put: put as R2Bucket["put"] }));

    await expect(seal()).rejects.toThrow();

    expect((await segments()).map(({ lines }) => lines)).toEqual([1]);
    expect(await differences()).toEqual([]);
  });

  it("takes out what it has begun with, and leaves the walk of a month that has begun meanwhile alone", async ({
    expect,
  }) => {
    const { lines, entry } = shop();
    keepMonths(undefined);
    await mustFeed([...lines, entry("5.00", OLD), entry("1.00", KEPT)]);
    let isFirst = true;
    const put = async (...given: Parameters<R2Bucket["put"]>) => {
      if (!isFirst) throw new Error("put: Unspecified error (0)");
      isFirst = false;
      await goTo("2026-07-10 07:00:00");
      await expect(seal()).rejects.toThrow("Unspecified");
      return env.TEST_HISTORY.put(...given);
    };
    keepMonths(1, bucketWith({ put: put as R2Bucket["put"] }));

    await seal();
    const first = await segments();
    keepMonths(1);
    await seal();

    expect(first.map(({ month, lines }) => [month, lines])).toEqual([["2026-05", 1]]);
    expect((await segments()).map(({ month, lines }) => [month, lines])).toEqual([
      ["2026-05", 1],
      ["2026-06", 1],
    ]);
  });

  it("where an event is gone that the object has takes nothing out", async ({ expect }) => {
    await feedOld("7.00");
    const put = async (...given: Parameters<R2Bucket["put"]>) => {
      await rows("DELETE FROM balance_entries WHERE amount = 700");
      return env.TEST_HISTORY.put(...given);
    };
    keepMonths(1, bucketWith({ put: put as R2Bucket["put"] }));

    await expect(seal()).rejects.toThrow();

    expect([
      await segments(),
      await value("SELECT count(*) FROM store_balances WHERE balance_opening IS NOT NULL"),
    ]).toEqual([[], 0]);
  });
});

const snapshotOfEvents = async () => [await storedIds(), await segments(), await rows("SELECT * FROM store_balances")];

const LOST = new Error("Network connection lost.");

/** A run whose batch that takes entries out fails, before it is sent or after it was committed. */
async function sealCutOff(when: "before" | "after"): Promise<void> {
  const { DB } = env;
  const cutOff = databaseThrough(async ({ sql, send }) => {
    const isIt = sql.some((one) => one.includes("DELETE FROM balance_entries"));
    if (isIt && when === "before") throw LOST;
    const results = await send();
    if (isIt) throw LOST;
    return results;
  });
  setVariables({ DB: cutOff });
  try {
    await seal();
  } finally {
    setVariables({ DB });
  }
}

describe("R2", () => {
  it.for([
    ["fails", () => Promise.reject(new Error("put: Unspecified error (0)"))],
    ["hangs", () => new Promise(() => {})],
  ] as const)(
    "that %s: nothing leaves, nothing is lost, and feeds and answers do not notice",
    async ([, put], { expect }) => {
      const { lines, customerId, entry } = shop();
      keepMonths(undefined);
      await mustFeed([...lines, entry("5.00", OLD)]);
      keepMonths(1, bucketWith({ put: put as unknown as R2Bucket["put"] }));
      const before = await snapshotOfEvents();
      skipTimeouts(10_000);

      await expect(seal()).rejects.toThrow();

      expect(await snapshotOfEvents()).toEqual(before);
      expect((await feed([entry("1.00", KEPT)])).status).toBe(200);
      expect((await as(customerId).get("/api/v1/customer/me")).status).toBe(200);
    },
  );
});

/** What waits for so long does not wait. */
function skipTimeouts(milliseconds: number): void {
  const { setTimeout: real } = globalThis;
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((work: () => void, after?: number) =>
    real(work, after === milliseconds ? 0 : after)) as typeof setTimeout);
}

describe("what has left", () => {
  async function leave() {
    const { lines, ...of } = shop();
    keepMonths(undefined);
    await mustFeed([
      ...lines,
      ...[of.earned("5.00", OLD), of.entry("-5.00", OLD), of.earned("2.00", KEPT), of.entry("1.00", KEPT)],
      ...[of.earning("3.00", OLD), of.earning("0.50", KEPT)],
      ...[of.play("2", OLD), of.play("-1", KEPT)],
    ]);
    keepMonths(1);
    await seal();
    return { lines, ...of };
  }

  it("stays in every total, and a recount and a repair agree", async ({ expect }) => {
    await leave();
    const totals = async () => [
      await rows("SELECT balance FROM customers ORDER BY key"),
      await rows("SELECT balance, balance_opening FROM store_balances"),
      await rows("SELECT earned, earned_opening FROM campaign_stores"),
      await rows("SELECT tokens_2, tokens_2_opening FROM memberships"),
      await rows("SELECT runs, runs_opening, hits, hits_opening FROM play_totals"),
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

    expect(found).toEqual([]);
    expect(damaged.map(({ name }) => name)).toEqual([
      "customers' balances",
      "balances at stores",
      "what campaigns have earned",
      "tokens of teams",
      "totals of plays",
    ]);
    expect(await totals()).toEqual(before);
    expect(before).toEqual([
      [{ balance: 300 }, { balance: 0 }],
      [{ balance: 300, balance_opening: 0 }],
      [{ earned: 700, earned_opening: 500 }],
      [{ tokens_2: 350, tokens_2_opening: 300 }],
      [{ runs: 100, runs_opening: 200, hits: 2, hits_opening: 1 }],
    ]);
  });

  it("leaves the row of a balance and of a board where nothing else is left of it", async ({ expect }) => {
    const { lines, entry, play } = shop();
    keepMonths(undefined);
    await mustFeed([...lines, entry("5.00", OLD), entry("-5.00", OLD), play("0", OLD)]);
    keepMonths(1);

    await seal();

    expect(await differences()).toEqual([]);
    expect(await rows("SELECT balance FROM store_balances")).toEqual([{ balance: 0 }]);
    expect(await rows("SELECT runs, hits FROM play_totals")).toEqual([{ runs: 0, hits: 1 }]);
  });

  it("is told to nobody, and each segment counts as a feed request", async ({ expect }) => {
    const { lines, customerId, otherId, ...of } = shop();
    keepMonths(undefined);
    await mustFeed(lines);
    await rows("INSERT INTO listeners VALUES (?, '9'), (?, '9')", customerId, otherId);
    await mustFeed([
      of.entry("5.00", OLD),
      of.play("2", OLD),
      ...[1, 2, 3].map((day) => of.message(`2026-01-0${day} 00:00:00`)),
    ]);
    await rows("DELETE FROM outbox");
    keepMonths(1);
    const version = Number(await value("SELECT version FROM feed_version"));

    await seal();

    expect(await rows("SELECT * FROM outbox")).toEqual([]);
    expect((await mustFeed([of.entry("1.00", KEPT)])).headers.get("X-Feed-Version")).toBe(String(version + 3 + 1));
    expect(await segments()).toHaveLength(3);
  });

  it("costs less than 2.5 rows written an event, of which each is of another balance", async ({ expect }) => {
    const account = seed.account();
    const stores = Array.from({ length: 10 }, () => seed.store(account.id));
    const campaigns = Array.from({ length: 20 }, () => seed.campaign(account.id));
    const customers = Array.from({ length: 2_000 }, () => seed.customer());
    const pick = <One>(of: readonly One[], index: number) => of[index % of.length] as One;
    const entries = Array.from({ length: 2_000 }, (_, index) =>
      seed.entry(pick(customers, index).id, pick(stores, index * 7).id, "1.00", {
        created_at: OLD,
        ...(index % 2 === 0 && { campaign_id: pick(campaigns, index).id }),
      }),
    );
    keepMonths(undefined);
    await mustFeed([account, ...stores, ...campaigns, ...customers, ...entries]);
    keepMonths(1);
    const log = vi.spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch");

    await seal();

    const results = (await Promise.all(log.mock.results.map(({ value }) => value))) as D1Result[][];
    const written = results.flat().reduce((sum, { meta }) => sum + meta.rows_written, 0);
    expect(await value("SELECT count(*) FROM store_balances WHERE balance_opening IS NOT NULL")).toBe(2_000);
    expect(written / 2_000).toBeLessThan(2.5);
    console.info(`${written / 2_000} rows written an event`);
  });
});

describe("a run", () => {
  it("leaves a line in the log and a point of metrics; the next has nothing to do until the month is over", async ({
    expect,
  }) => {
    const { lines, entry, play } = shop();
    keepMonths(undefined);
    await mustFeed([...lines, entry("5.00", OLD), play("1", OLD)]);
    keepMonths(1);
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    const points = recordMetrics();

    await seal();
    await seal();

    stopMetrics();
    const bytes = await value("SELECT sum(bytes) FROM history_segments");
    expect(log.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
      {
        ...{ schedule: "*/10 7-10 * * *", work: "seal history", milliseconds: expect.any(Number) },
        ...{ segments: 2, sealed: 2, bytes, behindDays: 0 },
      },
    ]);
    expect(points).toMatchObject([
      { work: "seal history", programs: 1, failures: 0, sealed: 2, behindDays: 0 },
      { sealed: 0, failures: 0 },
    ]);
  });

  it("that moves each night is not behind, however many nights it takes", async ({ expect }) => {
    const { lines, entry } = shop();
    keepMonths(undefined);
    await mustFeed([...lines, ...Array.from({ length: 6 }, () => entry("5.00", OLD))]);
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});

    for (const day of [10, 11, 12, 13, 14]) {
      await goTo(`2026-06-${day} 07:00:00`);
      await sealInPart(2);
    }

    expect(warn).not.toHaveBeenCalled();
    expect((await segments()).length).toBeGreaterThan(3);
  });

  it("says in a line of its own which kinds have been behind for three days, over the end of a month too", async ({
    expect,
  }) => {
    const { lines, entry } = shop();
    keepMonths(undefined);
    await mustFeed([...lines, entry("5.00", OLD)]);
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const points = recordMetrics();
    const put = () => Promise.reject(new Error("put: Unspecified error (0)"));

    for (const day of ["06-28", "06-30", "07-01", "07-02"]) {
      await goTo(`2026-${day} 07:00:00`);
      keepMonths(1, bucketWith({ put }));
      await expect(seal()).rejects.toThrow("Unspecified");
    }

    stopMetrics();
    expect(warn.mock.calls.map(([line]) => JSON.parse(line))).toMatchObject([
      { warning: "HISTORY_BEHIND", days: 3, kinds: ["balance_entry"] },
      { warning: "HISTORY_BEHIND", days: 4 },
    ]);
    expect(points.map(({ behindDays, failures }) => [behindDays, failures])).toEqual([
      [0, 1],
      [2, 1],
      [3, 1],
      [4, 1],
    ]);
  });
});
