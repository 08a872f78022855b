import {
  expectExactFields,
  expectFailure,
  expectFields,
  expectInvalid,
  expectList,
  expectSame,
  namesIn,
} from "../expect.ts";
import { type Item, itemsOf } from "../http.ts";
import type { LineWithId } from "../lines.ts";
import { section } from "../suite.ts";

const MEMBER_FIELDS = namesIn(`
  id name customer_description friend_status team_store_count avatar total_balance current_level levels
`);

export const team = section("interface, 4.3", ({ suite, ann, eve, seed, it }) => {
  it("An unknown store is 404.", async () =>
    expectFailure(await suite.get(ann, "stores/nowhere/team-with-level"), 404, "NOT_FOUND"));

  const account = seed.account();
  const [shop, elsewhere] = [seed.store(account), seed.store(account)];
  seed.caller(ann, "Ann Conform");
  seed.membership(shop, ann);
  const join = (customer: LineWithId, referrer?: { id: string }, store = shop) =>
    seed.membership(store, customer, referrer && { referrer_id: referrer });
  // The caller referred the first of these members. Each member referred the next.
  const inChain = (depth: number) => seed.customer(`Depth ${depth}`, { customer_description: "below", avatar: "a" });
  const chain = [inChain(1), inChain(2), inChain(3), inChain(4), inChain(5), inChain(6)] as const;
  const [first, second, third, fourth, fifth, sixth] = chain;
  for (const [index, member] of chain.entries()) join(member, chain[index - 1] ?? ann);
  const [zoe, abe, twin] = [seed.customer("Zoe Last"), seed.customer("Abe First"), seed.customer("Abe First")];
  const [lou, sid] = [seed.customer("Lou Left"), seed.customer("Sid Aside")];
  join(zoe, ann);
  for (const member of [twin, abe, lou]) join(member, first);
  join(sid);
  join(first, undefined, elsewhere);
  join(zoe, first, elsewhere);
  seed.friendship(ann, first, 1);
  seed.entry(first, shop, "10.10");
  seed.entry(first, elsewhere, "500.00");
  seed.earning(shop, first, 1, "0.10");
  seed.earning(shop, first, 1, "0.20");
  seed.earning(shop, first, 3, "7.00");

  const list = (query: Record<string, string> = {}, { caller = ann, at = shop.id } = {}) =>
    suite.get(caller, `stores/${encodeURIComponent(at)}/team-with-level`, query);
  const memberOf = async ({ id }: LineWithId) => itemsOf(await list()).find((item) => item.id === id);
  const levelsOf = (member: Item | undefined, name: string) =>
    ((member?.levels ?? []) as Item[]).map((level) => level[name]);

  it("A member has exactly these fields.", async () => expectExactFields(await memberOf(first), MEMBER_FIELDS));
  it("The caller's team is everybody at depth 1 to 5 below the caller. `current_level` is that depth.", async () => {
    const depths = Object.fromEntries(itemsOf(await list()).map(({ id, current_level }) => [id, current_level]));
    const depthsOfChain = Object.fromEntries(chain.slice(0, 5).map(({ id }, index) => [id, index + 1]));
    expectSame(depths, { ...depthsOfChain, [zoe.id]: 1, [abe.id]: 2, [twin.id]: 2, [lou.id]: 2 });
  });
  it("`level_no` takes 1 to 5.", async () => {
    for (const level_no of ["0", "6", "one"]) expectInvalid(await list({ level_no }), "level_no");
    expectList(await list({ level_no: "2" }), [abe, twin, second, lou]);
    expectList(await list({ level_no: "5" }), [fifth]);
  });
  it("With `team_member_id`, depths count from that member. It must be the caller or a member of the caller's team; otherwise the answer is 404.", async () => {
    const team = await list({ team_member_id: second.id });
    expectList(team, chain.slice(2));
    expectList(team, [1, 2, 3, 4], "current_level");
    expectFailure(await list({ team_member_id: sid.id }), 404, "NOT_FOUND");
    expectFailure(await list({ team_member_id: sixth.id }), 404, "NOT_FOUND");
    expectFailure(await list({ team_member_id: ann.id }, { caller: eve }), 404, "NOT_FOUND");
    expectList(await list({ team_member_id: ann.id, level_no: "5" }), [fifth]);
  });
  it("`levels` always has five entries. `total_members` counts that depth of the member's own team. `total_tokens_earned` is what the member has earned from that depth at this store.", async () => {
    const member = await memberOf(first);
    expectSame(levelsOf(member, "level_no"), [1, 2, 3, 4, 5]);
    expectSame(levelsOf(member, "total_members"), [4, 1, 1, 1, 1]);
    expectSame(levelsOf(member, "total_tokens_earned"), [0.3, 0, 7, 0, 0]);
    expectSame(levelsOf(await memberOf(zoe), "total_members"), [0, 0, 0, 0, 0]);
  });
  it("`total_balance` is the member's balance at this store. `team_store_count` is the number of stores that the member has joined.", async () =>
    expectFields(await memberOf(first), { total_balance: 10.1, team_store_count: 2, friend_status: 1 }));
  it('Order: depth, then name ("First Last"), then id.', async () =>
    expectList(await list(), [first, zoe, abe, twin, second, lou, third, fourth, fifth]));
  it("A caller who is not a member, or has no team, gets empty `items`.", async () => {
    expectList(await list({}, { caller: eve }), []);
    expectList(await list({}, { at: elsewhere.id }), []);
  });
});
