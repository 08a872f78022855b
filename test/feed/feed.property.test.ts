import fc from "fast-check";
import { beforeAll, describe, it } from "vitest";
import { feed } from "../support/api.ts";
import { FeedModel, type ModelLine, type Token } from "../support/feed-model.ts";
import { createPublicViews } from "../support/public-views.ts";
import { rows } from "../support/state.ts";

beforeAll(createPublicViews);

// A world so small that ids repeat, collide with another account's, and dangle. Each run has a world of its own.
const world = (run: number) => ({
  accounts: [`${run}1`, `${run}2`, `${run}3`],
  stores: ["s1", "s2", "s3"].map((id) => `${run}-${id}`),
  campaigns: ["k1", "k2", "k3"].map((id) => `${run}-${id}`),
  customers: ["c1", "c2", "c3"].map((id) => `${run}-${id}`),
  entries: ["b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8"].map((id) => `${run}-${id}`),
});
type World = ReturnType<typeof world>;

/** Mostly the first, so that many requests are taken; sometimes the other, so that many are not. */
function mostly<Value>(good: fc.Arbitrary<Value>, bad: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  return fc.oneof({ weight: 14, arbitrary: good }, { weight: 1, arbitrary: bad });
}

function lines({ accounts, stores, campaigns, customers, entries }: World): fc.Arbitrary<ModelLine> {
  const any = <Value>(values: readonly Value[]) => fc.constantFrom(...values);
  const name = fc.constantFrom("Ada", "Zoë");
  // The first account owns all but the last store and campaign.
  const owner = (index: number, ids: readonly string[]) => accounts[index < ids.length - 1 ? 0 : 1];
  const [ownStore, ownCampaign] = [any(stores.slice(0, -1)), any(campaigns.slice(0, -1))];
  const [store, campaign] = [mostly(ownStore, any(stores)), mostly(ownCampaign, any(campaigns))];
  const customer = mostly(any(customers.slice(0, 2)), any(customers));
  const keys = fc.oneof(
    any(accounts).map((id) => ({ record: "account", id })),
    any(stores).map((id) => ({ record: "store", id })),
    any(campaigns).map((id) => ({ record: "campaign", id })),
    any(customers).map((id) => ({ record: "customer", id })),
    fc.record({ record: fc.constant("membership"), store_id: any(stores), customer_id: any(customers) }),
    fc.record({ record: fc.constant("registration"), campaign_id: any(campaigns), customer_id: any(customers) }),
  );
  const entry = fc.record({
    record: fc.constant("balance_entry"),
    id: any(entries),
    customer_id: customer,
    store_id: store,
    campaign_id: fc.option(campaign),
    amount: fc.constantFrom("1.00", "-0.50", "2.25"),
  });
  return fc.oneof(
    any(accounts).chain((id) => fc.record({ record: fc.constant("account"), id: fc.constant(id), company: name })),
    fc.nat(stores.length - 1).chain((index) =>
      fc.record({
        record: fc.constant("store"),
        id: fc.constant(stores[index]),
        account_id: mostly(fc.constant(owner(index, stores)), any(accounts)),
        name,
        latitude: fc.constantFrom(1, 2),
        longitude: fc.constant(3),
      }),
    ),
    fc.nat(campaigns.length - 1).chain((index) =>
      fc.record({
        record: fc.constant("campaign"),
        id: fc.constant(campaigns[index]),
        account_id: mostly(fc.constant(owner(index, campaigns)), any(accounts)),
        name,
        campaign_start_date: fc.constant("2026-01-01"),
        store_ids: fc.oneof(fc.constant("all"), fc.uniqueArray(store, { maxLength: 2 })),
      }),
    ),
    fc.record({ record: fc.constant("customer"), id: any(customers), first_name: name, last_name: fc.constant("X") }),
    // Nobody refers an earlier customer: which line of a circle is named is not the model's to say.
    fc
      .record({ record: fc.constant("membership"), store_id: store, member: fc.nat(2), above: fc.option(fc.nat(2)) })
      .map(({ member, above, ...line }) => ({
        ...line,
        customer_id: customers[member],
        referrer_id: above === null ? null : customers[Math.min(member, above)],
      })),
    fc.record({ record: fc.constant("registration"), campaign_id: campaign, customer_id: customer }),
    entry,
    entry,
    keys.map((key) => ({ ...key, deleted: true })),
  );
}

