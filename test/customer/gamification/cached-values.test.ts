import { beforeEach, describe, it, vi } from "vitest";
import { background } from "../../../src/app-env.ts";
import { type CacheAccess, CachedValues } from "../../../src/customer/gamification/cached-values.ts";
import { clock } from "../../../src/values/clock.ts";
import { countOwnTime, waitUntil } from "../../support/wait.ts";

const START = Date.UTC(2026, 4, 10, 12);
const FRESH_SECONDS = 30;
const ABANDONED_AFTER_MS = 6_000;
const PATIENCE_MS = 300;
const MARGIN_MS = 150; // for a busy machine

let now = START;
/** The waits of requests for another request's refresh: the longest time, and a function that ends the wait. */
let pauses: { milliseconds: number; end: () => void }[] = [];

beforeEach(() => {
  now = START;
  pauses = [];
  vi.spyOn(clock, "now").mockImplementation(() => now);
  vi.spyOn(clock, "pause").mockImplementation(
    (milliseconds) => new Promise((resolve) => pauses.push({ milliseconds, end: resolve })),
  );
});

const pass = (seconds: number) => {
  now += seconds * 1_000;
};

/** The cached values of a new isolate, with nothing in memory. */
const newIsolate = () => new CachedValues();
const loadOf = (value: string) => vi.fn(async () => value);
const failingLoad = () => Promise.reject<never>(new Error("no database"));

/** A load that ends when the test calls `end`. */
function slowLoad() {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { load: vi.fn(() => promise), end: resolve };
}

/** A KV in memory, whose operations a test can make fail. `settle` waits for the work in the background. */
function cacheWithKv() {
  const stored = new Map<string, { value: string; metadata: unknown }>();
  const backgroundWork: Promise<unknown>[] = [];
  const kv = {
    getWithMetadata: vi.fn(
      async (key: string, _options?: unknown): Promise<unknown> => stored.get(key) ?? { value: null, metadata: null },
    ),
    put: vi.fn(
      async (key: string, value: string, { metadata }: { metadata: unknown }) =>
        void stored.set(key, { value, metadata }),
    ),
  };
  const context = { waitUntil: (work: Promise<unknown>) => void backgroundWork.push(work) };
  const cache: CacheAccess = {
    kv: kv as unknown as KVNamespace,
    inBackground: (work) => background.run({ executionCtx: context as ExecutionContext }, work),
  };
  const settle = async () => {
    while (backgroundWork.length > 0) await backgroundWork.shift();
  };
  const read = async (values: CachedValues, load: () => Promise<string | null>) =>
    (await values.read(cache, "k", load)).value;
  const inKv = () => stored.get("k");
  return { kv, cache, settle, read, inKv };
}

/** The KV, and an isolate that loaded "one" this many seconds ago. KV has that value too. */
async function loadedBefore(seconds: number) {
  const cacheAndKv = cacheWithKv();
  const values = newIsolate();
  await values.read(cacheAndKv.cache, "k", loadOf("one"));
  await cacheAndKv.settle();
  pass(seconds);
  return { ...cacheAndKv, values };
}

describe("the age of a cached value", () => {
  it("counts from before the source was asked, not from its answer", async ({ expect }) => {
    const { cache, settle, read } = cacheWithKv();
    const values = newIsolate();
    const { load, end } = slowLoad();
    const first = values.read(cache, "k", load);
    await waitUntil(() => load.mock.calls.length > 0);
    pass(10);
    end("one");
    expect(await first).toEqual({ value: "one", at: START, foundIn: "primary" });
    await settle();
    pass(21);

    // Null replaces the old value in the answer, but is not cached.
    for (const isolate of [values, newIsolate()]) expect(await read(isolate, async () => null)).toBeNull();
  });

  it("counts although KV answers an old value for ever", async ({ expect }) => {
    const { kv, cache, inKv } = await loadedBefore(0);
    kv.getWithMetadata.mockResolvedValue(inKv());
    const isolates = [newIsolate(), newIsolate()];
    const loadedAt: number[] = [];

    for (let second = 1; second <= 100; second += 1) {
      pass(1);
      for (const values of isolates) {
        const { value, at } = await values.read(cache, "k", async () => {
          loadedAt.push(second);
          return String(second);
        });
        const loadedSecond = value === "one" ? 0 : Number(value);
        expect(second - loadedSecond).toBeLessThanOrEqual(FRESH_SECONDS);
        expect(now - at).toBe((second - loadedSecond) * 1_000);
      }
    }
    // Each isolate loads when its value is 31 seconds old, and not before.
    expect(loadedAt).toEqual([31, 62, 93].flatMap((second) => [second, second]));
  });

  it.for([
    ["is from the future, by another clock or a mistake", { at: START + 1 }],
    ...[7, "one", [], {}, null, { at: "now" }].map((metadata) => ["has no time", metadata] as const),
  ] as const)("is unknown, and the value is loaded, where the entry in KV %s: %j", async ([, metadata], { expect }) => {
    const { kv, settle, read } = cacheWithKv();
    kv.getWithMetadata.mockResolvedValue({ value: "one", metadata });

    expect(await read(newIsolate(), loadOf("two"))).toBe("two");
    await settle();
    expect(kv.put.mock.calls[0]?.slice(1)).toEqual(["two", expect.objectContaining({ metadata: { at: START } })]);
  });
});

