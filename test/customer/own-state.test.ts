import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it } from "vitest";
import { costIn, feed, send, trips } from "../support/api.ts";
import { senderTo } from "../support/bindings.ts";
import { exported } from "../support/exporting.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import { framesOf, listenAs } from "../support/live.ts";
import { deviceOf, footprint, readChanges, SENT_AT, seedReaders } from "../support/own-state.ts";
import { customerToken } from "../support/tokens.ts";
import { setVariables } from "../support/variables.ts";

const LAST = SENT_AT[2];
const NOW = "2026-05-01 12:00:00";
let people: Awaited<ReturnType<typeof seedReaders>>;
let device: ReturnType<typeof deviceOf>;

beforeEach(async () => {
  await freshDatabase(NOW);
  people = await seedReaders();
  device = deviceOf(people.reader);
});

const variables = { ...env };
afterEach(() => {
  setVariables({ CUSTOMER_WRITES: variables.CUSTOMER_WRITES, FEED: variables.FEED });
});

/** The lines of the changes since the test began. */
const lines = async () => (await readChanges()).changes.map(({ line }) => line);

describe("PUT and DELETE …/blocks/{customer_id}", () => {
  it("block and unblock, each in one round trip and once", async ({ expect }) => {
    const answers = [
      await device.block(people.writer),
      await device.block(people.writer),
      await device.unblock(people.writer),
      await device.unblock(people.writer),
    ];

    const block = { record: "block", customer_id: people.reader, blocked_id: people.writer };
    expect(answers.map(({ status, body }) => [status, body.items.is_blocked])).toEqual([
      ...[true, true, false, false].map((isBlocked) => [200, isBlocked]),
    ]);
    expect(answers.map(trips)).toEqual([1, 1, 1, 1]);
    expect(answers[0]?.body).toEqual({ status: true, items: { customer_id: people.writer, is_blocked: true } });
    expect(answers[0]?.headers.get("X-D1-Bookmark")).toMatch(/./);
    expect(await lines()).toEqual([block, { ...block, deleted: true }]);
  });

  it("hide the other's message, and show it again", async ({ expect }) => {
    await device.block(people.writer);
    const hidden = await device.group(people.group);
    await device.unblock(people.writer);

    expect(hidden).toMatchObject({ group_name: "(1 blocked)", last_message: "", read_status: 1 });
    expect(await device.group(people.group)).toMatchObject({ last_message: "Hello", read_status: 0 });
  });

  it("end that block only", async ({ expect }) => {
    const { reader, writer, stranger } = people;
    const kept = [
      [reader, stranger],
      [writer, stranger],
      [stranger, writer],
    ].map(([customer_id, blocked_id]) => ({ record: "block", customer_id, blocked_id }));
    await feed([...kept, { record: "block", customer_id: reader, blocked_id: writer }]);

    await device.unblock(writer);

    const blocks = await exported("block");
    expect(blocks).toHaveLength(kept.length);
    expect(blocks).toEqual(expect.arrayContaining(kept));
  });

  it("refuse oneself, and find neither a stranger nor the erased", async ({ expect }) => {
    await feed([{ record: "customer", id: people.stranger, deleted: true }]);
    const before = await footprint();

    for (const call of [device.block, device.unblock]) {
      const [oneself, nobody, erased] = [await call(people.reader), await call("nobody"), await call(people.stranger)];
      expect([oneself.status, oneself.body.messages]).toEqual([422, { customer_id: ["must be another customer"] }]);
      expect([nobody.status, erased.status]).toEqual([404, 404]);
    }
    expect((await deviceOf(people.stranger).block(people.reader)).status).toBe(404);
    expect(await footprint()).toEqual(before);
  });
});

describe("POST …/me/requests", () => {
  it("stores one open request of each type, and stands in the changes by its type", async ({ expect }) => {
    const answer = await device.askOperator("erasure");
    await env.DB.prepare("UPDATE program_state SET horizon = horizon").run();
    const repeated = await device.askOperator("erasure");
    await device.askOperator("data");

    expect([answer.status, answer.body]).toEqual([
      202,
      { status: true, items: { type: "erasure", requested_at: NOW } },
    ]);
    expect([repeated.status, repeated.body]).toEqual([202, answer.body]);
    expect(trips(answer)).toBe(1);
    const { changes } = await readChanges();
    expect(changes.map(({ version, ...rest }) => rest)).toEqual(
      ["erasure", "data"].map((request) => ({ at: NOW, source: "customer", subject: people.reader, request })),
    );
  });

  it("is done by an erasure, so that who is written again has none", async ({ expect }) => {
    await device.askOperator("erasure");
    await feed([{ record: "customer", id: people.reader, deleted: true }]);

    const left = await env.DB.prepare("SELECT count(*) AS count FROM customer_requests").first("count");

    expect(left).toBe(0);
    expect((await device.askOperator("data")).status).toBe(404);
  });

  it.for([{}, { type: "all" }, { type: null }])("refuses another type: %j", async (body, { expect }) => {
    const headers = { Authorization: `Bearer ${await customerToken(people.reader)}` };
    const path = "/api/v1/customer/me/requests";

    const answer = await send(path, { method: "POST", headers, body: JSON.stringify(body) });

    expect([answer.status, answer.body.messages]).toEqual([422, { type: ["must be data or erasure"] }]);
  });
});

