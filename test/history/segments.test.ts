import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { mustFeed, ndjson } from "../support/api.ts";
import { differences } from "../support/differences.ts";
import {
  beginNight,
  bucketWith,
  endNight,
  keepMonths,
  linesOf,
  OLD,
  objects,
  seal,
  sealCutOff,
  segments,
  shop,
  storedIds,
} from "./support.ts";

// Rules of docs/contract/history.md, 2: what a segment and its object are.

beforeEach(() => beginNight());
afterEach(endNight);

describe("a segment", () => {
  it("has at most 2,000 events, so that others wait for less than 50 ms", async ({ expect }) => {
    const { lines, entry } = shop();
    keepMonths(undefined);
    await mustFeed([...lines, entry("1.00", OLD)]);
    await mustFeed(Array.from({ length: 4_000 }, () => entry("1.00", OLD)));
    keepMonths(1);

    await seal();

    expect((await segments()).map(({ number, lines: count }) => [number, count])).toEqual([
      [1, 2_000],
      [2, 2_000],
      [3, 1],
    ]);
    expect(await differences()).toEqual([]);
  });

  it("has at most 2 MiB of lines", async ({ expect }) => {
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
    expect(counts.reduce((sum, count) => sum + count)).toBe(1_200 - 20);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2 * 1024 * 1024);
    expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(1.9 * 1024 * 1024);
  });

  it("is called by its kind, the horizon's month and a number", async ({ expect }) => {
    const { lines, entry, play } = shop();
    const events = [...lines, entry("5.00", OLD), play("1", OLD)];
    keepMonths(undefined);
    await mustFeed(events);
    keepMonths(1);

    await seal();

    expect(await objects()).toEqual(["balance_entry/2026-05/1.ndjson.gz", "play/2026-05/1.ndjson.gz"]);
  });

  it("takes the next number where another object has its name, and overwrites nothing", async ({ expect }) => {
    const { lines, entry } = shop();
    const name = "balance_entry/2026-05/1.ndjson.gz";
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
    const folder = "balance_entry/2026-05/";
    for (let number = 1; number <= 12; number += 1) await env.TEST_HISTORY.put(`${folder}${number}.ndjson.gz`, "");
    keepMonths(undefined);
    await mustFeed([...lines, entry("5.00", OLD)]);
    const calls: string[] = [];
    const { TEST_HISTORY: bucket } = env;
    const noted = bucketWith({
      put: (...given) => {
        calls.push(`put ${given[0].slice(folder.length)}`);
        return bucket.put(...given);
      },
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

describe("a bucket", () => {
  it("is marked with the name of the Worker that seals into it first", async ({ expect }) => {
    const { lines, entry } = shop();
    keepMonths(undefined);
    await mustFeed([...lines, entry("5.00", OLD)]);
    keepMonths(1);
    await env.TEST_HISTORY.delete("owner");

    await seal();

    expect(await (await env.TEST_HISTORY.get("owner"))?.text()).toBe("loyalty-edge");
  });

  it("of another deployment gets nothing, and the run says whose it is", async ({ expect }) => {
    const { lines, entry } = shop();
    keepMonths(undefined);
    await mustFeed([...lines, entry("5.00", OLD)]);
    keepMonths(1);
    await env.TEST_HISTORY.put("owner", "loyalty-edge-acme");
    const error = vi.spyOn(console, "error").mockReturnValue();

    await expect(seal()).rejects.toThrow("belongs to loyalty-edge-acme");

    expect(await objects()).toEqual([]);
    expect(await segments()).toEqual([]);
    expect(await storedIds()).toHaveLength(1);
    expect(error.mock.calls.map(([line]) => JSON.parse(line))).toMatchObject([
      { work: "seal history", error: "JOB_FAILED", cause: "ForeignBucket" },
    ]);
  });
});