describe("a refresh", () => {
  it("runs once for all who wait for it, and stores the value in KV for a week", async ({ expect }) => {
    const { kv, settle, read } = cacheWithKv();
    const [values, load] = [newIsolate(), loadOf("one")];

    const answers = await Promise.all(Array.from({ length: 100 }, () => read(values, load)));
    await settle();

    expect(new Set(answers)).toEqual(new Set(["one"]));
    expect(load).toHaveBeenCalledTimes(1);
    expect(kv.put).toHaveBeenCalledTimes(1);
    expect(kv.put.mock.calls[0]?.[2]).toEqual({ expirationTtl: 604_800, metadata: { at: START } });
  });

  it("that is slow delays one request by 300 ms if there is an old value, and no later one", async ({ expect }) => {
    countOwnTime();
    const { kv, cache, settle, values, read, inKv } = await loadedBefore(31);
    const { load, end } = slowLoad();

    const startedAt = performance.now();
    const first = await values.read(cache, "k", load);
    const milliseconds = performance.now() - startedAt;
    pass(1);
    kv.getWithMetadata.mockClear();
    const laterAnswers = await Promise.all(Array.from({ length: 20 }, () => read(values, load)));
    const kvReadsLater = kv.getWithMetadata.mock.calls.length;
    end("two");
    await settle();

    expect(first).toEqual({ value: "one", at: START, foundIn: "kv" });
    expect(milliseconds).toBeGreaterThanOrEqual(PATIENCE_MS - 10);
    expect(milliseconds).toBeLessThan(PATIENCE_MS + MARGIN_MS);
    expect(new Set(laterAnswers)).toEqual(new Set(["one"]));
    expect(kvReadsLater).toBe(0);
    expect(load).toHaveBeenCalledTimes(1);
    expect(await read(values, failingLoad)).toBe("two");
    expect(inKv()?.value).toBe("two");
  });

  it("that never ends because its request was cancelled is replaced after six seconds", async ({ expect }) => {
    const { values, read } = await loadedBefore(31);
    await read(values, slowLoad().load);
    pass(6);

    expect(await read(values, loadOf("two"))).toBe("two");
  });

  it("that never ends is replaced by another, for which all requests wait", async ({ expect }) => {
    const { cache, read } = cacheWithKv();
    const values = newIsolate();
    const abandoned = slowLoad();
    void values.read(cache, "k", abandoned.load);
    await waitUntil(() => abandoned.load.mock.calls.length > 0);
    pass(3);
    const load = loadOf("two");
    const reads = Array.from({ length: 20 }, () => read(values, load));
    await waitUntil(() => pauses.length === 20);
    expect(pauses.map(({ milliseconds }) => milliseconds)).toEqual(Array(20).fill(ABANDONED_AFTER_MS - 3_000));

    pass(3);
    for (const { end } of pauses) end();

    expect(new Set(await Promise.all(reads))).toEqual(new Set(["two"]));
    expect(load).toHaveBeenCalledTimes(1);
    expect(await read(values, failingLoad)).toBe("two");
  });

  it("that ends long after it was abandoned does not replace a value that was loaded since", async ({ expect }) => {
    const { settle, read, inKv } = cacheWithKv();
    const values = newIsolate();
    const abandoned = slowLoad();
    const first = read(values, abandoned.load);
    await waitUntil(() => abandoned.load.mock.calls.length > 0);
    pass(6);
    await read(values, loadOf("new"));
    abandoned.end("old");
    await first;
    await settle();

    expect(await read(values, failingLoad)).toBe("new");
    expect(inKv()?.value).toBe("new");
  });
});

