import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sign } from "hono/jwt";
import { afterAll, beforeAll, describe, it } from "vitest";
import { inRequests } from "../../scripts/bench/load.ts";
import { buildWorker, customerToken, feedToken } from "../../scripts/bench/runtime.ts";
import { call } from "../../scripts/lib/call.ts";
import { keyPair } from "../support/signing.ts";
import { temporaryFolder } from "./clone.ts";
import { openSmallHeap } from "./small-heap.ts";

// What outlives a request is bounded in bytes (test/memory.test.ts). Here it is as large as the feed allows.

const MEGABYTES = 128;
const BOARDS = 64;
/** As many lead by each measure as a board shows. */
const LEADERS = 100;
const MEASURES = ["runs", "hits", "doubles", "triples"] as const;
const RANK_ON = { runs: "run", hits: "hit", doubles: "double", triples: "triple" } as const;

type Line = Record<string, unknown>;

/** Each of these letters takes four bytes of memory, and four of UTF-8. */
const emoji = (length: number) => "\u{1f600}".repeat(length);
const many = (count: number, make: (index: number) => Line): Line[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** The lines of a program in which 400 employees are on each of 64 boards, and how many lines a request takes. */
function* program(): Generator<[lines: Line[], linesARequest: number]> {
  const contest = { record: "eip_campaign", id: "contest", account_id: "1", name: "Contest", start_date: "2020-01-01" };
  const place = { account_id: "1", name: "Store", latitude: 1, longitude: 1 };
  const stores = many(BOARDS, (index) => ({ record: "store", id: `store-${index}`, ...place }));
  yield [[{ record: "account", id: "1", company: "Chain" }, contest, ...stores], 2_000];
  const employees = MEASURES.flatMap((measure) =>
    many(LEADERS, (index) => ({ record: "employee", id: `${measure}-${index}`, account_id: "1" })),
  );
  yield [employees.map((line) => ({ ...line, name: emoji(200), avatar: emoji(1_990) })), 200];
  const plays = stores.flatMap((store) =>
    employees.map(({ id: employee_id }) => {
      const measure = MEASURES.find((name) => String(employee_id).startsWith(name)) ?? "runs";
      const id = `${store.id}-${employee_id}`;
      const played = { record: "play", id, eip_campaign_id: "contest", location_id: store.id, employee_id };
      return { ...played, [measure]: measure === "runs" ? "5" : 5 };
    }),
  );
  yield [plays, 2_000];
}

const pair = await keyPair("EdDSA", "one");
let service: Awaited<ReturnType<typeof openSmallHeap>>;
beforeAll(async () => {
  const JWKS_URL = await serveKeys(pair.publicJwk);
  service = await openSmallHeap(await buildWorker(), temporaryFolder(), MEGABYTES, { JWKS_URL });
  const token = await feedToken();
  for (const [lines, linesARequest] of program()) {
    for (const requestLines of inRequests(lines, linesARequest)) {
      const body = requestLines.map((line) => JSON.stringify(line)).join("\n");
      const { status, text } = await call(`${service.url}/api/v1/feed`, { token, body });
      if (status !== 200) throw new Error(text);
    }
  }
});
afterAll(() => service.close());

/** How many items a board has; the status of a failure. A board that waits for a busy machine is asked for again. */
async function board(index: number, measure: (typeof MEASURES)[number]): Promise<number> {
  const body = JSON.stringify({ location_id: `store-${index}`, rank_on: RANK_ON[measure] });
  const token = await customerToken("somebody");
  const address = `${service.url}/api/v1/customer/gamification/leaderboard`;
  const { status, body: answer } = await call(address, { token, body });
  if (status === 503) return board(index, measure);
  return status === 200 ? answer.items.length : status;
}

/** Serves a key set of almost 256 KiB, whose key has a member of as many empty lists as fit. */
async function serveKeys(publicJwk: object) {
  const keys = JSON.stringify({ keys: [{ ...publicJwk, alg: "EdDSA", lists: Array(85_000).fill([]) }] });
  const server = createServer((_, response) => response.end(keys));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Every combination of these parameters. */
function queriesOf(parameters: readonly string[]): string[] {
  let queries = [""];
  for (const parameter of parameters) queries = queries.flatMap((query) => [query, `${query}&${parameter}`]);
  return queries;
}

const indexes = Array.from({ length: BOARDS }, (_, index) => index);
const allFull = indexes.map(() => LEADERS);

describe(`a Worker with a heap of ${MEGABYTES} MB`, () => {
  it("answers 64 boards of the longest texts one after another", async ({ expect }) => {
    const lengths: number[] = [];
    for (const index of indexes) lengths.push(await board(index, "runs"));

    expect(lengths).toEqual(allFull);
  });

  it("answers with the largest set of keys, and with every statement of the coupon lists", async ({ expect }) => {
    const exp = Math.floor(Date.now() / 1_000) + 3_600;
    const claims = { scope: "customer", sub: "somebody", exp };
    const token = await sign(claims, pair.secret as unknown as Parameters<typeof sign>[1], "EdDSA");
    const filters = [`search=${encodeURIComponent(emoji(100))}`, "accountId=1", "includemfg=true"];
    const paths = [
      ...queriesOf([...filters, "include_images=true", "type=x"]).map((query) => `coupons?${query}`),
      ...queriesOf([...filters, "storeId=a", "digitalonly=true"]).map((query) => `my-coupons?${query}`),
    ];

    const statuses: number[] = [];
    for (const path of paths) {
      const { status } = await call(`${service.url}/api/v1/customer/${path}`, { token });
      statuses.push(status);
    }

    expect(statuses).toEqual(paths.map(() => 200));
    expect(await board(0, "runs")).toBe(LEADERS);
  });

  it("answers 64 boards at once, from the database and from KV", async ({ expect }) => {
    const boardsAtOnce = () => Promise.all(indexes.map((index) => board(index, "hits")));

    expect(await boardsAtOnce()).toEqual(allFull);
    expect(await boardsAtOnce()).toEqual(allFull);
  });
});
