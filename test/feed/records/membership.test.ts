import { describe, it } from "vitest";
import { feed, mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";

/** A store and three customers. `join` and `leave` make lines of memberships. */
async function storeAndCustomers() {
  const account = seed.account();
  const store = seed.store(account.id);
  const [a, b, c] = [seed.customer(), seed.customer(), seed.customer()];
  await mustFeed([account, store, a, b, c]);
  const join = (customer: { id: string }, referrer?: { id: string }) =>
    seed.membership(store.id, customer.id, referrer && { referrer_id: referrer.id });
  const leave = (customer: { id: string }) =>
    seed.deleted("membership", { store_id: store.id, customer_id: customer.id });
  return { a, b, c, join, leave };
}

type Seeded = Awaited<ReturnType<typeof storeAndCustomers>>;

// Random programs have no circles, because the contract does not say which line of a circle is named.
const REFUSED_LINES: [what: string, linesOf: (seeded: Seeded) => Record<string, unknown>[]][] = [
  ["a member refers to themselves", ({ a, join }) => [join(a, a)]],
  ["a member on an earlier line refers to themselves", ({ a, join }) => [join(a), join(a, a)]],
  ["two members refer to each other", ({ a, b, join }) => [join(a, b), join(b, a)]],
  [
    "two members refer to each other on later lines than their first",
    ({ a, b, join }) => [join(a), join(b), join(a, b), join(b, a)],
  ],
  [
    "three members refer to each other in a circle, on later lines than their first",
    ({ a, b, c, join }) => [join(a), join(b), join(c), join(a, c), join(b, a), join(c, b)],
  ],
  [
    "the referrer joins on an earlier line, and leaves on a later line",
    ({ a, b, join, leave }) => [join(a), join(b, a), leave(a)],
  ],
];

describe("a membership's referrer", () => {
  it.for(REFUSED_LINES)("is refused if %s", async ([, linesOf], { expect }) => {
    const { status, body } = await feed(linesOf(await storeAndCustomers()));

    expect(status).toBe(422);
    for (const [field, texts] of Object.entries(body.messages)) {
      expect(field).toMatch(/^line \d\.referrer_id$/);
      expect(texts).toEqual(["must be a member of the store, stored or on an earlier line"]);
    }
  });

  it("may join on an earlier line that a later line replaces", async ({ expect }) => {
    const { a, b, c, join } = await storeAndCustomers();

    const answer = await feed([join(b), join(a), join(b, a), join(c), join(b, a), join(c)]);

    expect(answer.body.items).toEqual({ accepted: 6, ignored: 0 });
  });
});
