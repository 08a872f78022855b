import { describe, it } from "vitest";
import { as, mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";

const PATH = "/api/v1/customer/me";

const me = (customerId: unknown) => as(String(customerId)).get(PATH);

describe("GET /me", () => {
  it("adds up balances that come to more than an integer of SQLite holds", async ({ expect }) => {
    const account = seed.account();
    const customer = seed.customer();
    const stores = Array.from({ length: 1_400 }, () => seed.store(account.id));
    await mustFeed([account, customer, ...stores]);
    await mustFeed(stores.map(({ id }) => seed.entry(customer.id, id, "1.00")));
    // The largest balance at a store. The customer's own balance fits, because other stores may have taken as much.
    const theirs = "customer_key = (SELECT key FROM customers WHERE id = ?)";
    await rows(`UPDATE store_balances SET balance = 7000000000000000 WHERE ${theirs}`, customer.id);

    const { status, body } = await me(customer.id);

    expect(status).toBe(200);
    expect(body.items.balances).toMatchObject([{ account_id: account.id, balance: 1_400 * 7e13 }]);
  });
});
