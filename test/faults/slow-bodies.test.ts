import { afterEach, describe, it, vi } from "vitest";
import { toAnswer } from "../../scripts/lib/call.ts";
import { readLimitedBody } from "../../src/values/limited-body.ts";
import { feed, ndjson, send } from "../support/api.ts";
import { sendTo } from "../support/bindings.ts";
import * as seed from "../support/seed.ts";
import { rows } from "../support/state.ts";
import { customerToken, feedToken } from "../support/tokens.ts";
import { passOwnTime } from "../support/wait.ts";

const KIB = 1024;
const LIMIT = 2 * KIB * KIB;

afterEach(() => void vi.useRealTimers());

/** A body that the test sends piece by piece. */
function openBody() {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  writer.closed.catch(() => {});
  return { readable, write: (bytes: Uint8Array) => writer.write(bytes), close: () => writer.close() };
}

const blanks = (count: number) => new Uint8Array(count).fill(0x20);

/** An upload that sends these bytes and then no more, until `close` ends it. */
function stall(path: string, token: string, bytes: Uint8Array, to: typeof send = send) {
  const body = openBody();
  const answer = to(path, { method: "POST", headers: { Authorization: `Bearer ${token}` }, body: body.readable });
  void body.write(bytes).catch(() => {});
  return { answer, close: body.close };
}

const equal = (actual: Uint8Array, expected: Uint8Array) =>
  actual.length === expected.length && actual.every((byte, index) => byte === expected[index]);

describe("slow uploads", () => {
  it("delay no other feed, however much they have sent", async ({ expect }) => {
    const token = await feedToken("*");
    const stalledUploads = [3, KIB * KIB, KIB * KIB, KIB * KIB, KIB * KIB, KIB * KIB].map((bytes) =>
      stall("/api/v1/feed", token, blanks(bytes)),
    );
    await scheduler.wait(300);
    const lines = Array.from({ length: 100 }, () => seed.customer({ customer_description: "x".repeat(1_900) }));

    const startedAt = Date.now();
    const { status } = await feed(lines);

    expect(status).toBe(200);
    expect(Date.now() - startedAt).toBeLessThan(2_000);
    await Promise.all(stalledUploads.map(({ close }) => close()));
    expect((await Promise.all(stalledUploads.map(({ answer }) => answer))).map((one) => one.status)).toEqual(
      stalledUploads.map(() => 200),
    );
  });

  it("get 408 after a minute from every endpoint that reads a body, and leave nothing behind", async ({ expect }) => {
    const customer = seed.customer();
    const line = new TextEncoder().encode(`${ndjson([customer])}\n`);
    const [token, feeding] = [await customerToken("somebody"), await feedToken("*")];
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
    let isAnswered = false;
    // A Worker that the test calls itself uses the test's fake timers.
    const to = async (path: string, init?: RequestInit) => toAnswer(await sendTo({}, path, init));
    const uploads = [
      stall("/api/v1/customer/full-search", token, blanks(3), to),
      stall("/api/v1/feed", feeding, line, to),
    ].map(({ answer }) => answer);
    void Promise.race(uploads).then(() => {
      isAnswered = true;
    });

    await passOwnTime(59_000);
    await scheduler.wait(50);
    const wasAnsweredEarly = isAnswered;
    await passOwnTime(1_000);
    const answers = await Promise.all(uploads);

    expect(wasAnsweredEarly).toBe(false);
    expect(answers.map(({ status }) => status)).toEqual([408, 408]);
    expect(answers[1]?.body).toMatchObject({ status: false, errorCode: "REQUEST_TIMEOUT" });
    expect(await rows("SELECT id FROM customers WHERE id = ?", customer.id)).toEqual([]);
  });
});

describe("reading a body", () => {
  it("ends after a minute if a byte comes every four seconds, and closes the stream", async ({ expect }) => {
    const body = openBody();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    const startedAt = Date.now();
    const reading = readLimitedBody(new Response(body.readable), LIMIT).then((result) => ({
      ...result,
      seconds: (Date.now() - startedAt) / 1_000,
    }));

    for (let second = 0; second < 64; second += 4) {
      void body.write(blanks(1)).catch(() => {});
      // The stream belongs to the runtime, which does not follow the fake clock.
      await scheduler.wait(5);
      await vi.advanceTimersByTimeAsync(4_000);
    }

    expect(await reading).toEqual({ outcome: "too slow", seconds: 60 });
    await expect(body.write(blanks(1))).rejects.toThrow();
  });

  it.for([0, 1, 64 * KIB, 64 * KIB + 1, 128 * KIB, LIMIT])(
    "returns every byte of %i, and holds no more memory in the end",
    async (size, { expect }) => {
      const sent = Uint8Array.from({ length: size }, (_, index) => index % 251);

      for (const headers of [{}, { "Content-Length": String(size) }]) {
        let taken = 0;
        const reading = await readLimitedBody(new Response(sent, { headers }), LIMIT, (bytes) => {
          taken += bytes;
        });
        expect(reading).toMatchObject({ outcome: "whole" });
        expect("bytes" in reading && equal(reading.bytes, sent)).toBe(true);
        expect("bytes" in reading && reading.bytes.buffer.byteLength).toBe(size);
        expect(taken).toBe(size);
      }
    },
  );

  it("reports memory before the body takes it: 64 KiB, and twice as much whenever that is full", async ({ expect }) => {
    const body = openBody();
    const reportedBytes: number[] = [];
    const reading = readLimitedBody(new Response(body.readable), LIMIT, (bytes) => reportedBytes.push(bytes));

    const bytesAtStart = [...reportedBytes];
    await body.write(blanks(64 * KIB));
    await body.write(blanks(1));
    const bytesWhenFull = [...reportedBytes];
    await body.write(blanks(KIB * KIB));
    await body.close();
    await reading;

    expect(bytesAtStart).toEqual([64 * KIB]);
    expect(bytesWhenFull).toEqual([64 * KIB, 64 * KIB]);
    expect(reportedBytes.slice(2)).toEqual([128 * KIB, 256 * KIB, 512 * KIB, KIB * KIB, 1 - (KIB - 64) * KIB]);
  });

  it("ends if there is no memory for more", async ({ expect }) => {
    const body = openBody();
    const reading = readLimitedBody(new Response(body.readable), LIMIT, () => {
      throw new Error("no room");
    });

    void body.write(blanks(10)).catch(() => {});

    await expect(reading).rejects.toThrow("no room");
    await expect(body.write(blanks(1))).rejects.toThrow();
  });
});