describe("when something fails", () => {
  it("the value is loaded if KV cannot be read, and afterwards memory answers", async ({ expect }) => {
    const { kv, settle, read } = cacheWithKv();
    kv.getWithMetadata.mockRejectedValue(new Error("KV GET failed: 500"));
    const values = newIsolate();

    expect(await read(values, loadOf("one"))).toBe("one");
    expect(await read(values, failingLoad)).toBe("one");
    pass(31);
    expect(await read(values, loadOf("two"))).toBe("two");
    await settle();
    expect(kv.put).toHaveBeenCalledTimes(2);
  });

  it.for([
    ["a second where memory has nothing", 1_000, async () => ({ ...cacheWithKv(), values: newIsolate() })],
    ["300 ms where memory has an old value", PATIENCE_MS, () => loadedBefore(31)],
  ] as const)("KV that hangs is waited for: %s", async ([, milliseconds, begin], { expect }) => {
    const { kv, read, values } = await begin();
    kv.getWithMetadata.mockReturnValue(new Promise(() => {}));
    vi.useFakeTimers();
    const load = loadOf("two");
    const answer = read(values, load);

    await vi.advanceTimersByTimeAsync(milliseconds - 1);
    const callsBefore = load.mock.calls.length;
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();

    expect(callsBefore).toBe(0);
    expect(await answer).toBe("two");
  });

  it.for([
    ["and the failure is logged", "500 Internal Server Error", ['{"error":"BACKGROUND_WORK","cause":"Error"}']],
    ["and a write too soon after another is not logged", "429 Too Many Requests", []],
  ] as const)(
    "the value is answered although no write ever succeeds, %s",
    async ([, failure, logLines], { expect }) => {
      const { kv, settle, read } = cacheWithKv();
      kv.put.mockRejectedValue(new Error(`KV PUT failed: ${failure}`));
      const log = vi.spyOn(console, "log").mockImplementation(() => {});

      expect(await read(newIsolate(), loadOf("one"))).toBe("one");
      await settle();

      expect(kv.put).toHaveBeenCalledTimes(1);
      expect(log.mock.calls.flat()).toEqual(logLines);
    },
  );
});

describe("cached values", () => {
  it("are not replaced in memory by an older value from KV", async ({ expect }) => {
    const { kv, values, read } = await loadedBefore(31);
    await read(values, loadOf("new"));
    kv.getWithMetadata.mockResolvedValue({ value: "old", metadata: { at: START } });
    pass(31);

    expect(await read(values, failingLoad)).toBe("new");
  });

  it("are read from KV once in thirty seconds, and KV's edge may cache them for that long", async ({ expect }) => {
    const { kv, read } = await loadedBefore(0);
    kv.getWithMetadata.mockClear();
    const values = newIsolate();

    for (let second = 0; second <= FRESH_SECONDS; second += 1, pass(1)) await read(values, failingLoad);

    expect(kv.getWithMetadata.mock.calls).toEqual([["k", { type: "text", cacheTtl: FRESH_SECONDS }]]);
  });

  it("are at most 8 MiB in memory: the values that were used least recently are removed", async ({ expect }) => {
    const { kv, cache, settle } = cacheWithKv();
    const values = newIsolate();
    const text = "\u{1f600}".repeat(256 * 1_024 - 128);
    for (let number = 0; number < 20; number += 1) await values.read(cache, `k${number}`, loadOf(text));
    await settle();
    kv.getWithMetadata.mockClear();

    for (const key of ["k19", "k12"]) await values.read(cache, key, failingLoad);
    expect(kv.getWithMetadata).not.toHaveBeenCalled();
    await values.read(cache, "k11", failingLoad);
    expect(kv.getWithMetadata).toHaveBeenCalledTimes(1);
  });

  it("whose requests were cancelled while they loaded are not kept", async ({ expect }) => {
    const { cache } = cacheWithKv();
    const values = newIsolate();
    const keys = Array.from({ length: 100 }, (_, number) => `k${number}`);
    const load = vi.fn(() => new Promise<string>(() => {}));
    for (const key of keys) void values.read(cache, key, load);
    await waitUntil(() => load.mock.calls.length === keys.length);
    const forget = vi.spyOn(Map.prototype, "delete");

    pass(6);
    await values.read(cache, "k", loadOf("one"));

    expect(forget.mock.calls.flat()).toEqual(expect.arrayContaining(keys));
  });
});
