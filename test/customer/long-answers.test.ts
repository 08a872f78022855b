import { describe, it } from "vitest";
import { linkOf } from "../../scripts/lib/call.ts";
import { BOARD_LIMIT } from "../../src/customer/gamification/boards.ts";
import { BALANCES_LIMIT } from "../../src/customer/me/queries.ts";
import { ANSWER_BYTES, POLL_BYTES } from "../../src/http/limits.ts";
import { ID_LIMIT, LONG_TEXT_LIMIT, NAME_LIMIT, SHORT_TEXT_LIMIT } from "../../src/values/text.ts";
import { as, mustFeed } from "../support/api.ts";
import { setClock } from "../support/clock.ts";
import * as seed from "../support/seed.ts";

// Answers with the longest texts that the feed takes (docs/contract/interface.md, 1).

/** A text of control characters, which take six bytes each as JSON. */
const longText = (length: number) => "\u0001".repeat(length);
const arrayOf = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const padded = (prefix: string, index: number) => `${prefix}${String(index).padStart(4, "0")}`;
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

type Item = Record<string, unknown> & { coupon?: { id: string } };

/** The answer to a customer. The address is a path below /customer/, or the address in a `Link` header. */
async function ask(customerId: string, address: string, body?: object) {
  const url = new URL(address, "https://loyalty.example/api/v1/customer/");
  const api = as(customerId);
  const answer = await (body === undefined ? api.get(url.href) : api.post(url.href, body));
  const bytes = new TextEncoder().encode(answer.text).length;
  return { bytes, items: answer.body.items, next: linkOf(answer), tag: answer.headers.get("ETag") };
}

/** Follows the links to the end. Resolves with all answers, and the ids in them. */
async function follow(customerId: string, path: string) {
  const answers: { bytes: number; items: Item[]; page: string | null; tag: string | null }[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const { items, ...answer } = await ask(customerId, next);
    const page = /[?&]page=(\d+)/.exec(next)?.[1] ?? null;
    const list = Array.isArray(items) ? items : (items.balances ?? Object.values(items).flat());
    answers.push({ ...answer, items: list, page });
    next = answer.next;
  }
  const ids = answers.flatMap(({ items }) =>
    items.map((item) => item.id ?? item.group_id ?? item.account_id ?? item.coupon?.id),
  );
  return { answers, ids };
}

interface LongList {
  path: string;
  customerId: string;
  /** The ids that all answers list together. */
  ids: unknown[];
  /** The parameter `page` in the address of each answer. After a cut answer, the next address has the same page. */
  pages: (string | null)[];
  limit?: number;
}

async function seedCoupons(): Promise<LongList> {
  const account = seed.account();
  const [store, customer] = [seed.store(account.id), seed.customer()];
  const lines = arrayOf(20, () => longText(200));
  const coupons = ["store", "mfg", "digital"].map((kind) =>
    seed.coupon(account.id, { kind, header_lines: lines, text_lines: lines, created_at: "2026-01-01 00:00:00" }),
  );
  const issuedCoupons = arrayOf(160, (index) => ({
    ...seed.customerCoupon(customer.id, coupons[index % 2]?.id, store.id),
    id: padded("issued-", index) + customer.id,
  }));
  await mustFeed([account, store, customer, seed.membership(store.id, customer.id), ...coupons, ...issuedCoupons]);
  const idsOfKind = (kind: number) => issuedCoupons.filter((_, index) => index % 2 === kind).map(({ id }) => id);
  const pages = [null, "1", "2", "2", "3"];
  const ids = [...idsOfKind(0), ...idsOfKind(1), coupons[2]?.id];
  return { path: "my-coupons?per_page=70", customerId: customer.id, ids, pages };
}

async function seedGroups(): Promise<LongList> {
  await setClock("2026-03-01 09:00:00");
  const texts = { customer_description: longText(LONG_TEXT_LIMIT), avatar: longText(SHORT_TEXT_LIMIT) };
  const members = arrayOf(10, () => seed.customer(texts));
  const [readerId = "", writerId = ""] = members.map(({ id }) => id);
  const groups = arrayOf(10, (index) =>
    seed.group(
      members.map(({ id }) => id),
      { id: padded("g", index) + readerId },
    ),
  );
  await mustFeed([...members, ...groups, ...groups.map(({ id }) => seed.message(id, writerId))]);
  await setClock("2026-03-01 09:00:01");
  const pages = [null, "1", "2", "2", "3"];
  return {
    path: "messages?per_page=4",
    customerId: readerId,
    ids: groups.map(({ id }) => id),
    pages,
    limit: POLL_BYTES,
  };
}

async function seedTeam(): Promise<LongList> {
  const account = seed.account();
  const [store, leader] = [seed.store(account.id), seed.customer()];
  const texts = { last_name: "", customer_description: longText(LONG_TEXT_LIMIT), avatar: longText(SHORT_TEXT_LIMIT) };
  const team = arrayOf(70, (index) => seed.customer({ ...texts, first_name: padded("", index) }));
  const memberships = team.map(({ id }) => seed.membership(store.id, id, { referrer_id: leader.id }));
  await mustFeed([account, store, leader, ...team, seed.membership(store.id, leader.id), ...memberships]);
  const path = `stores/${store.id}/team-with-level?per_page=65`;
  return { path, customerId: leader.id, ids: team.map(({ id }) => id), pages: [null, "1", "2"] };
}

