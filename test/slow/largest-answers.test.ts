import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, it } from "vitest";
import { buildWorker, customerToken, feedToken } from "../../scripts/bench/runtime.ts";
import { call } from "../../scripts/lib/call.ts";
import { temporaryFolder } from "./clone.ts";
import { openSmallHeap } from "./small-heap.ts";

// The largest answers there can be: merchants have fed texts as long as the feed accepts.

const MEGABYTES = 128;
const ANSWER_BYTES = 2 * 1024 * 1024;
const LONGEST_WAIT_MS = 1_000;
const GROUPS = 100;
const COUPONS = 1_000;
const LINES_A_REQUEST = 250;

type Line = Record<string, unknown>;

// With one letter beyond Latin-1, each letter of a text takes two bytes of memory.
const long = (length: number) => `${"word ".repeat(length / 5 - 1)}wörŁ`;
const many = (count: number, make: (index: number) => Line): Line[] =>
  Array.from({ length: count }, (_, at) => make(at));
const id = (prefix: string, index: number) => `${prefix}-${String(index).padStart(4, "0")}`;

function* program(): Generator<Line[]> {
  const logo = { chain_logo: "A".repeat(262_144) };
  yield [
    { record: "account", id: "1", company: "Plain" },
    { record: "account", id: "2", company: "With a logo", loyalty_options: logo },
    { record: "store", id: "s1", account_id: "1", name: "One", latitude: 1, longitude: 1 },
    { record: "store", id: "s2", account_id: "2", name: "Two", latitude: 1, longitude: 1 },
    { record: "customer", id: "other", first_name: "A", last_name: "B" },
    ...["plain", "printed"].map((customer) => ({ record: "customer", id: customer, first_name: "A", last_name: "B" })),
    { record: "coupon", id: "logo", account_id: "2", kind: "mfg", name: "Logo", type: "Free", value: "1" },
    {
      ...{ record: "coupon", id: "printed", account_id: "1", kind: "store", name: "Printed", type: "Free", value: "1" },
      header_lines: Array.from({ length: 20 }, () => long(200)),
      text_lines: Array.from({ length: 20 }, () => long(200)),
    },
  ];
  yield many(100, (index) => ({
    ...{ record: "customer", id: id("member", index), first_name: "Ada", last_name: "Lovelace" },
    ...{ customer_description: long(4_000), avatar: long(1_900) },
  }));
  const members = Array.from({ length: 100 }, (_, index) => id("member", index));
  yield many(GROUPS, (index) => ({
    ...{ record: "message_group", id: id("group", index), initial_customer_id: members[0], member_ids: members },
  }));
  yield many(GROUPS, (index) => ({
    ...{ record: "message", id: id("message", index), group_id: id("group", index), customer_id: members[1] },
    ...{ body: "Hello", sent_at: "2026-01-01 00:00:00" },
  }));
  const issued = (customer: string, coupon: string, store: string) =>
    many(COUPONS, (index) => ({
      ...{ record: "customer_coupon", id: id(coupon, index), customer_id: customer },
      ...{ campaign_coupon_id: coupon, store_id: store },
    }));
  yield issued("printed", "printed", "s1");
  yield issued("plain", "logo", "s2");
}

let service: Awaited<ReturnType<typeof openSmallHeap>>;

async function ask(address: string, customer: string): Promise<{ status: number; bytes: number }> {
  const token = await customerToken(customer);
  const { status, text } = await call(new URL(address, `${service.url}/api/v1/customer/`), { token });
  return { status, bytes: Buffer.byteLength(text) };
}

/** How many milliseconds requests take that are sent one after another until `work` is done; null for a lost request. */
async function waitsDuring(work: Promise<unknown>): Promise<(number | null)[]> {
  const waits: (number | null)[] = [];
  let isDone = false;
  void work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const startedAt = performance.now();
    const status = await ask("me", "other").then(
      (answer) => answer.status,
      () => null,
    );
    waits.push(status === 200 ? performance.now() - startedAt : null);
    await sleep(10);
  }
  return waits;
}

beforeAll(async () => {
  service = await openSmallHeap(await buildWorker(), temporaryFolder(), MEGABYTES);
  const token = await feedToken();
  for (const lines of program()) {
    for (let from = 0; from < lines.length; from += LINES_A_REQUEST) {
      const body = lines
        .slice(from, from + LINES_A_REQUEST)
        .map((line) => JSON.stringify(line))
        .join("\n");
      const { status, text } = await call(`${service.url}/api/v1/feed`, { token, body });
      if (status !== 200) throw new Error(text);
    }
  }
});
afterAll(() => service.close());

// test/customer/long-answers.test.ts reads each list to its end.
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
      const all = Promise.allSettled(Array.from({ length: times }, () => ask(address, customer)));
      const waits = await waitsDuring(all);
      const answers = await all;

      expect(answers.filter((one) => one.status === "rejected" || one.value.status !== 200)).toEqual([]);
      expect(answers.filter((one) => one.status === "fulfilled" && one.value.bytes > ANSWER_BYTES)).toEqual([]);
      expect(waits.filter((wait) => wait === null || wait > LONGEST_WAIT_MS)).toEqual([]);
    },
  );
});
