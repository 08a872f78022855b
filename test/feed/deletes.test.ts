import { beforeAll, describe, it } from "vitest";
import { as, feed, mustFeed } from "../support/api.ts";
import { createPublicViews } from "../support/public-views.ts";
import * as seed from "../support/seed.ts";
import { rows, value } from "../support/state.ts";

async function program() {
  const account = seed.account();
  const store = seed.store(account.id);
  const campaign = seed.campaign(account.id);
  const [customer, friend] = [seed.customer(), seed.customer()];
  await mustFeed([account, store, campaign, customer, friend]);
  const member = { record: "membership", store_id: store.id, customer_id: customer.id };
  const registration = { record: "registration", campaign_id: campaign.id, customer_id: customer.id };
  const friendship = { record: "friendship", customer_id: customer.id, friend_id: friend.id, status: 1 };
  const block = { record: "block", customer_id: friend.id, blocked_id: customer.id };
  return { account, store, campaign, customer, friend, member, registration, friendship, block };
}

const outcome = async (...lines: Record<string, unknown>[]) => (await feed(lines)).body.items;
const remove = (line: Record<string, unknown>) => ({ ...line, deleted: true });

beforeAll(createPublicViews);

describe("POST /feed: deleting", () => {
  it("ignores a key that is not stored, also where an earlier line of the request would have stored it", async ({
    expect,
  }) => {
    const { account } = await program();
    const store = seed.store(account.id);

    expect(await outcome(store, remove(store))).toEqual({ accepted: 1, ignored: 1 });
    expect(await value("SELECT count(*) FROM stores WHERE id = ?", store.id)).toBe(0);
  });

  it("lets a line after the delete bring the record back", async ({ expect }) => {
    const { store } = await program();

    expect(await outcome(remove(store), { ...store, name: "Reopened" })).toEqual({ accepted: 2, ignored: 0 });
    expect(await rows("SELECT name, deleted FROM stores WHERE id = ?", store.id)).toEqual([
      { name: "Reopened", deleted: 0 },
    ]);
  });

  it("finds a restored store at the position to which it moved while it was soft-deleted", async ({ expect }) => {
    const { account, store, campaign, customer } = await program();
    const found = async (latitude: number) => {
      const path = "/api/v1/customer/campaigns/near-by-popular-campaigns";
      const place = { latitude, longitude: store.longitude, single_account_id: account.id };
      return (await as(customer.id).post(path, place)).body.items;
    };

    await mustFeed([remove(store)]);
    expect(await found(Number(store.latitude))).toEqual([]);

    await mustFeed([{ ...store, latitude: 10.1234567 }]);
    expect(await rows("SELECT band, latitude FROM stores WHERE id = ?", store.id)).toEqual([
      { band: 101, latitude: 10.1234567 },
    ]);
    expect(await found(10.1234567)).toMatchObject([{ id: campaign.id, distance: 0 }]);
    expect(await found(Number(store.latitude))).toEqual([]);
  });

  it("erases a customer: personal fields and what the customer had end, entries stay under the bare id", async ({
    expect,
  }) => {
    const { store, customer, member, registration, friendship, block } = await program();
    const details = { scan_id: "1", date_of_birth: "1990-01-01", address_line_1: "1", avatar: "https://a.example" };
    await mustFeed([{ ...customer, ...details }, member, registration, friendship, block]);
    await mustFeed([seed.entry(customer.id, store.id, "7.00")]);

    await mustFeed([remove(customer)]);

    expect(await rows("SELECT * FROM customers WHERE id = ?", customer.id)).toEqual([
      {
        key: expect.any(Number),
        id: customer.id,
        first_name: "",
        last_name: "",
        scan_id: "",
        date_of_birth: null,
        address_line_1: "",
        address_line_2: "",
        city: "",
        state: "",
        zip: "",
        customer_description: "",
        avatar: "",
        balance: 700,
        stores_count: 0,
        erased: 1,
        erased_at: expect.any(String),
        name: "",
        words: "",
      },
    ]);
    expect(await value("SELECT joined FROM public_memberships WHERE customer_id = ?", customer.id)).toBe(0);
    expect(await value("SELECT count(*) FROM public_registrations WHERE customer_id = ?", customer.id)).toBe(0);
    expect(await value("SELECT count(*) FROM public_friendships WHERE ? IN (low_id, high_id)", customer.id)).toBe(0);
    expect(await value("SELECT count(*) FROM public_blocks WHERE ? IN (customer_id, blocked_id)", customer.id)).toBe(0);
    expect(await value("SELECT amount FROM public_balance_entries WHERE customer_id = ?", customer.id)).toBe(700);
  });

  it("counts deletes of a customer and of what the customer had in one request, in any order", async ({ expect }) => {
    const { customer, member, registration, friendship } = await program();
    await mustFeed([member, registration, friendship]);

    expect(await outcome(...[customer, member, registration, friendship].map(remove))).toEqual({
      accepted: 4,
      ignored: 0,
    });
  });

  it("refuses a reference to a customer whom the same request erases", async ({ expect }) => {
    const { customer, member } = await program();

    const answer = await feed([member, remove(customer)]);

    expect(Object.keys(answer.body.messages)).toEqual(["line 1.customer_id"]);
  });
});
