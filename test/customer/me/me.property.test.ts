import fc from "fast-check";
import { describe, it } from "vitest";
import { as, mustFeed } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import * as seed from "../../support/seed.ts";
import { World } from "../search/model.ts";

const TODAY = "2026-05-10";

type Line = Record<string, unknown>;

/** A program with few of everything, so that a customer has something with several accounts. */
function program(g: fc.GeneratorValue): Line[] {
  const one = <T>(items: readonly T[]): T => g(() => fc.constantFrom(...items));
  const many = (min: number, max: number) => Array.from({ length: g(() => fc.integer({ min, max })) });
  const accounts = many(1, 4).map(() => seed.account({ company: one(["Blue Cup", "blue cup", "Blue", "Ömer", "𐐨"]) }));
  const stores = many(1, 8).map(() => seed.store(one(accounts).id));
  const campaigns = many(1, 4).map(() =>
    seed.campaign(one(accounts).id, {
      campaign_start_date: one([TODAY, "2026-05-11"]),
      campaign_end_date: one([null, TODAY, "2026-05-09"]),
      status: one([0, 1, 1]),
    }),
  );
  const customers = many(1, 4).map(() => seed.customer({ scan_id: "7", zip: "z" }));
  return [
    ...[...accounts, ...stores, ...campaigns, ...customers],
    ...many(0, 12).map(() => seed.membership(one(stores).id, one(customers).id)),
    ...many(0, 5).map(() => seed.registration(one(campaigns).id, one(customers).id)),
    ...many(0, 12).map(() => seed.entry(one(customers).id, one(stores).id, one(["0.10", "0.20", "-3.00", "12.34"]))),
  ];
}

/** Some of the records deleted, and some of those written again. */
function changes(g: fc.GeneratorValue, lines: readonly Line[]): Line[][] {
  const deletable = lines.filter(({ record }) => ["account", "store", "membership", "customer"].includes(`${record}`));
  const gone = g(() => fc.shuffledSubarray(deletable, { maxLength: 5 }));
  const deleted = gone.map((line) => ({ ...line, deleted: true }));
  // A membership of somebody who is erased now would be refused.
  const back = gone.filter(({ record }) => record !== "membership" && g(() => fc.boolean()));
  return [deleted, back];
}

/** What GET /me must answer by docs/contract/interface.md, 4.8. */
function expectedMe(world: World, customerId: string) {
  const customer = world.customers.get(customerId);
  if (customer === undefined || customer.deleted) return null;
  const entries = world.entries.filter((entry) => entry.customer_id === customerId);
  const joined = [...world.memberships.values()]
    .filter((one) => one.customer_id === customerId && !one.deleted)
    .map((one) => String(one.store_id))
    .filter((id) => !world.stores.get(id)?.deleted);
  const isOf = (accountId: unknown) => (storeId: unknown) => world.stores.get(`${storeId}`)?.account_id === accountId;
  const balances = [...world.accounts.values()]
    .filter(({ deleted }) => !deleted)
    .flatMap(({ id, company }) => {
      const booked = entries.filter(({ store_id }) => isOf(id)(store_id));
      const stores = joined.filter(isOf(id));
      const hundredths = booked.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
      if (booked.length + stores.length === 0) return [];
      return {
        account_id: String(id),
        company: String(company),
        balance: hundredths / 100,
        stores_count: stores.length,
      };
    })
    .sort((one, other) => byCodePoint(one.company, other.company) || byCodePoint(one.account_id, other.account_id));
  return { ...world.seen(customer, customerId, TODAY), balances };
}

const encoder = new TextEncoder();

/** The bytes of UTF-8 sort as code points do. */
function byCodePoint(one: string, other: string): number {
  const [a, b] = [encoder.encode(one), encoder.encode(other)];
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}

describe("GET /me, against brute force", () => {
  it("shows the caller, and what they have with each account, through every change", async ({ expect }) => {
    await setClock(`${TODAY} 12:00:00`);
    let accounts = 0;
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (g) => {
        const lines = program(g);
        const world = new World();
        for (const step of [lines, ...changes(g, lines)].filter((step) => step.length > 0)) {
          await mustFeed(step as Parameters<typeof mustFeed>[0]);
          world.apply(step);
          for (const id of world.customers.keys()) {
            const { status, body } = await as(id).get("/api/v1/customer/me");

            const expected = expectedMe(world, id);
            expect(status).toBe(expected === null ? 404 : 200);
            if (expected !== null) expect(body.items).toEqual(expected);
            accounts += expected?.balances.length ?? 0;
          }
        }
      }),
      propertyRuns(12),
    );

    expect(accounts).toBeGreaterThan(12);
  });
});