/** Lines that make most of the world: what follows finds most of its references, not all. */
function beginning({ accounts, stores, campaigns, customers }: World): ModelLine[] {
  const [one, other] = accounts;
  const accountOf = (index: number) => (index < 2 ? one : other);
  return [
    ...accounts.slice(0, 2).map((id) => ({ record: "account", id, company: "Ada" })),
    ...stores.map((id, index) => ({
      record: "store",
      id,
      account_id: accountOf(index),
      name: "Ada",
      latitude: 1,
      longitude: 3,
    })),
    ...campaigns.slice(0, 2).map((id) => ({
      record: "campaign",
      id,
      account_id: one,
      name: "Ada",
      campaign_start_date: "2026-01-01",
    })),
    ...customers.slice(0, 2).map((id) => ({ record: "customer", id, first_name: "Ada", last_name: "X" })),
  ];
}

/** What the database holds of a world, in the words of the model. */
async function stored(run: number) {
  const own = `${run}-%`;
  const [accounts, stores, campaigns, customers, memberships, registrations, entries, earned, balances] =
    await Promise.all([
      rows("SELECT id, company, deleted FROM accounts WHERE id LIKE ? ORDER BY key", `${run}_`),
      rows("SELECT id, account_id, name, latitude, deleted FROM public_stores WHERE id LIKE ? ORDER BY key", own),
      rows(
        "SELECT id, account_id, name, listed_stores IS NULL AS is_for_all, deleted FROM public_campaigns WHERE id LIKE ? ORDER BY key",
        own,
      ),
      rows("SELECT id, first_name, balance, stores_count, erased FROM customers WHERE id LIKE ? ORDER BY key", own),
      rows(
        `SELECT store_id, customer_id, referrer_id, joined, members_1, members_2, members_3
         FROM public_memberships WHERE store_id LIKE ? ORDER BY 1, 2`,
        own,
      ),
      rows("SELECT campaign_id, customer_id FROM public_registrations WHERE customer_id LIKE ? ORDER BY 1, 2", own),
      rows(
        "SELECT id, customer_id, store_id, campaign_id, amount FROM public_balance_entries WHERE id LIKE ? ORDER BY 1",
        own,
      ),
      rows(
        `SELECT campaign_id, store_id, listed, earned FROM public_campaign_stores
         WHERE campaign_id LIKE ? AND (listed = 1 OR earned > 0) ORDER BY 1, 2`,
        own,
      ),
      rows("SELECT store_id, customer_id, balance FROM public_store_balances WHERE store_id LIKE ? ORDER BY 1, 2", own),
    ]);
  return { accounts, stores, campaigns, customers, memberships, registrations, entries, earned, balances };
}

describe("random sequences of feeds, compared with a model", () => {
  it("leaves the state of the model after each request, refused ones included", async ({ expect }) => {
    let run = 10;
    const seen = { 200: 0, 403: 0, 422: 0 };
    const requests = fc.array(
      fc.record({ lines: fc.infiniteStream(fc.nat()), size: fc.integer({ min: 1, max: 7 }), token: fc.nat(7) }),
      { minLength: 4, maxLength: 10 },
    );
    await fc.assert(
      fc.asyncProperty(requests, fc.nat(), async (plan, seed) => {
        run += 1;
        const ids = world(run);
        const model = new FeedModel();
        const pool = fc.sample(lines(ids), { numRuns: 100, seed });
        const first = beginning(ids);
        model.apply(first, "*");
        expect((await feed(first)).status).toBe(200);

        for (const { lines: picks, size, token } of plan) {
          const chosen = [...picks.take(size)].map((pick) => pool[pick % pool.length] as ModelLine);
          const accounts: Token = token < 6 ? "*" : [ids.accounts[token - 6] as string];

          const answer = await feed(chosen, accounts);

          const expected = model.apply(chosen, accounts);
          expect({ status: answer.status, ...answer.body.items }).toEqual(expected.answer);
          if (answer.status === 422)
            expect(Object.keys(answer.body.messages).sort()).toEqual(expected.badFields.sort());
          expect(await stored(run)).toEqual(model.state());
          seen[answer.status as keyof typeof seen] += 1;
        }
      }),
      { numRuns: 60, seed: 20261120 },
    );

    // The sequences must reach each kind of answer often, or the comparison shows little.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(50);
  });
});
