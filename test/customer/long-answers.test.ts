import { env, exports } from "cloudflare:workers";
import { describe, it } from "vitest";
import { findCoupons } from "../../src/customer/coupons/queries.ts";
import { BOARD_LIMIT } from "../../src/customer/gamification/boards.ts";
import { BALANCES_LIMIT } from "../../src/customer/me/queries.ts";
import { Database } from "../../src/db/database.ts";
import { ANSWER_BYTES, POLL_BYTES } from "../../src/values/answer-bytes.ts";
import { FIELD_LIMIT, ID_LIMIT, LOGO_LIMIT, LONG_LIMIT, NAME_LIMIT } from "../../src/values/text.ts";
import { mustFeed } from "../support/api.ts";
import { clientOf } from "../support/client.ts";
import { setClock } from "../support/clock.ts";
import * as seed from "../support/seed.ts";
import { customerToken } from "../support/tokens.ts";

// Answers of the longest texts that the feed takes (docs/contract/interface.md, 1).

/** A control character, which takes six bytes as JSON. */
const long = (length: number) => "\u0001".repeat(length);
const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const padded = (prefix: string, index: number) => `${prefix}${String(index).padStart(4, "0")}`;
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

type Item = Record<string, unknown> & { coupon?: { id: string } };

/** All answers that links lead to: their bytes, the items of each, and the `page` that each is of. */
async function follow(customerId: string, path: string) {
  const headers = { Authorization: `Bearer ${await customerToken(customerId)}` };
  const answers: { bytes: number; items: Item[]; page: string | null; tag: string | null }[] = [];
  for (let next: string | undefined = `https://loyalty.example/api/v1/customer/${path}`; next !== undefined; ) {
    const response = await exports.default.fetch(new Request(next, { headers }));
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { items } = JSON.parse(new TextDecoder().decode(bytes));
    const list = Array.isArray(items) ? items : Object.values(items).flat();
    const page = new URL(next).searchParams.get("page");
    answers.push({ bytes: bytes.length, items: list as Item[], page, tag: response.headers.get("ETag") });
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get("Link") ?? "")?.[1];
  }
  const ids = answers.flatMap(({ items }) => items.map((item) => item.id ?? item.group_id ?? item.coupon?.id));
  return { answers, ids };
}

type Followed = Awaited<ReturnType<typeof follow>>["answers"];

/** The bytes of answers that end within a page, each with the first item that is left to the next answer. */
function withOneMore(answers: Followed): number[] {
  return answers.flatMap(({ bytes, page }, index) => {
    const next = answers[index + 1];
    return next === undefined || next.page !== (page ?? "1") ? [] : [bytes + bytesOf(next.items[0]) + 1];
  });
}

async function holder(issued: number) {
  const account = seed.account();
  const store = seed.store(account.id);
  const customer = seed.customer();
  const lines = many(20, () => long(200));
  const coupons = ["store", "mfg", "digital"].map((kind) =>
    seed.coupon(account.id, { kind, header_lines: lines, text_lines: lines, created_at: "2026-01-01 00:00:00" }),
  );
  const ofKind = (index: number) => seed.customerCoupon(customer.id, coupons[index % 2]?.id, store.id);
  const held = many(issued, (index) => ({ ...ofKind(index), id: padded("held-", index) + customer.id }));
  await mustFeed([account, store, customer, seed.membership(store.id, customer.id), ...coupons, ...held]);
  const [ofStore, ofMfg] = [0, 1].map((rest) => held.filter((_, index) => index % 2 === rest).map(({ id }) => id));
  return { customerId: String(customer.id), ofStore, ofMfg, digital: coupons[2]?.id };
}

