import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { background } from "../../../src/app-env.ts";
import { type CacheAccess, CachedValues } from "../../../src/customer/gamification/cached-values.ts";
import { clock } from "../../../src/values/clock.ts";
import { countOwnTime, waitUntil } from "../../support/wait.ts";

const START = Date.UTC(2026, 4, 10, 12);
const ABANDONED_AFTER_MS = 6_000;

let now = START;
let pauses: number[] = [];

beforeEach(() => {
  now = START;
  pauses = [];
  vi.spyOn(clock, "now").mockImplementation(() => now);
  // Whoever waits for another's refresh waits until a test says otherwise.
  vi.spyOn(clock, "pause").mockImplementation(async (milliseconds) => {
    pauses.push(milliseconds);
    await new Promise(() => {});
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const pass = (seconds: number) => {
  now += seconds * 1_000;
};

/** A KV in memory whose operations can be made to fail, and the work in the background. */
function room() {
  const stored = new Map<string, string>();
  const running: Promise<unknown>[] = [];
  const kv = {
    get: vi.fn(async (key: string, _options?: unknown) => JSON.parse(stored.get(key) ?? "null")),
    put: vi.fn(async (key: string, value: string, _options?: unknown) => void stored.set(key, value)),
  };
  const context = { waitUntil: (work: Promise<unknown>) => void running.push(work) };
  const cache: CacheAccess = {
    kv: kv as unknown as KVNamespace,
    inBackground: (work) => background.run({ executionCtx: context as ExecutionContext }, work),
  };
  const settle = async () => {
    while (running.length > 0) await running.shift();
  };
  const inKv = (name: string) => JSON.parse(stored.get(name) ?? "null");
  return { kv, cache, settle, inKv };
}

/** What another isolate has at hand: the same KV, and nothing in memory. */
const isolate = () => new CachedValues<string>();

const loading = (value: string) => vi.fn(async () => ({ value, cacheable: true }));
const failing = () =>
  vi.fn(async (): Promise<never> => {
    throw new Error("no database");
  });

/** A load that ends when the test says so. */
function slowLoad() {
  const { promise, resolve } = Promise.withResolvers<{ value: string; cacheable: boolean }>();
  return { load: vi.fn(() => promise), end: (value: string) => resolve({ value, cacheable: true }) };
}

describe("the age of a cached value", () => {
  it("has one age in memory and in KV: it does not start again when a board is read from KV", async ({ expect }) => {
    const { cache, settle } = room();
    await isolate().read(cache, "k", loading("one"));
    await settle();
    pass(20);
    const values = isolate();
    expect((await values.read(cache, "k", failing())).value).toBe("one");
    pass(11);

    expect((await values.read(cache, "k", loading("two"))).value).toBe("two");
  });

  it("counts from before the source was asked, not from its answer", async ({ expect }) => {
    const { cache, settle } = room();
    const values = isolate();
    const { load, end } = slowLoad();
    const read = values.read(cache, "k", load);
    await waitUntil(() => load.mock.calls.length > 0);
    pass(10);
    end("one");
    expect(await read).toEqual({ value: "one", at: START, foundIn: "source" });
    await settle();
    pass(21);

    const anew = async () => ({ value: "two", cacheable: false });
    expect((await values.read(cache, "k", anew)).value).toBe("two");
    expect((await isolate().read(cache, "k", anew)).value).toBe("two");
  });

  it("decides although KV answers an old value for ever", async ({ expect }) => {
    const { kv, cache, settle, inKv } = room();
    await isolate().read(cache, "k", loading("0"));
    await settle();
    kv.get.mockResolvedValue(inKv("k"));
    const [one, other] = [isolate(), isolate()];
    const loadedAt: number[] = [];

    for (let second = 1; second <= 300; second += 1) {
      pass(1);
      for (const values of [one, other]) {
        const { value, at } = await values.read(cache, "k", async () => {
          loadedAt.push(second);
          return { value: String(second), cacheable: true };
        });
        expect(second - Number(value)).toBeLessThanOrEqual(30);
        expect(now - at).toBe((second - Number(value)) * 1_000);
      }
    }
    // Each isolate for itself, and no more often than it must.
    expect(loadedAt).toEqual([31, 62, 93, 124, 155, 186, 217, 248, 279].flatMap((second) => [second, second]));
  });

  it("in the future, by another clock or a mistake, counts as no value", async ({ expect }) => {
    const { kv, cache, settle, inKv } = room();
    await kv.put("k", JSON.stringify({ value: "of tomorrow", at: START + 86_400_000 }));

    expect((await isolate().read(cache, "k", loading("one"))).value).toBe("one");
    await settle();
    expect(inKv("k")).toEqual({ value: "one", at: START });
    expect(kv.put).toHaveBeenCalledTimes(2);
  });

  it("that KV does not know is no value", async ({ expect }) => {
    const { kv, cache } = room();

    for (const nonsense of [7, "one", [], {}, { value: "one" }, { value: "one", at: "now" }]) {
      kv.get.mockResolvedValue(nonsense);
      expect((await isolate().read(cache, "k", loading("two"))).value).toBe("two");
    }
  });
});

describe("a refresh", () => {
  it("runs once for however many wait for it, and fills KV for its time", async ({ expect }) => {
    const { kv, cache, settle } = room();
    const values = isolate();
    const load = loading("one");

    const read = await Promise.all(Array.from({ length: 100 }, () => values.read(cache, "k", load)));
    await settle();

    expect(new Set(read.map(({ value }) => value))).toEqual(new Set(["one"]));
    expect(load).toHaveBeenCalledTimes(1);
    expect(kv.put).toHaveBeenCalledTimes(1);
    expect(kv.put.mock.calls[0]?.[2]).toEqual({ expirationTtl: 604_800 });
  });

  it("runs once while the value is old, too: nobody is answered the old one where it ends in time", async ({
    expect,
  }) => {
    const { cache, settle } = room();
    const values = isolate();
    await values.read(cache, "k", loading("one"));
    await settle();
    pass(31);
    const { load, end } = slowLoad();
    const reads = Array.from({ length: 20 }, () => values.read(cache, "k", load));
    await waitUntil(() => pauses.length === 19);
    end("two");

    expect(new Set((await Promise.all(reads)).map(({ value }) => value))).toEqual(new Set(["two"]));
    expect(load).toHaveBeenCalledTimes(1);
  });

  it("that is slow is not waited for longer than 300 ms by anybody who can be answered with an old value", async ({
    expect,
  }) => {
    countOwnTime();
    const { kv, cache, settle, inKv } = room();
    const values = isolate();
    await values.read(cache, "k", loading("one"));
    await settle();
    pass(31);
    const { load, end } = slowLoad();

    const startedAt = performance.now();
    const first = await values.read(cache, "k", load);
    const milliseconds = performance.now() - startedAt;
    pass(1);
    kv.get.mockClear();
    const later = await Promise.all(Array.from({ length: 20 }, () => values.read(cache, "k", load)));
    const laterAsked = kv.get.mock.calls.length;
    end("two");
    await settle();

    expect(first).toEqual({ value: "one", at: START, foundIn: "kv" });
    expect(milliseconds).toBeGreaterThanOrEqual(290);
    expect(milliseconds).toBeLessThan(450);
    expect(new Set(later.map(({ value }) => value))).toEqual(new Set(["one"]));
    expect(laterAsked).toBe(0);
    expect(load).toHaveBeenCalledTimes(1);
    expect((await values.read(cache, "k", failing())).value).toBe("two");
    expect(inKv("k").value).toBe("two");
  });

  it("that was cancelled does not leave the old value there for ever", async ({ expect }) => {
    const { cache, settle } = room();
    const values = isolate();
    await values.read(cache, "k", loading("one"));
    await settle();
    pass(31);
    await values.read(cache, "k", slowLoad().load);
    pass(6);

    expect((await values.read(cache, "k", loading("two"))).value).toBe("two");
  });

  it("of one value does not wait for that of another", async ({ expect }) => {
    const { cache } = room();
    const values = isolate();
    void values.read(cache, "slow", slowLoad().load);

    expect((await values.read(cache, "k", loading("one"))).value).toBe("one");
  });

  it("that never ends, because its request was cancelled, is replaced by one that all others wait for", async ({
    expect,
  }) => {
    const { cache } = room();
    const values = isolate();
    const abandoned = slowLoad();
    const waiting: (() => void)[] = [];
    vi.mocked(clock.pause).mockImplementation((milliseconds) => {
      pauses.push(milliseconds);
      return new Promise((resolve) => waiting.push(resolve));
    });
    void values.read(cache, "k", abandoned.load);
    await waitUntil(() => abandoned.load.mock.calls.length > 0);
    pass(3);
    const load = loading("two");
    const reads = Array.from({ length: 20 }, () => values.read(cache, "k", load));
    await waitUntil(() => waiting.length === 20);
    expect(pauses).toEqual(Array(20).fill(ABANDONED_AFTER_MS - 3_000));

    pass(3);
    for (const resume of waiting) resume();

    expect(new Set((await Promise.all(reads)).map(({ value }) => value))).toEqual(new Set(["two"]));
    expect(load).toHaveBeenCalledTimes(1);
    expect((await values.read(cache, "k", failing())).value).toBe("two");
  });

  it("that ends long after it was given up does not replace what was loaded since", async ({ expect }) => {
    const { cache, settle, inKv } = room();
    const values = isolate();
    const abandoned = slowLoad();
    const first = values.read(cache, "k", abandoned.load);
    await waitUntil(() => abandoned.load.mock.calls.length > 0);
    pass(6);
    await values.read(cache, "k", loading("new"));
    abandoned.end("old");
    await first;
    await settle();

    expect((await values.read(cache, "k", failing())).value).toBe("new");
    expect(inKv("k").value).toBe("new");
  });
});

describe("of two cached values", () => {
  it("memory keeps the newer one, whatever KV answers later", async ({ expect }) => {
    const { kv, cache, settle } = room();
    await isolate().read(cache, "k", loading("old"));
    await settle();
    const values = isolate();
    pass(31);
    await values.read(cache, "k", loading("new"));
    kv.get.mockResolvedValue({ value: "old", at: START });
    pass(31);

    expect((await values.read(cache, "k", failing())).value).toBe("new");
  });
});

describe("when something fails", () => {
  it("KV that cannot be read has the source asked, and memory answers afterwards", async ({ expect }) => {
    const { kv, cache, settle } = room();
    kv.get.mockRejectedValue(new Error("KV GET failed: 500"));
    const values = isolate();

    expect((await values.read(cache, "k", loading("one"))).value).toBe("one");
    expect((await values.read(cache, "k", failing())).value).toBe("one");
    pass(31);
    expect((await values.read(cache, "k", loading("two"))).value).toBe("two");
    await settle();
    expect(kv.put).toHaveBeenCalledTimes(2);
  });

  it("KV that has not answered within a second has the source asked", async ({ expect }) => {
    const { kv, cache } = room();
    kv.get.mockReturnValue(new Promise(() => {}));
    vi.useFakeTimers();
    const load = loading("one");
    const read = isolate().read(cache, "k", load);

    await vi.advanceTimersByTimeAsync(999);
    const early = load.mock.calls.length;
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();

    expect(early).toBe(0);
    expect((await read).value).toBe("one");
  });

  it("KV that hangs is not waited for longer than 300 ms where memory has an old value", async ({ expect }) => {
    countOwnTime();
    const { kv, cache, settle } = room();
    const values = isolate();
    await values.read(cache, "k", loading("one"));
    await settle();
    pass(31);
    kv.get.mockReturnValue(new Promise(() => {}));

    const startedAt = performance.now();
    expect((await values.read(cache, "k", loading("two"))).value).toBe("two");
    expect(performance.now() - startedAt).toBeLessThan(450);
  });

  it.for([
    ["and the log says so", "500 Internal Server Error", ['{"error":"BACKGROUND_WORK","cause":"Error"}']],
    ["nor is that logged where it came within a second of another", "429 Too Many Requests", []],
  ] as const)("the value is answered although no write ever succeeds, %s", async ([, failure, logged], { expect }) => {
    const { kv, cache, settle } = room();
    kv.put.mockRejectedValue(new Error(`KV PUT failed: ${failure}`));
    const log = vi.spyOn(console, "log").mockImplementation(() => {});

    expect((await isolate().read(cache, "k", loading("one"))).value).toBe("one");
    await settle();

    expect(kv.put).toHaveBeenCalledTimes(1);
    expect(log.mock.calls.flat()).toEqual(logged);
  });

  it("the last value of any age answers, from KV or memory, and says its age", async ({ expect }) => {
    const { kv, cache, settle } = room();
    const values = isolate();
    await values.read(cache, "k", loading("one"));
    await settle();
    pass(6 * 24 * 60 * 60);

    expect(await isolate().read(cache, "k", failing())).toEqual({ value: "one", at: START, foundIn: "kv" });
    kv.get.mockRejectedValue(new Error("KV GET failed: 500"));
    expect(await values.read(cache, "k", failing())).toEqual({ value: "one", at: START, foundIn: "memory" });
    await settle();
  });
});

describe("cached values", () => {
  it("do not hold what is not to be cached", async ({ expect }) => {
    const { kv, cache, settle } = room();
    const values = isolate();

    await values.read(cache, "k", async () => ({ value: "made up", cacheable: false }));
    await settle();

    expect((await values.read(cache, "k", loading("one"))).value).toBe("one");
    await settle();
    expect(kv.put).toHaveBeenCalledTimes(1);
  });

  it("ask KV once in thirty seconds, and its edge for no older answer than that", async ({ expect }) => {
    const { kv, cache, settle } = room();
    await isolate().read(cache, "k", loading("one"));
    await settle();
    kv.get.mockClear();
    const values = isolate();

    for (let second = 0; second <= 30; second += 1, pass(1)) await values.read(cache, "k", failing());

    expect(kv.get.mock.calls).toEqual([["k", { type: "json", cacheTtl: 30 }]]);
  });

  it("stay in bounds in memory: those remembered longest ago are forgotten", async ({ expect }) => {
    const { kv, cache, settle } = room();
    const values = isolate();
    for (let number = 0; number < 100; number += 1) await values.read(cache, `k${number}`, loading("one"));
    await settle();
    kv.get.mockClear();

    await values.read(cache, "k99", failing());
    await values.read(cache, "k36", failing());
    expect(kv.get).not.toHaveBeenCalled();
    await values.read(cache, "k35", failing());
    expect(kv.get).toHaveBeenCalledTimes(1);
  });
});
