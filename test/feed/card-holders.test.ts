import { describe, it } from "vitest";
import { mustFeed, send, trips } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { signToken } from "../support/tokens.ts";

// Rules of docs/contract/feed.md, 6.

async function ask(card: string) {
  const token = await signToken({ scope: "lookup", sub: "tests" });
  return send(`/api/v1/feed/customers?scan_id=${card}`, { headers: { Authorization: `Bearer ${token}` } });
}

describe("the customers with a card", () => {
  it("are the first hundred by id, each with their own balances, in one round trip", async ({ expect }) => {
    const ids = Array.from({ length: 101 }, (_, index) => `holder-${String(index).padStart(3, "0")}`);
    const [account, other] = [seed.account({ company: "B" }), seed.account({ company: "A" })];
    const [store, elsewhere] = [seed.store(account.id), seed.store(other.id)];
    const holders = ids.toReversed().map((id) => seed.customer({ id, scan_id: "shared" }));
    const entries = ids.map((id, index) => seed.entry(id, store.id, `${index}.25`));
    await mustFeed([
      account,
      other,
      store,
      elsewhere,
      ...holders,
      ...entries,
      seed.entry(ids[7], elsewhere.id, "9.00"),
    ]);

    const answer = await ask("shared");

    expect(answer.body.items.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 100));
    const balances = answer.body.items.map(({ balances: own }: { balances: { balance: number }[] }) =>
      own.map(({ balance }) => balance),
    );
    expect(trips(answer)).toBe(1);
    expect(balances).toEqual(ids.slice(0, 100).map((_, index) => (index === 7 ? [9, 7.25] : [index + 0.25])));
  });

  it("are found no more once they are erased", async ({ expect }) => {
    const customer = seed.customer({ scan_id: "gone" });
    await mustFeed([customer]);
    const before = await ask("gone");
    await mustFeed([seed.deleted("customer", { id: customer.id })]);

    expect([before.status, (await ask("gone")).status]).toEqual([200, 404]);
  });
});