describe("a list that is too long for one answer", () => {
  it.for(["coupons", "coupons?includemfg=true", "my-coupons?per_page=70"])(
    "ends before the item that would exceed 2 MiB, and links lead through all of it: %s",
    async (path, { expect }) => {
      const { customerId, ofStore, ofMfg, digital } = await holder(160);
      const all = [...(ofStore ?? []), ...(path === "coupons" ? [] : (ofMfg ?? []))];

      const { answers, ids } = await follow(customerId, path);

      expect(ids).toEqual(path.startsWith("my-coupons") ? [...all, digital] : all);
      expect(Math.max(...answers.map(({ bytes }) => bytes))).toBeLessThanOrEqual(ANSWER_BYTES);
      if (!path.includes("include")) expect(Math.min(...withOneMore(answers))).toBeGreaterThan(ANSWER_BYTES - 400);
      expect(new Set(answers.map(({ tag }) => tag)).size).toBe(answers.length);
    },
  );

  it("has the text of a coupon from the database once, however often it was issued", async ({ expect }) => {
    const { customerId } = await holder(40);

    const { items, coupons, accounts } = await findCoupons(new Database(env.DB, "first-unconstrained"), {
      ...{ customerId, filter: { kinds: ["store", "mfg"] }, page: { offset: 0, limit: 100 } },
      accounts: { includeImages: false },
    });

    expect([coupons.size, accounts.size, items.length]).toEqual([2, 1, 40]);
  });

  it("is not made further by the database once it is too long", async ({ expect }) => {
    const { customerId } = await holder(0);
    const account = seed.account();
    const lines = many(20, () => long(200));
    const coupons = many(60, () =>
      seed.coupon(account.id, { kind: "digital", header_lines: lines, text_lines: lines }),
    );
    const store = seed.store(account.id);
    await mustFeed([account, store, seed.membership(store.id, customerId), ...coupons]);

    const {
      items,
      coupons: answered,
      accounts,
      hasMore,
    } = await findCoupons(new Database(env.DB, "first-unconstrained"), {
      ...{ customerId, filter: { kinds: ["digital"] }, page: { offset: 0, limit: 100 } },
      accounts: { includeImages: false },
    });

    expect(hasMore).toBe(true);
    const bytes = (rows: typeof items) =>
      rows.reduce((sum, { key, account_key }) => {
        const [coupon, account] = [answered.get(key)?.text, accounts.get(account_key)];
        return sum + bytesOf(JSON.parse(coupon ?? "")) + bytesOf(JSON.parse(account ?? ""));
      }, 0);
    expect(bytes(items.slice(0, -1))).toBeLessThan(ANSWER_BYTES + 20_000);
    expect(bytes(items)).toBeGreaterThan(ANSWER_BYTES - 10_000);
    expect(answered.size).toBe(items.length);
  });

  it("is not made further where few rows bring what all of them share: a logo, a coupon's text", async ({ expect }) => {
    const account = seed.account({ loyalty_options: { chain_logo: "x".repeat(LOGO_LIMIT) } });
    const store = seed.store(account.id);
    const customer = seed.customer();
    const lines = many(20, () => long(200));
    const plain = seed.coupon(account.id);
    const wordy = seed.coupon(account.id, { kind: "mfg", header_lines: lines, text_lines: lines });
    const held = [plain, wordy].flatMap(({ id }) => many(99, () => seed.customerCoupon(customer.id, id, store.id)));
    await mustFeed([account, store, customer, plain, wordy, ...held]);
    const read = (kind: "store" | "mfg", includeImages: boolean) =>
      findCoupons(new Database(env.DB, "first-unconstrained"), {
        ...{ customerId: String(customer.id), filter: { kinds: [kind] }, page: { offset: 0, limit: 100 } },
        accounts: { includeImages },
      });

    const [ofLogo, ofLines] = await Promise.all([read("store", true), read("mfg", false)]);

    expect([ofLogo.items.length, ofLogo.hasMore]).toEqual([Math.ceil(ANSWER_BYTES / LOGO_LIMIT), true]);
    const [coupon, object] = [[...ofLines.coupons.values()][0]?.text, [...ofLines.accounts.values()][0]];
    const shared = bytesOf(JSON.parse(coupon ?? "")) + bytesOf(JSON.parse(object ?? ""));
    expect(shared).toBeGreaterThan(48_000);
    expect(Math.abs(ofLines.items.length - ANSWER_BYTES / shared)).toBeLessThan(1);
  });

  it("is not made further where what the customer holds is long", async ({ expect }) => {
    const account = seed.account();
    const stores = many(2, () => seed.store(account.id, { store_image: long(FIELD_LIMIT) }));
    const customer = seed.customer();
    const coupon = seed.coupon(account.id);
    const held = many(600, (index) =>
      seed.customerCoupon(customer.id, coupon.id, stores[index % 2]?.id ?? "", {
        ...{ creation_method: long(FIELD_LIMIT), coupon_id: long(FIELD_LIMIT) },
      }),
    );
    await mustFeed([account, ...stores, customer, coupon]);
    for (let at = 0; at < held.length; at += 100) await mustFeed(held.slice(at, at + 100));

    const { items, hasMore } = await findCoupons(new Database(env.DB, "first-unconstrained"), {
      ...{ customerId: String(customer.id), filter: { kinds: ["store"] }, page: { offset: 0, limit: 1_000 } },
      accounts: false,
    });

    const bytes = bytesOf(items.map(({ record }) => JSON.parse(record ?? "")));
    expect(hasMore).toBe(true);
    expect(bytes).toBeGreaterThan(0.5 * ANSWER_BYTES);
    expect(bytes).toBeLessThan(1.1 * ANSWER_BYTES);
  });

  it("counts its pages by `per_page`, also where they are cut: messages", async ({ expect }) => {
    await setClock("2026-03-01 09:00:00");
    const members = many(10, () =>
      seed.customer({ customer_description: long(LONG_LIMIT), avatar: long(FIELD_LIMIT) }),
    );
    const [me = "", other = ""] = members.map(({ id }) => id);
    const ids = members.map(({ id }) => id);
    const groups = many(10, (index) => seed.group(ids, { id: padded("g", index) + me }));
    await mustFeed([...members, ...groups, ...groups.map(({ id }) => seed.message(id, other))]);
    await setClock("2026-03-01 09:00:01");

    const { answers, ids: followed } = await follow(me, "messages?per_page=4");
    const byNumber = await follow(me, "messages?per_page=4&page=3");

    expect(followed).toEqual(groups.map(({ id }) => id));
    expect(answers.map(({ page, items }) => [page, items.length])).toEqual([
      [null, 2],
      ["1", 2],
      ["2", 2],
      ["2", 2],
      ["3", 2],
    ]);
    expect(byNumber.ids).toEqual(followed.slice(8));
    expect(Math.max(...answers.map(({ bytes }) => bytes))).toBeLessThanOrEqual(POLL_BYTES);
    expect(Math.min(...withOneMore(answers))).toBeGreaterThan(POLL_BYTES);

    const { client } = clientOf(me);
    const all = [];
    for await (const group of client.messages.all()) all.push(group.group_id);
    expect(all).toEqual(followed);
  });

  it("goes on within the page: a team", async ({ expect }) => {
    const account = seed.account();
    const store = seed.store(account.id);
    const leader = seed.customer();
    const team = many(70, (index) =>
      seed.customer({
        ...{ first_name: padded("", index), last_name: "" },
        ...{ customer_description: long(LONG_LIMIT), avatar: long(FIELD_LIMIT) },
      }),
    );
    const joined = team.map(({ id }) => seed.membership(store.id, id, { referrer_id: leader.id }));
    await mustFeed([account, store, leader, ...team, seed.membership(store.id, leader.id), ...joined]);

    const { answers, ids } = await follow(String(leader.id), `stores/${store.id}/team-with-level?per_page=65`);

    expect(ids).toEqual(team.map(({ id }) => id));
    expect(answers.map(({ page }) => page)).toEqual([null, "1", "2"]);
    expect(Math.max(...answers.map(({ bytes }) => bytes))).toBeLessThanOrEqual(ANSWER_BYTES);
    expect(Math.min(...withOneMore(answers))).toBeGreaterThan(ANSWER_BYTES);
  });

  it("has at most 1,000 accounts in an answer: what a customer has with each", async ({ expect }) => {
    const customer = seed.customer();
    const accounts = many(BALANCES_LIMIT + 2, (index) => seed.account({ company: padded("Company ", index >> 1) }));
    const stores = accounts.map(({ id }) => seed.store(id));
    await mustFeed([customer, ...accounts, ...stores, ...stores.map(({ id }) => seed.membership(id, customer.id))]);
    const { client } = clientOf(String(customer.id));

    const first = await client.me();
    const second = first.status ? await first.next?.() : undefined;

    if (!first.status || !second?.status) throw new Error("The customer is not found.");
    const ids = [...first.items.balances, ...second.items.balances].map(({ account_id }) => account_id);
    expect(first.items.balances).toHaveLength(BALANCES_LIMIT);
    expect(second.next).toBeNull();
    expect(ids).toEqual(
      accounts
        .toSorted((one, other) => (`${one.company} ${one.id}` < `${other.company} ${other.id}` ? -1 : 1))
        .map(({ id }) => id),
    );
  });
});

