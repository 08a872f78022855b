import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, it } from "vitest";
import { inRequests } from "../../scripts/bench/load.ts";
import { buildWorker, customerToken, feedToken } from "../../scripts/bench/runtime.ts";
import { call } from "../../scripts/lib/call.ts";
import { temporaryFolder } from "./clone.ts";
import { openSmallHeap } from "./small-heap.ts";

// Asks for the largest answers that there can be: all texts are as long as the feed accepts.

const MEGABYTES = 128;
const ANSWER_BYTES = 2 * 1024 * 1024;
/** On a slower machine a wait may take as long as all the answers take one after another. */
const LONGEST_WAIT_MS = 1_000;
const GROUPS = 100;
const COUPONS = 1_000;
const LINES_A_REQUEST = 250;

type Line = Record<string, unknown>;

/** A text of this length. Its last letter is beyond Latin-1, so that each letter takes two bytes of memory. */
const longText = (length: number) => `${"word ".repeat(length / 5 - 1)}wörŁ`;
const many = (count: number, make: (index: number) => Line): Line[] =>
  Array.from({ length: count }, (_, index) => make(index));
const idOf = (prefix: string, index: number) => `${prefix}-${String(index).padStart(4, "0")}`;

/** The lines of the program. Lines of a later list refer to records of earlier lists. */
function* program(): Generator<Line[]> {
  const logo = { chain_logo: "A".repeat(262_144) };
  yield [
    { record: "account", id: "1", company: "Plain" },
    { record: "account", id: "2", company: "With a logo", loyalty_options: logo },
    { record: "store", id: "s1", account_id: "1", name: "One", latitude: 1, longitude: 1 },
    { record: "store", id: "s2", account_id: "2", name: "Two", latitude: 1, longitude: 1 },
    { record: "customer", id: "other", first_name: "A", last_name: "B" },
    ...["plain", "printed"].map((id) => ({ record: "customer", id, first_name: "A", last_name: "B" })),
    { record: "coupon", id: "logo", account_id: "2", kind: "mfg", name: "Logo", type: "Free", value: "1" },
    {
      record: "coupon",
      id: "printed",
      account_id: "1",
      kind: "store",
      name: "Printed",
      type: "Free",
      value: "1",
      header_lines: Array.from({ length: 20 }, () => longText(200)),
      text_lines: Array.from({ length: 20 }, () => longText(200)),
    },
  ];
  yield many(100, (index) => ({
    record: "customer",
    id: idOf("member", index),
    first_name: "Ada",
    last_name: "Lovelace",
    customer_description: longText(4_000),
    avatar: longText(1_900),
  }));
  const members = Array.from({ length: 100 }, (_, index) => idOf("member", index));
  yield many(GROUPS, (index) => ({
    record: "message_group",
    id: idOf("group", index),
    initial_customer_id: members[0],
    member_ids: members,
  }));
  yield many(GROUPS, (index) => ({
    record: "message",
    id: idOf("message", index),
    group_id: idOf("group", index),
    customer_id: members[1],
    body: "Hello",
    sent_at: "2026-01-01 00:00:00",
  }));
  const couponsOf = (customer: string, coupon: string, store: string) =>
    many(COUPONS, (index) => ({
      record: "customer_coupon",
      id: idOf(coupon, index),
      customer_id: customer,
      campaign_coupon_id: coupon,
      store_id: store,
    }));
  yield couponsOf("printed", "printed", "s1");
  yield couponsOf("plain", "logo", "s2");
}

let service: Awaited<ReturnType<typeof openSmallHeap>>;

async function ask(address: string, customer: string): Promise<{ status: number; bytes: number }> {
  const token = await customerToken(customer);
  const { status, text } = await call(new URL(address, `${service.url}/api/v1/customer/`), { token });
  return { status, bytes: Buffer.byteLength(text) };
}

/**
 * Sends one request after another until `work` is done. Resolves with how many milliseconds each request took; null for
 * a failed request.
 */
async function waitsDuring(work: Promise<unknown>): Promise<(number | null)[]> {
  const waits: (number | null)[] = [];
  let isDone = false;
  void work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const startedAt = performance.now();
    const isAnswered = await ask("me", "other").then(
      ({ status }) => status === 200,
      () => false,
    );
    waits.push(isAnswered ? performance.now() - startedAt : null);
    await sleep(10);
  }
  return waits;
}

beforeAll(async () => {
  service = await openSmallHeap(await buildWorker(), temporaryFolder(), MEGABYTES);
  const token = await feedToken();
  for (const lines of program()) {
    for (const requestLines of inRequests(lines, LINES_A_REQUEST)) {
      const body = requestLines.map((line) => JSON.stringify(line)).join("\n");
      const { status, text } = await call(`${service.url}/api/v1/feed`, { token, body });
      if (status !== 200) throw new Error(text);
    }
  }
});
afterAll(() => service.close());

// scripts/conform/sections/long-answers.ts reads each list to its end.
const LISTS = [
  { address: "messages?per_page=100", customer: "member-0002" },
  { address: "messages", customer: "member-0002" },
  { address: "coupons", customer: "printed" },
  { address: "coupons?includemfg=true", customer: "printed" },
  { address: "coupons?includemfg=true&include_images=true", customer: "plain" },
  { address: "my-coupons?per_page=100", customer: "printed" },
];

describe(`a Worker with a heap of ${MEGABYTES} MB`, () => {
  it.for([...LISTS.map((list) => ({ ...list, times: 8 })), { ...LISTS[1], times: 32 }] as const)(
    "answers $times requests of $address at once, and keeps others waiting for at most a second",
    async ({ address = "", customer = "", times }, { expect }) => {
      const startedAt = performance.now();
      await ask(address, customer);
      const longestWait = Math.max(LONGEST_WAIT_MS, times * (performance.now() - startedAt));

      const all = Promise.allSettled(Array.from({ length: times }, () => ask(address, customer)));
      const waits = await waitsDuring(all);
      const answers = await all;

      for (const answer of answers) expect(answer).toMatchObject({ status: "fulfilled", value: { status: 200 } });
      const sizes = answers.map((answer) => (answer.status === "fulfilled" ? answer.value.bytes : 0));
      expect(Math.max(...sizes)).toBeLessThanOrEqual(ANSWER_BYTES);
      expect(waits.filter((wait) => wait === null || wait > longestWait)).toEqual([]);
    },
  );
});