describe("a list that is too long for one answer", () => {
  it.for([
    ["coupons", seedCoupons],
    ["messages", seedGroups],
    ["a team", seedTeam],
  ] as const)(
    "ends before the item that would exceed the limit, and its links give all items: %s",
    async ([, seedList], { expect }) => {
      const { path, customerId, ids, pages, limit = ANSWER_BYTES } = await seedList();

      const { answers, ids: listedIds } = await follow(customerId, path);

      expect(listedIds).toEqual(ids);
      expect(answers.map(({ page }) => page)).toEqual(pages);
      expect(Math.max(...answers.map(({ bytes }) => bytes))).toBeLessThanOrEqual(limit);
      const bytesWithNextItem = answers.flatMap(({ bytes, page }, index) => {
        const next = answers[index + 1];
        return next?.page === (page ?? "1") ? [bytes + bytesOf(next.items[0]) + 1] : [];
      });
      // The limit also counts the names of the lists, with the first item of each list: up to 400 bytes.
      expect(Math.min(...bytesWithNextItem)).toBeGreaterThan(limit - 400);
      expect(new Set(answers.map(({ tag }) => tag)).size).toBe(answers.length);
    },
  );

  it("has at most 1,000 accounts in an answer: the balances of a customer", async ({ expect }) => {
    const customer = seed.customer();
    const accounts = arrayOf(BALANCES_LIMIT + 2, (index) => seed.account({ company: padded("Company ", index >> 1) }));
    const stores = accounts.map(({ id }) => seed.store(id));
    await mustFeed([customer, ...accounts, ...stores, ...stores.map(({ id }) => seed.membership(id, customer.id))]);

    const { answers, ids } = await follow(customer.id, "me");

    expect(answers.map(({ items }) => items.length)).toEqual([BALANCES_LIMIT, 2]);
    expect(ids).toEqual(accounts.map(({ id }) => id));
  });
});

describe("a long answer without pages", () => {
  it("ends before the item that would exceed the limit: nearby campaigns", async ({ expect }) => {
    const account = seed.account();
    const texts = { campaign_description: longText(LONG_TEXT_LIMIT), campaign_image: longText(SHORT_TEXT_LIMIT) };
    const campaigns = arrayOf(70, () => seed.campaign(account.id, texts));
    await mustFeed([account, seed.store(account.id, { latitude: 1, longitude: 1 }), ...campaigns]);

    const query = { latitude: 1, longitude: 1, count: 100, single_account_id: account.id };
    const { bytes, items } = await ask("c", "campaigns/near-by-popular-campaigns", query);

    expect(bytes).toBeLessThanOrEqual(ANSWER_BYTES);
    expect(bytes + bytesOf(items[0])).toBeGreaterThan(ANSWER_BYTES);
  });

  it("ends each list before 600,000 bytes: a search", async ({ expect }) => {
    const longField = longText(SHORT_TEXT_LIMIT);
    const fields = ["slug", "domain_name", "phone", "address", "partner_code", "data"];
    const accounts = arrayOf(20, () => seed.account(Object.fromEntries(fields.map((name) => [name, longField]))));
    const texts = { customer_description: longText(LONG_TEXT_LIMIT), avatar: longField };
    await mustFeed([
      ...accounts,
      ...accounts.map(({ id }) => seed.store(id, { name: "Quixotic" })),
      ...accounts.map(({ id }) =>
        seed.campaign(id, { name: "Quixotic", campaign_description: longText(LONG_TEXT_LIMIT) }),
      ),
      ...arrayOf(20, () => seed.customer({ first_name: "Quixotic", ...texts })),
    ]);

    const { bytes, items } = await ask("c", "full-search", { query: "quixotic" });

    expect(bytes).toBeLessThanOrEqual(ANSWER_BYTES);
    for (const list of ["stores", "customers", "campaigns"]) {
      expect(bytesOf(items[list])).toBeLessThanOrEqual(600_000 + 2);
      expect(bytesOf(items[list]) + bytesOf(items[list][0])).toBeGreaterThan(600_000);
    }
  });

  it("cannot be too long, by the limits of its fields: leaderboards, and the balances of an answer", ({ expect }) => {
    const [id, name, longField] = [longText(ID_LIMIT), longText(NAME_LIMIT), longText(SHORT_TEXT_LIMIT)];
    const number = -Number.MAX_SAFE_INTEGER;
    const employee = {
      ...{ employee_id: id, employee_name: name, avatar: longField, rank: 100, total_runs: "-90071992547409.91" },
      ...{ total_hits: number, total_doubles: number, total_triples: number },
    };
    const balance = { account_id: "9".repeat(15), company: name, balance: number, stores_count: number };
    const customer = Object.fromEntries(arrayOf(17, (index) => [`field_number_${index}`, longField]));

    expect(BOARD_LIMIT * (bytesOf(employee) + 1)).toBeLessThan(ANSWER_BYTES);
    expect(BALANCES_LIMIT * (bytesOf(balance) + 1) + bytesOf(customer)).toBeLessThan(ANSWER_BYTES);
  });
});
