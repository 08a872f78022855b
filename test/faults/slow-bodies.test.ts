import { afterEach, describe, it, vi } from "vitest";
import { readLimitedBody } from "../../src/values/limited-body.ts";
import { feed, ndjson, send } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { rows } from "../support/state.ts";
import { customerToken, feedToken, signToken } from "../support/tokens.ts";

const KIB = 1024;
const LIMIT = 8 * KIB * KIB;
const SLOWER_THAN_THIS_MS = 4_500;

afterEach(() => void vi.useRealTimers());

/** A body that somebody sends by hand. */
function openBody() {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  writer.closed.catch(() => {});
  return { readable, write: (bytes: number) => writer.write(new Uint8Array(bytes).fill(0x20)) };
}

/** An upload that sends so many bytes and stops, and its status once it is answered. */
async function stall(path: string, token: string, bytes: number): Promise<{ status: Promise<number> }> {
  const body = openBody();
  const headers = { Authorization: `Bearer ${token}` };
  const answer = send(path, { method: "POST", headers, body: body.readable });
  void body.write(bytes).catch(() => {});
  return { status: answer.then(({ status }) => status) };
}

/** A feed of 200 KB, and how long its answer took. */
async function feedLarge() {
  const lines = Array.from({ length: 100 }, () => seed.customer({ customer_description: "x".repeat(1_900) }));
  const startedAt = Date.now();
  const { status } = await feed(lines);
  return { status, milliseconds: Date.now() - startedAt };
}

const equal = (one: Uint8Array, other: Uint8Array) =>
  one.length === other.length && one.every((byte, index) => byte === other[index]);

describe("uploads that come slowly", () => {
  it("stop no feed of anybody, where they send three bytes and stop", async ({ expect }) => {
    const token = await feedToken("*");
    await feedLarge();
    const startedAt = Date.now();
    const stalled = await Promise.all([stall("/api/v1/feed", token, 3), stall("/api/v1/feed", token, 3)]);

    const [other, own] = await Promise.all([feedLarge(), feedLarge()]);
    const statuses = await Promise.all(stalled.map(({ status }) => status));

    expect([other.status, own.status]).toEqual([200, 200]);
    expect(Math.max(other.milliseconds, own.milliseconds)).toBeLessThan(1_000);
    expect(statuses).toEqual([408, 408]);
    expect(Date.now() - startedAt).toBeGreaterThan(SLOWER_THAN_THIS_MS);
  });

  it("get 408 from every endpoint that reads a body", async ({ expect }) => {
    const token = await customerToken("somebody");

    const { status } = await stall("/api/v1/customer/full-search", token, 3);

    expect(await status).toBe(408);
  });

  it("leave nothing behind, whatever came before they stopped", async ({ expect }) => {
    const token = await signToken({ scope: "feed", sub: "tests", accounts: "*" });
    const customer = seed.customer();
    const { readable, writable } = new IdentityTransformStream();
    const headers = { Authorization: `Bearer ${token}` };
    const answer = send("/api/v1/feed", { method: "POST", headers, body: readable });
    void writable
      .getWriter()
      .write(new TextEncoder().encode(`${ndjson([customer])}\n`))
      .catch(() => {});

    expect((await answer).body).toMatchObject({ status: false, errorCode: "REQUEST_TIMEOUT" });
    expect(await rows("SELECT id FROM customers WHERE id = ?", customer.id)).toEqual([]);
  });
});

/** A body that is being read, by a clock that tests set, and after how many seconds the reading ends. */
function readTimed() {
  const body = openBody();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  const startedAt = Date.now();
  const seconds = () => (Date.now() - startedAt) / 1_000;
  const reading = readLimitedBody(new Response(body.readable), LIMIT);
  return { body, reading: reading.then((result) => ({ ...result, seconds: seconds() })) };
}

describe("reading a body", () => {
  it("ends after a minute where a byte comes every four seconds, and says so to whoever sends", async ({ expect }) => {
    const { body, reading } = readTimed();

    for (let second = 0; second < 64; second += 4) {
      void body.write(1).catch(() => {});
      // The stream is the runtime's own, which knows nothing of this clock.
      await scheduler.wait(5);
      await vi.advanceTimersByTimeAsync(4_000);
    }

    expect(await reading).toEqual({ kind: "too slow", seconds: 60 });
    await expect(body.write(1)).rejects.toThrow();
  });

  it("ends once nothing has come for five seconds, however much came before", async ({ expect }) => {
    const { body, reading } = readTimed();

    await body.write(100 * KIB);
    await scheduler.wait(20);
    await vi.advanceTimersByTimeAsync(4_900);
    void body.write(3).catch(() => {});
    await scheduler.wait(20);
    await vi.advanceTimersByTimeAsync(6_000);

    expect(await reading).toEqual({ kind: "too slow", seconds: 9.9 });
    await expect(body.write(1)).rejects.toThrow();
  });

  it("does not count the wait for its turn as slowness", async ({ expect }) => {
    const body = openBody();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    const reading = readLimitedBody(new Response(body.readable), LIMIT, async () => {
      await new Promise((resolve) => setTimeout(resolve, 29_000));
    });

    const written = body.write(100 * KIB);
    await scheduler.wait(20);
    await vi.advanceTimersByTimeAsync(29_000);
    await written;
    await scheduler.wait(20);
    await vi.advanceTimersByTimeAsync(6_000);

    expect(await reading).toEqual({ kind: "too slow" });
  });

  it.for([
    [0, undefined],
    [1, undefined],
    [64 * KIB, undefined],
    [64 * KIB + 1, LIMIT],
    [LIMIT, LIMIT],
  ] as const)(
    "gives every byte of %i, and asks before it reads more than 64 KiB",
    async ([size, asked], { expect }) => {
      const sent = Uint8Array.from({ length: size }, (_, index) => index % 251);
      const asking: number[] = [];

      for (const headers of [{}, { "Content-Length": String(size) }]) {
        const reading = await readLimitedBody(new Response(sent, { headers }), LIMIT, async (bytes) => {
          asking.push(bytes);
        });
        expect(reading).toMatchObject({ kind: "whole" });
        expect("bytes" in reading && equal(reading.bytes, sent)).toBe(true);
      }

      expect(asking).toEqual(asked === undefined ? [] : [asked, size]);
    },
  );
});
