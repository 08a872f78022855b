import { describe, it } from "vitest";
import { mustFeed, send, trips } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { signToken } from "../support/tokens.ts";

describe("the customers who hold a card", () => {
  it("are the first hundred by id, each with their own balances, in one round trip", async ({ expect }) => {
    const ids = Array.from({ length: 101 }, (_, index) => `holder-${String(index).padStart(3, "0")}`);
    const [account, otherAccount] = [seed.account({ company: "B" }), seed.account({ company: "A" })];
    const [store, otherStore] = [seed.store(account.id), seed.store(otherAccount.id)];
    const holders = ids.toReversed().map((id) => seed.customer({ id, scan_id: "shared" }));
    const entries = ids.map((id, index) => seed.entry(id, store.id, `${index}.25`));
    await mustFeed([account, otherAccount, store, otherStore, ...holders, ...entries]);
    await mustFeed([seed.entry(ids[7], otherStore.id, "9.00")]);

    const token = await signToken({ scope: "lookup", sub: "tests" });
    const answer = await send("/api/v1/feed/customers?scan_id=shared", {
      headers: { Authorization: `Bearer ${token}` },
    });

    const holdersFound = answer.body.items.map(({ id, balances }: { id: string; balances: { balance: number }[] }) => ({
      id,
      balances: balances.map(({ balance }) => balance),
    }));
    const balancesOf = (index: number) => (index === 7 ? [9, 7.25] : [index + 0.25]);
    expect(holdersFound).toEqual(ids.slice(0, 100).map((id, index) => ({ id, balances: balancesOf(index) })));
    expect(trips(answer)).toBe(1);
  });
});
