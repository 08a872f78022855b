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
  it("counts once by its id, exactly, at its level", async ({ expect }) => {
    const { store, member, tokens } = await pair();
    const earnings = ["0.10", "0.20", "999999999999.99", "-999999999999.99"].map((amount) =>
      seed.earning(store.id, member, 3, amount),
    );

    const first = await mustFeed([...earnings, seed.earning(store.id, member, 5, "1"), ...earnings.slice(0, 1)]);
    const again = await mustFeed(earnings);

    expect([first.body.items, again.body.items]).toEqual([
      { accepted: 5, ignored: 1 },
      { accepted: 0, ignored: 4 },
    ]);
    expect(await tokens()).toEqual([0, 0, 0.3, 0, 1]);
  });

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

  it("needs a token for the store's account, also for an id that is used", async ({ expect }) => {
    const { account, store, member } = await pair();
    const [foreign, own] = [await pair(), seed.earning(store.id, member, 1, "1")];
    await mustFeed([own]);
    const taken = { ...seed.earning(foreign.store.id, foreign.member, 1, "1"), id: own.id };

    expect((await feed([seed.earning(store.id, member, 1, "1")], [account.id])).status).toBe(200);
    expect((await feed([seed.earning(store.id, member, 1, "1")], [foreign.account.id])).status).toBe(403);
    expect((await feed([taken], [foreign.account.id])).status).toBe(403);
  });

  it.for([
    [{ level_no: 0 }, "level_no"],
    [{ level_no: 6 }, "level_no"],
    [{ level_no: "1" }, "level_no"],
    [{ tokens: 1 }, "tokens"],
    [{ tokens: "1.001" }, "tokens"],
    [{ earned_at: "2026-02-30 00:00:00" }, "earned_at"],
  ] as const)("is refused with %j", async ([fields, field], { expect }) => {
    const answer = await feed([{ ...seed.earning("s", "c", 1, "1"), ...fields }]);

    expect(Object.keys(answer.body.messages)).toEqual([`line 1.${field}`]);
  });

  it("writes a member's totals once a request", async ({ expect }) => {
    const { store, member } = await pair();
    const earnings = Array.from({ length: 100 }, (_, place) => seed.earning(store.id, member, 1 + (place % 5), "1"));

    expect((await feedUsage(earnings)).rowsWritten).toBe(101);
    expect((await feedUsage(earnings)).rowsWritten).toBe(0);
  });
});