describe("each write of a customer", () => {
  /** Of each write: the rows that it reads and writes, and those that the same write reads again. */
  const ROWS = [
    [51, 3, 46],
    [53, 3, 46],
    [22, 4, 15],
    [20, 3, 13],
    [18, 3, 13],
  ] as const;
  const writes = () => [
    () => device.mark(people.group, { read_up_to: LAST }),
    () => device.mark(people.group, { notifications_disabled: 1 }),
    () => device.block(people.writer),
    () => device.unblock(people.writer),
    () => device.askOperator("data"),
  ];

  it("is told to the customer's devices once, and not to others", async ({ expect }) => {
    const [phone, other] = [await listenAs(people.reader), await listenAs(people.writer)];

    const frames: unknown[] = [];
    for (const write of writes()) {
      await write();
      await write();
      frames.push(await framesOf(phone, people.reader));
    }

    expect(frames).toEqual([1, 2, 3, 4, 5].map((count) => Array(count).fill(["messages"])));
    expect(await framesOf(other, people.writer)).toEqual([]);
  });

  it.for<[what: string, isListening: boolean, more: [read: number, written: number]]>([
    ["while nobody listens", false, [0, 0]],
    ["while a device listens", true, [4, 1]],
  ])("costs what docs/costs.md says, %s", async ([, isListening, [moreRead, moreWritten]], { expect }) => {
    if (isListening) await listenAs(people.reader);
    device = deviceOf(people.reader, senderTo({ ENVIRONMENT: "development" }));
    const costOf = (answer: Awaited<ReturnType<typeof device.block>>) => {
      const { rowsRead, rowsWritten } = costIn(answer);
      return [rowsRead, rowsWritten];
    };

    const costs: number[][][] = [];
    for (const write of writes()) costs.push([costOf(await write()), costOf(await write())]);

    expect(costs).toEqual(
      ROWS.map(([read, written, readAgain]) => [
        [read + moreRead, written + moreWritten],
        [readAgain, 0],
      ]),
    );
  });

  it("is refused while the operator restores", async ({ expect }) => {
    setVariables({ FEED: "restore" });
    const before = await footprint();

    const answers = await Promise.all(writes().map((write) => write()));

    expect(answers.map(({ status, body }) => [status, body.errorCode])).toEqual(
      answers.map(() => [503, "UNAVAILABLE"]),
    );
    expect(await footprint()).toEqual(before);
  });

  it.for<[words: string, statuses: number[]]>([
    ["read,mute,block", [200, 200, 200, 200, 202]],
    ["read", [200, 403, 403, 403, 202]],
    [" mute , block", [403, 200, 200, 200, 202]],
    ["", [403, 403, 403, 403, 202]],
  ])("is allowed by CUSTOMER_WRITES = %j", async ([words, statuses], { expect }) => {
    setVariables({ CUSTOMER_WRITES: words });

    const answered: number[] = [];
    for (const write of writes()) answered.push((await write()).status);

    expect(answered).toEqual(statuses);
  });

  it("is in the changes as a line that the feed takes, and that then changes nothing", async ({ expect }) => {
    for (const write of writes()) await write();
    const { changes } = await readChanges();
    const before = await exported("message_state", "block");

    const fed = await feed(changes.flatMap(({ line }) => (line ? [line] : [])));

    expect(changes.map(({ source, subject }) => [source, subject])).toEqual(
      changes.map(() => ["customer", people.reader]),
    );
    expect([fed.status, changes.length]).toEqual([200, 5]);
    expect(await exported("message_state", "block")).toEqual(before);
  });

  it("ends restores", async ({ expect }) => {
    await env.DB.prepare("UPDATE program_state SET restorable = 1").run();
    await device.mark(people.group, { notifications_disabled: 1 });

    expect(await env.DB.prepare("SELECT restorable FROM program_state").first("restorable")).toBe(0);
  });
});
