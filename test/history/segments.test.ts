import { env } from "cloudflare:workers";
import { beforeEach, describe, it, vi } from "vitest";
import { ndjson } from "../support/api.ts";
import { databaseThrough } from "../support/databases.ts";
import { setVariables } from "../support/variables.ts";
import {
  bucketWith,
  feedOld,
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

// Segments, which are files of old events, and their objects in R2 (docs/contract/history.md, 2).

beforeEach(() => setUpHistory());

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
  it("are skipped in eight calls of R2, and a step that is repeated finds its own object", async ({ expect }) => {
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
      list: (options) => {
        calls.push("list");
        // With this limit, the objects have three pages, as thousands of objects would have.
        return bucket.list({ ...options, limit: 5 });
      },
    });
    keepMonths(1, recordingBucket);

    await expect(sealWithoutDelete()).rejects.toThrow();
    const callsOfFirstRun = calls.splice(0);
    await seal();

    // After the list, the step first tries the largest number: the object may be its own, from a run that was cut off.
    const callsToSkip = ["put 1.ndjson.gz", "head 1.ndjson.gz", "list", "list", "list"];
    expect(callsOfFirstRun).toEqual([...callsToSkip, "put 12.ndjson.gz", "head 12.ndjson.gz", "put 13.ndjson.gz"]);
    expect(calls).toEqual([...callsToSkip, "put 13.ndjson.gz", "head 13.ndjson.gz"]);
    expect((await segments()).map(({ number }) => number)).toEqual([13]);
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