describe("an answer without pages", () => {
  const post = async (path: string, body: object) => {
    const headers = { Authorization: `Bearer ${await customerToken("c")}` };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await exports.default.fetch(new Request(`https://loyalty.example/api/v1/customer/${path}`, init));
    const bytes = new Uint8Array(await response.arrayBuffer());
    return { bytes: bytes.length, items: JSON.parse(new TextDecoder().decode(bytes)).items };
  };

  it("ends where it would be too long: nearby campaigns", async ({ expect }) => {
    const account = seed.account();
    const texts = { campaign_description: long(LONG_LIMIT), campaign_image: long(FIELD_LIMIT) };
    const campaigns = many(70, () => seed.campaign(account.id, texts));
    await mustFeed([account, seed.store(account.id, { latitude: 1, longitude: 1 }), ...campaigns]);

    const { bytes, items } = await post("campaigns/near-by-popular-campaigns", {
      ...{ latitude: 1, longitude: 1, count: 100, single_account_id: account.id },
    });

    expect(bytes).toBeLessThanOrEqual(ANSWER_BYTES);
    expect(bytes + bytesOf(items[0])).toBeGreaterThan(ANSWER_BYTES);
  });

  it("ends each list where it would have more than 600,000 bytes: a search", async ({ expect }) => {
    const [field, fields] = [long(FIELD_LIMIT), ["slug", "domain_name", "phone", "address", "partner_code", "data"]];
    const accounts = many(20, () => seed.account(Object.fromEntries(fields.map((name) => [name, field]))));
    const texts = { customer_description: long(LONG_LIMIT), avatar: field };
    await mustFeed([
      ...accounts,
      ...accounts.map(({ id }) => seed.store(id, { name: "Quixotic" })),
      ...accounts.map(({ id }) => seed.campaign(id, { name: "Quixotic", campaign_description: long(LONG_LIMIT) })),
      ...many(20, () => seed.customer({ first_name: "Quixotic", ...texts })),
    ]);

    const { bytes, items } = await post("full-search", { query: "quixotic" });

    expect(bytes).toBeLessThanOrEqual(ANSWER_BYTES);
    for (const list of ["stores", "customers", "campaigns"]) {
      expect(bytesOf(items[list])).toBeLessThanOrEqual(600_000 + 2);
      expect(bytesOf(items[list]) + bytesOf(items[list][0])).toBeGreaterThan(600_000);
    }
  });

  it("cannot be too long, by the limits of its fields: leaderboards, and the balances of an answer", ({ expect }) => {
    const [id, name, field] = [long(ID_LIMIT), long(NAME_LIMIT), long(FIELD_LIMIT)];
    const number = -Number.MAX_SAFE_INTEGER;
    const employee = {
      ...{ employee_id: id, employee_name: name, avatar: field, rank: 100, total_runs: "-90071992547409.91" },
      ...{ total_hits: number, total_doubles: number, total_triples: number },
    };
    const balance = { account_id: "9".repeat(15), company: name, balance: number, stores_count: number };
    const customer = Object.fromEntries(many(17, (index) => [`field_number_${index}`, field]));

    expect(BOARD_LIMIT * (bytesOf(employee) + 1)).toBeLessThan(ANSWER_BYTES);
    expect(BALANCES_LIMIT * (bytesOf(balance) + 1) + bytesOf(customer)).toBeLessThan(ANSWER_BYTES);
  });
});
