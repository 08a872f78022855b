import { describe, it, vi } from "vitest";
import { toAnswer } from "../../scripts/lib/call.ts";
import { readBody } from "../../src/http/body.ts";
import { feed, mustFeed, ndjson, send } from "../support/api.ts";
import { sendTo } from "../support/bindings.ts";
import { program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";
import { rows, snapshot } from "../support/state.ts";
import { customerToken, feedToken, signToken } from "../support/tokens.ts";
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

/** Ends uploads, and waits for their answers. An upload that was refused has no writer any more. */
async function statusesAtEnd(uploads: readonly ReturnType<typeof stall>[]): Promise<number[]> {
  await Promise.all(uploads.map(({ close }) => close().catch(() => {})));
  return Promise.all(uploads.map(async ({ answer }) => (await answer).status));
}

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
    expect(await statusesAtEnd(stalledUploads)).toEqual(stalledUploads.map(() => 200));
  });

  it("of one client leave room for others, who need it", async ({ expect }) => {
    const token = await signToken({ scope: "feed", sub: "somebody", accounts: "*" });
    const [badLine, manyBlanks] = [new TextEncoder().encode("x"), blanks(2 * KIB * KIB)];
    const bodies = [...Array(512).fill(badLine), ...Array(14).fill(manyBlanks)];
    const uploads = bodies.map((bytes) => stall("/api/v1/feed", token, bytes));
    await scheduler.wait(1_000);

    const answers = await Promise.all(Array.from({ length: 3 }, () => feed(blanks(2 * KIB * KIB))));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const statuses = await statusesAtEnd(uploads);
    expect([...new Set(statuses)].sort()).toEqual([200, 422, 503]);
  });

  it("of customers hold 8 MiB together, and those of one customer leave room for others", async ({ expect }) => {
    const [token, otherToken] = [await customerToken("somebody"), await customerToken("somebody else")];
    const path = "/api/v1/customer/full-search";
    const uploads = Array.from({ length: 150 }, () => stall(path, token, blanks(60 * KIB)));
    await scheduler.wait(1_000);

    const body = JSON.stringify({ query: "abc", pad: "x".repeat(60 * KIB) });
    const answer = await send(path, { method: "POST", headers: { Authorization: `Bearer ${otherToken}` }, body });

    expect(answer.status).toBe(200);
    const statuses = await statusesAtEnd(uploads);
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThanOrEqual(150 - 8 * 16);
  });

  it.for([
    [10, 64 * KIB - 2],
    [60, 64 * KIB],
  ] as const)(
    "get 408 after %i seconds, if %i bytes arrive first and more later, and store nothing",
    async (data, { expect }) => {
      const [seconds, bytes] = data;
      const customer = seed.customer();
      const line = new TextEncoder().encode(`${ndjson([customer])}\n`.padEnd(bytes));
      const token = await feedToken("*");
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
      let isAnswered = false;
      // A Worker that the test calls itself uses the test's fake timers.
      const sendWithin = async (path: string, init?: RequestInit) => toAnswer(await sendTo({}, path, init));
      const { answer, write } = stall("/api/v1/feed", token, line, sendWithin);
      void answer.then(() => {
        isAnswered = true;
      });

      await passFakeTime((seconds / 2) * 1_000);
      void write(blanks(1)).catch(() => {});
      await passFakeTime((seconds / 2 - 1) * 1_000);
      await scheduler.wait(50);
      const wasAnsweredEarly = isAnswered;
      await passFakeTime(1_000);

      expect(wasAnsweredEarly).toBe(false);
      expect(await answer).toMatchObject({ status: 408, body: { status: false, errorCode: "REQUEST_TIMEOUT" } });
      expect(await rows("SELECT id FROM customers WHERE id = ?", customer.id)).toEqual([]);
    },
  );

  it("of customers get 408 after 10 seconds", async ({ expect }) => {
    const token = await customerToken("somebody");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
    const sendWithin = async (path: string, init?: RequestInit) => toAnswer(await sendTo({}, path, init));
    const { answer } = stall("/api/v1/customer/full-search", token, blanks(3), sendWithin);

    await passFakeTime(10_000);

    expect((await answer).status).toBe(408);
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
        const onBytes = (change: number) => {
          bytesInUse += change;
        };
        const reading = await readBody(new Response(sentBytes, { headers }), LIMIT, onBytes);
        expect(areEqual(reading, sentBytes)).toBe(true);
        expect([reading.buffer.byteLength, bytesInUse]).toEqual([size, size]);
      }
    },
  );

  it.for<[header: Record<string, string>, changes: number[]]>([
    [{}, [4 * KIB, 4 * KIB, 10 - 4 * KIB]],
    [{ "Content-Length": String(4 * KIB + 10) }, [4 * KIB, 10]],
  ])(
    "reports its memory before its buffer grows, with the headers %o",
    async ([headers, expectedChanges], { expect }) => {
      const body = openBody();
      const changes: number[] = [];

      const reading = readBody(new Response(body.readable, { headers }), LIMIT, (change) => changes.push(change));
      await body.write(blanks(10));
      const changesAtFirst = [...changes];
      void body
        .write(blanks(4 * KIB))
        .then(body.close)
        .catch(() => {});
      await reading;

      expect(changesAtFirst).toEqual(expectedChanges.slice(0, 1));
      expect(changes).toEqual(expectedChanges);
    },
  );

  it("ends if it may use no more memory", async ({ expect }) => {
    const body = openBody();
    const onBytes = () => {
      throw new Error("no room");
    };
    const reading = readBody(new Response(body.readable), LIMIT, onBytes);

    void body.write(blanks(10)).catch(() => {});

    await expect(reading).rejects.toThrow("no room");
    await expect(body.write(blanks(1))).rejects.toThrow();
  });
});
