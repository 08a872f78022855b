import { describe, it } from "vitest";
import { as, feed, mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";
import { feedUsage } from "../../support/state.ts";

async function pair() {
  const account = seed.account();
  const store = seed.store(account.id);
  const [root, member, stranger] = [seed.customer(), seed.customer(), seed.customer()];
  await mustFeed([
    ...[account, store, root, member, stranger],
    seed.membership(store.id, root.id),
    seed.membership(store.id, member.id, { referrer_id: root.id }),
  ]);
  const tokens = async () => {
    const answer = await as(root.id).get(`/api/v1/customer/stores/${store.id}/team-with-level`);
    return answer.body.items[0].levels.map((level: { total_tokens_earned: number }) => level.total_tokens_earned);
  };
  return { account, store, root: root.id, member: member.id, stranger: stranger.id, tokens };
}

describe("a token earning", () => {
  it("belongs to a member of the store, now or once", async ({ expect }) => {
    const { store, member, stranger, tokens } = await pair();
    const leave = seed.deleted("membership", { store_id: store.id, customer_id: member });

    const refused = await feed([
      seed.earning(store.id, stranger, 1, "1"),
      seed.earning("no-store", member, 1, "1"),
      seed.earning(store.id, "nobody", 1, "1"),
    ]);
    await mustFeed([leave]);
    await mustFeed([seed.earning(store.id, member, 1, "2.50")]);
    await mustFeed([seed.membership(store.id, member)]);

    expect(Object.keys(refused.body.messages)).toEqual(["line 1.customer_id", "line 2.store_id", "line 3.customer_id"]);
    expect(await tokens()).toEqual([2.5, 0, 0, 0, 0]);
  });

  it("writes a member's totals once a request", async ({ expect }) => {
    const { store, member } = await pair();
    const earnings = Array.from({ length: 100 }, (_, place) => seed.earning(store.id, member, 1 + (place % 5), "1"));

    expect((await feedUsage(earnings)).rowsWritten).toBe(101);
    expect((await feedUsage(earnings)).rowsWritten).toBe(0);
  });
});
