import { describe, it } from "vitest";
import { as, mustFeed, trips } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";

const PATH = "/api/v1/customer/me";

const me = (customerId: unknown) => as(String(customerId)).get(PATH);
const search = (customerId: unknown, query: string) =>
  as(String(customerId)).post("/api/v1/customer/full-search", { query, filter: "customers" });

describe("GET /me", () => {
  it("shows the customer as a search shows them to themselves, in one round trip", async ({ expect }) => {
    const account = seed.account();
    const store = seed.store(account.id);
    const campaign = seed.campaign(account.id);
    const customer = seed.customer({
      first_name: "Wilhelmina",
      last_name: seed.freshId("Quisenberry"),
      scan_id: "0042",
      date_of_birth: "1990-02-28",
      address_line_1: "1 Main Street",
      city: "Tulsa",
      customer_description: "Early bird",
      avatar: "https://images.example/w.png",
    });
    await mustFeed([
      ...[account, store, campaign, customer],
      seed.membership(store.id, customer.id),
      seed.registration(campaign.id, customer.id),
      seed.entry(customer.id, store.id, "12.34"),
    ]);

    const answer = await me(customer.id);

    const found = await search(customer.id, String(customer.last_name));
    const { balances, ...fields } = answer.body.items;
    expect(fields).toEqual(found.body.customers[0]);
    expect(fields).toMatchObject({ date_of_birth: "1990-02-28", scan_id: "0042", balance: 12.34, campaigns_total: 1 });
    expect(balances).toEqual([{ account_id: account.id, company: "Blue Cup", balance: 12.34, stores_count: 1 }]);
    expect(trips(answer)).toBe(1);
  });

  it("adds up each account's stores, joined or with an entry, by company and then account", async ({ expect }) => {
    const [b, second, first] = [seed.account({ company: "B" }), seed.account({ company: "a" }), seed.account()];
    const [joined, booked] = [seed.store(b.id), seed.store(second.id)];
    const [both, more] = [seed.store(first.id), seed.store(first.id)];
    const customer = seed.customer();
    await mustFeed([
      ...[b, { ...second, company: "b" }, { ...first, company: "b" }, joined, booked, both, more, customer],
      ...[joined, both, more].map((store) => seed.membership(store.id, customer.id)),
      seed.entry(customer.id, booked.id, "-0.50"),
      seed.entry(customer.id, both.id, "1.10"),
      seed.entry(customer.id, more.id, "2.20"),
    ]);

    const { balances, balance } = (await me(customer.id)).body.items;

    const expected = [
      { account_id: b.id, company: "B", balance: 0, stores_count: 1 },
      { account_id: second.id, company: "b", balance: -0.5, stores_count: 0 },
      { account_id: first.id, company: "b", balance: 3.3, stores_count: 2 },
    ];
    expect(balances).toEqual(expected);
    expect(balance).toBe(2.8);
  });

  it("adds up balances that come to more than an integer of SQLite holds", async ({ expect }) => {
    const account = seed.account();
    const customer = seed.customer();
    const stores = Array.from({ length: 1_400 }, () => seed.store(account.id));
    await mustFeed([account, customer, ...stores]);
    await mustFeed(stores.map(({ id }) => seed.entry(customer.id, id, "1.00")));
    // The largest that a store may have: another account's stores may have taken as much from the customer.
    const theirs = "customer_key = (SELECT key FROM customers WHERE id = ?)";
    await rows(`UPDATE store_balances SET balance = 7000000000000000 WHERE ${theirs}`, customer.id);

    const { status, body } = await me(customer.id);

    expect(status).toBe(200);
    expect(body.items.balances).toMatchObject([{ account_id: account.id, balance: 1_400 * 7e13 }]);
  });

  it("leaves a soft-deleted account out, and goes on counting its balance", async ({ expect }) => {
    const [gone, left] = [seed.account(), seed.account()];
    const stores = [gone, left].map(({ id }) => seed.store(id));
    const customer = seed.customer();
    await mustFeed([
      ...[gone, left, ...stores, customer],
      ...stores.flatMap(({ id }) => [seed.membership(id, customer.id), seed.entry(customer.id, id, "1.00")]),
    ]);
    await mustFeed([seed.deleted("account", { id: gone.id })]);

    const { balances, balance, stores_count } = (await me(customer.id)).body.items;

    expect(balances).toEqual([{ account_id: left.id, company: "Blue Cup", balance: 1, stores_count: 1 }]);
    expect({ balance, stores_count }).toEqual({ balance: 2, stores_count: 1 });
  });

  it("counts what was booked at a soft-deleted store, but not the store", async ({ expect }) => {
    const account = seed.account();
    const store = seed.store(account.id);
    const customer = seed.customer();
    await mustFeed([
      ...[account, store, customer, seed.membership(store.id, customer.id)],
      seed.entry(customer.id, store.id, "3.00"),
    ]);
    await mustFeed([seed.deleted("store", { id: store.id })]);

    const { balances } = (await me(customer.id)).body.items;

    expect(balances).toEqual([{ account_id: account.id, company: "Blue Cup", balance: 3, stores_count: 0 }]);
  });

  it("is 404 for a customer who is not stored or was erased", async ({ expect }) => {
    const customer = seed.customer();
    await mustFeed([customer]);
    await mustFeed([seed.deleted("customer", { id: customer.id })]);

    const answers = [await me("nobody"), await me(customer.id)];

    const codes = answers.map(({ status, body }) => [status, body.errorCode]);
    expect(codes).toEqual([
      [404, "NOT_FOUND"],
      [404, "NOT_FOUND"],
    ]);
  });
});
