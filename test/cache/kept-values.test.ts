import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { Cache } from "../../src/cache/cache.ts";
import { clock } from "../../src/cache/clock.ts";
import { KeptValues } from "../../src/cache/kept-values.ts";

const RULES = { freshSeconds: 30, usableSeconds: 600, keepSeconds: 604_800 };
const START = Date.UTC(2026, 4, 10, 12);

let now = START;
let pauses: number[] = [];
let isPatient = true;

beforeEach(() => {
  now = START;
  pauses = [];
  isPatient = true;
  vi.spyOn(clock, "now").mockImplementation(() => now);
  vi.spyOn(clock, "pause").mockImplementation(async (milliseconds) => {
    pauses.push(milliseconds);
    if (milliseconds >= 5_000 && isPatient) await new Promise(() => {});
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const pass = (seconds: number) => {
  now += seconds * 1_000;
};

/** A KV in memory whose operations can be made to fail, and what goes on behind answers. */
function room() {
  const stored = new Map<string, string>();
  const behind: Promise<unknown>[] = [];
  const kv = {
    get: vi.fn(async (key: string) => JSON.parse(stored.get(key) ?? "null")),
    put: vi.fn(async (key: string, value: string, _options: unknown) => void stored.set(key, value)),
  };
  const cache = new Cache(kv as unknown as KVNamespace, (work) => behind.push(work));
  const settle = async () => {
    while (behind.length > 0) await behind.shift();
  };
  return { kv, cache, settle };
}

const making = (value: string) => vi.fn(async () => ({ value, keep: true }));
const failing = () =>
  vi.fn(async (): Promise<never> => {
    throw new Error("no database");
  });

describe("kept values", () => {
  it("makes a value once, for however many wait for it, and keeps it in KV for its time", async ({ expect }) => {
    const { kv, cache, settle } = room();
    const values = new KeptValues<string>(RULES);
    const make = making("one");

    const read = await Promise.all(Array.from({ length: 100 }, () => values.read(cache, "k", make)));
    await settle();

    expect(new Set(read.map(({ value }) => value))).toEqual(new Set(["one"]));
    expect(make).toHaveBeenCalledTimes(1);
    expect(kv.put).toHaveBeenCalledTimes(1);
    expect(kv.put.mock.calls[0]?.[2]).toEqual({ expirationTtl: 604_800 });
  });

  it("answers from memory for thirty seconds without asking KV", async ({ expect }) => {
    const { kv, cache } = room();
    const values = new KeptValues<string>(RULES);
    await values.read(cache, "k", making("one"));
    pass(30);

    expect(await values.read(cache, "k", failing())).toEqual({ value: "one", at: START });
    expect(kv.get).toHaveBeenCalledTimes(1);
  });

  it("asks KV once in thirty seconds for what another isolate has made", async ({ expect }) => {
    const { kv, cache, settle } = room();
    await new KeptValues<string>(RULES).read(cache, "k", making("one"));
    await settle();
    const values = new KeptValues<string>(RULES);

    await values.read(cache, "k", failing());
    pass(30);
    await values.read(cache, "k", failing());

    // One by the isolate that made it.
    expect(kv.get).toHaveBeenCalledTimes(2);
  });

  it("never goes back to an older value that it has read of KV", async ({ expect }) => {
    const { cache, settle } = room();
    await new KeptValues<string>(RULES).read(cache, "k", making("old"));
    await settle();
    const values = new KeptValues<string>(RULES);
    await values.read(cache, "k", failing());
    pass(1);

    values.keep(cache, "k", { value: "new", at: now });

    expect(await values.read(cache, "k", failing())).toEqual({ value: "new", at: now });
  });

  it("does not forget what it has made for what it reads of KV", async ({ expect }) => {
    const { cache, settle } = room();
    const others = new KeptValues<string>(RULES);
    for (let number = 0; number < 100; number += 1) await others.read(cache, `other ${number}`, making("other"));
    await others.read(cache, "k", making("old"));
    await settle();
    pass(1);
    const values = new KeptValues<string>(RULES);
    values.keep(new Cache({ put: async () => {} } as unknown as KVNamespace, () => {}), "k", { value: "new", at: now });

    for (let number = 0; number < 100; number += 1) await values.read(cache, `other ${number}`, failing());

    expect((await values.read(cache, "k", failing())).value).toBe("new");
  });

  it("answers what another isolate has kept in KV", async ({ expect }) => {
    const { cache, settle } = room();
    await new KeptValues<string>(RULES).read(cache, "k", making("one"));
    await settle();
    pass(30);

    expect((await new KeptValues<string>(RULES).read(cache, "k", failing())).value).toBe("one");
  });

  it("answers a value of up to ten minutes as it is, while it is made anew once behind the answer", async ({
    expect,
  }) => {
    const { cache, settle } = room();
    await new KeptValues<string>(RULES).read(cache, "k", making("one"));
    await settle();
    pass(600);
    const values = new KeptValues<string>(RULES);
    const make = making("two");

    const read = await Promise.all(Array.from({ length: 20 }, () => values.read(cache, "k", make)));
    await settle();

    expect(read.every(({ value, at }) => value === "one" && at === START)).toBe(true);
    expect(make).toHaveBeenCalledTimes(1);
    expect((await values.read(cache, "k", failing())).value).toBe("two");
  });

  it("makes a value anew before answering when it is older than ten minutes", async ({ expect }) => {
    const { cache, settle } = room();
    await new KeptValues<string>(RULES).read(cache, "k", making("one"));
    await settle();
    pass(601);

    expect((await new KeptValues<string>(RULES).read(cache, "k", making("two"))).value).toBe("two");
  });

  it("does not make a value a second time because KV still answers the old one", async ({ expect }) => {
    const { kv, cache, settle } = room();
    await new KeptValues<string>(RULES).read(cache, "k", making("one"));
    await settle();
    kv.put.mockImplementation(async () => {});
    pass(60);
    const values = new KeptValues<string>(RULES);
    await values.read(cache, "k", making("two"));
    await settle();
    pass(30);

    expect((await values.read(cache, "k", failing())).value).toBe("two");
  });

  it("makes the value when KV cannot be read, and keeps it in memory", async ({ expect }) => {
    const { kv, cache, settle } = room();
    kv.get.mockRejectedValue(new Error("KV GET failed: 500"));
    const values = new KeptValues<string>(RULES);

    expect((await values.read(cache, "k", making("one"))).value).toBe("one");
    expect((await values.read(cache, "k", failing())).value).toBe("one");
    pass(31);
    expect((await values.read(cache, "k", making("two"))).value).toBe("two");
    await settle();
  });

  it("makes the value when KV has not answered within a second", async ({ expect }) => {
    const { kv, cache } = room();
    kv.get.mockReturnValue(new Promise(() => {}));
    vi.useFakeTimers();
    const make = making("one");
    const read = new KeptValues<string>(RULES).read(cache, "k", make);

    await vi.advanceTimersByTimeAsync(999);
    const early = make.mock.calls.length;
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();

    expect(early).toBe(0);
    expect((await read).value).toBe("one");
  });

  it("tries a refused write once more, after the second that KV asks for", async ({ expect }) => {
    const { kv, cache, settle } = room();
    kv.put.mockRejectedValueOnce(new Error("KV PUT failed: 429 Too Many Requests"));
    const values = new KeptValues<string>(RULES);

    expect((await values.read(cache, "k", making("one"))).value).toBe("one");
    await settle();

    expect(kv.put).toHaveBeenCalledTimes(2);
    expect(pauses.every((pause) => pause >= 1_000)).toBe(true);
    expect((await new KeptValues<string>(RULES).read(cache, "k", failing())).value).toBe("one");
  });

  it("answers although no write ever succeeds", async ({ expect }) => {
    const { kv, cache, settle } = room();
    kv.put.mockRejectedValue(new Error("KV PUT failed: 429 Too Many Requests"));

    expect((await new KeptValues<string>(RULES).read(cache, "k", making("one"))).value).toBe("one");
    await settle();

    expect(kv.put).toHaveBeenCalledTimes(2);
  });

  it("answers the last value of any age when it cannot be made", async ({ expect }) => {
    const { kv, cache, settle } = room();
    const values = new KeptValues<string>(RULES);
    await values.read(cache, "k", making("one"));
    await settle();
    pass(6 * 24 * 60 * 60);

    expect((await new KeptValues<string>(RULES).read(cache, "k", failing())).value).toBe("one");
    kv.get.mockRejectedValue(new Error("KV GET failed: 500"));
    expect((await values.read(cache, "k", failing())).value).toBe("one");
    await settle();
  });

  it("throws what making it throws when there is no last value", async ({ expect }) => {
    const { kv, cache, settle } = room();

    await expect(new KeptValues<string>(RULES).read(cache, "k", failing())).rejects.toThrow("no database");
    kv.get.mockRejectedValue(new Error("KV GET failed: 500"));
    await expect(new KeptValues<string>(RULES).read(cache, "k", failing())).rejects.toThrow("no database");
    await settle();
  });

  it("does not keep what is not to be kept", async ({ expect }) => {
    const { kv, cache, settle } = room();
    const values = new KeptValues<string>(RULES);

    await values.read(cache, "k", async () => ({ value: "made up", keep: false }));
    await settle();

    expect((await values.read(cache, "k", making("one"))).value).toBe("one");
    expect(kv.put).toHaveBeenCalledTimes(1);
  });

  it("keeps the newer of two values, whichever is kept last", async ({ expect }) => {
    const { kv, cache, settle } = room();
    const values = new KeptValues<string>(RULES);

    values.keep(cache, "k", { value: "new", at: START });
    values.keep(cache, "k", { value: "old", at: START - 1 });
    await settle();

    expect((await values.read(cache, "k", failing())).value).toBe("new");
    expect(kv.put).toHaveBeenCalledTimes(1);
  });

  it("does not wait for ever for a making whose request was cut off", async ({ expect }) => {
    const { cache } = room();
    isPatient = false;
    const values = new KeptValues<string>(RULES);
    void values.read(cache, "k", () => new Promise(() => {}));
    await Promise.resolve();

    expect((await values.read(cache, "k", making("two"))).value).toBe("two");
    expect(pauses).toEqual([5_000]);
  });
});
