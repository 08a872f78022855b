import { describe, it, vi } from "vitest";
import { toAnswer } from "../../scripts/lib/call.ts";
import { readBody } from "../../src/http/body.ts";
import { feed, mustFeed, ndjson, send } from "../support/api.ts";
import { sendTo } from "../support/bindings.ts";
import { program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";
import { rows, snapshot } from "../support/state.ts";
import { customerToken, feedToken } from "../support/tokens.ts";
import { passFakeTime } from "../support/wait.ts";

const KIB = 1024;
const LIMIT = { bytes: 2 * KIB * KIB, name: "2 MiB" };

/** A body that the test sends piece by piece. */
function openBody() {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  writer.closed.catch(() => {});
  return { readable, write: (bytes: Uint8Array) => writer.write(bytes), close: () => writer.close() };
}

const blanks = (count: number) => new Uint8Array(count).fill(0x20);

/** Uploads these bytes and then no more, until `close` ends the body. */
function stall(path: string, token: string, bytes: Uint8Array, sendRequest: typeof send = send) {
  const body = openBody();
  const answer = sendRequest(path, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
    body: body.readable,
  });
  void body.write(bytes).catch(() => {});
  return { answer, write: body.write, close: body.close };
}

// Vitest's own comparison of arrays takes seconds for 2 MiB.
const areEqual = (actual: Uint8Array, expected: Uint8Array) =>
  actual.length === expected.length && actual.every((byte, index) => byte === expected[index]);

describe("a feed request whose body is cut off after any byte", () => {
  it("is refused, and stores nothing", async ({ expect }) => {
    const { lines, customer, store } = program("cut");
    await mustFeed(lines);
    const bytes = new TextEncoder().encode(ndjson([seed.entry(customer.id, store.id, "1.10"), seed.customer()]));
    const snapshotBefore = await snapshot();
    const headers = { Authorization: `Bearer ${await feedToken("*")}`, "Content-Length": String(bytes.length) };

    for (let length = 1; length < bytes.length; length += 1) {
      const body = new Blob([bytes.slice(0, length)]).stream();
      const answer = await send("/api/v1/feed", { method: "POST", headers, body });
      expect([length, answer.status, answer.body.messages]).toEqual([length, 400, { body: ["must arrive whole"] }]);
    }

    expect(await snapshot()).toBe(snapshotBefore);
    expect((await feed(bytes)).body.items).toEqual({ accepted: 2, ignored: 0 });
  });
});

describe("slow uploads", () => {
  it("delay no other feed, however much they have sent", async ({ expect }) => {
    const token = await feedToken("*");
    const sizes = [...Array(40).fill(3), ...Array(5).fill(KIB * KIB)];
    const stalledUploads = sizes.map((bytes) => stall("/api/v1/feed", token, blanks(bytes)));
    await scheduler.wait(300);
    const lines = Array.from({ length: 100 }, () => seed.customer({ customer_description: "x".repeat(1_900) }));

    const startedAt = Date.now();
    const { status } = await feed(lines);

    expect(status).toBe(200);
    expect(Date.now() - startedAt).toBeLessThan(2_000);
    await Promise.all(stalledUploads.map(({ close }) => close()));
    const statuses = stalledUploads.map(async ({ answer }) => (await answer).status);
    expect(await Promise.all(statuses)).toEqual(stalledUploads.map(() => 200));
  });

  it("get 408 after a minute, even if they go on, and store nothing", async ({ expect }) => {
    const customer = seed.customer();
    const line = new TextEncoder().encode(`${ndjson([customer])}\n`);
    const tokens = { customer: await customerToken("somebody"), feed: await feedToken("*") };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
    let isAnswered = false;
    // A Worker that the test calls itself uses the test's fake timers.
    const sendWithin = async (path: string, init?: RequestInit) => toAnswer(await sendTo({}, path, init));
    const uploads = [
      stall("/api/v1/customer/full-search", tokens.customer, blanks(3), sendWithin),
      stall("/api/v1/feed", tokens.feed, line, sendWithin),
    ];
    void Promise.race(uploads.map(({ answer }) => answer)).then(() => {
      isAnswered = true;
    });

    await passFakeTime(30_000);
    for (const { write } of uploads) void write(blanks(1)).catch(() => {});
    await passFakeTime(29_000);
    await scheduler.wait(50);
    const wasAnsweredEarly = isAnswered;
    await passFakeTime(1_000);
    const answers = await Promise.all(uploads.map(({ answer }) => answer));

    expect(wasAnsweredEarly).toBe(false);
    expect(answers.map(({ status }) => status)).toEqual([408, 408]);
    expect(answers[1]?.body).toMatchObject({ status: false, errorCode: "REQUEST_TIMEOUT" });
    expect(await rows("SELECT id FROM customers WHERE id = ?", customer.id)).toEqual([]);
  });
});

describe("reading a body", () => {
  it.for([{}, { "Content-Length": "50" }])(
    "fails if the connection breaks, with the headers %o",
    async (headers, { expect }) => {
      const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) });

      const reading = readBody(new Response(broken, { headers }), { bytes: 100, name: "" });

      await expect(reading).rejects.toMatchObject({ status: 400, body: { messages: { body: ["must arrive whole"] } } });
    },
  );

  it.for([0, 1, 64 * KIB, LIMIT.bytes])(
    "returns every byte of %i, and then holds no more memory than that",
    async (size, { expect }) => {
      const sentBytes = Uint8Array.from({ length: size }, (_, index) => index % 251);

      for (const headers of [{}, { "Content-Length": String(size) }]) {
        let bytesInUse = 0;
        const reading = await readBody(new Response(sentBytes, { headers }), LIMIT, (change) => {
          bytesInUse += change;
        });
        expect(areEqual(reading, sentBytes)).toBe(true);
        expect([reading.buffer.byteLength, bytesInUse]).toEqual([size, size]);
      }
    },
  );

  it.for<[header: Record<string, string>, first: number, second: number]>([
    [{}, 64 * KIB, 64 * KIB],
    [{ "Content-Length": String(64 * KIB + 10) }, 64 * KIB, 10],
  ])(
    "reports its memory before its buffer grows, with the headers %o",
    async ([headers, first, second], { expect }) => {
      const body = openBody();
      const changes: number[] = [];

      const reading = readBody(new Response(body.readable, { headers }), LIMIT, (change) => changes.push(change));
      await body.write(blanks(10));
      const changesAtFirst = [...changes];
      void body
        .write(blanks(64 * KIB))
        .then(body.close)
        .catch(() => {});
      const { length } = await reading;

      expect(changesAtFirst).toEqual([first]);
      expect(changes).toEqual([first, second, length - first - second]);
    },
  );

  it("ends if it may use no more memory", async ({ expect }) => {
    const body = openBody();
    const reading = readBody(new Response(body.readable), LIMIT, () => {
      throw new Error("no room");
    });

    void body.write(blanks(10)).catch(() => {});

    await expect(reading).rejects.toThrow("no room");
    await expect(body.write(blanks(1))).rejects.toThrow();
  });
});
