import {
  expectExactFields,
  expectFailure,
  expectFields,
  expectInvalid,
  expectList,
  expectOk,
  expectSame,
  fieldsListedIn,
} from "../expect.ts";
import { type Item, itemsOf } from "../http.ts";
import { account, customer, earning, entry, friendship, membership, store } from "../lines.ts";
import type { Section, Suite } from "../suite.ts";

const DEPTHS = [1, 2, 3, 4, 5, 6];

export async function team(suite: Suite): Promise<Section> {
  const { ann, ben, eve } = await suite.callers();
  const accountId = suite.accountId();
  const { shop, elsewhere, unknown, zoe, abe, twin, lou, sid } = suite.ids(
    "shop elsewhere unknown zoe abe twin lou sid",
  );
  // The caller referred the first of these members. Each member referred the next.
  const chain = DEPTHS.map((depth) => suite.id(`depth-${depth}`));
  const [first = "", second = "", third = ""] = chain;

  const list = (query: Record<string, string> = {}, { caller = ann, at = shop } = {}) =>
    suite.get(caller, `stores/${encodeURIComponent(at)}/team-with-level`, query);
  const memberOf = async (id: string) => itemsOf(await list()).find((item) => item.id === id);
  const levelsOf = (member: Item | undefined, name: string) =>
    ((member?.levels ?? []) as Item[]).map((level) => level[name]);

  return {
    section: "interface, 4.3",
    rulesWithoutFeeding: {
      "An unknown store is 404.": async () => expectFailure(await list({}, { at: unknown }), 404, "NOT_FOUND"),
    },
    lines: [
      account(accountId),
      store(shop, accountId),
      store(elsewhere, accountId),
      customer(ann.id, "Ann Conform"),
      customer(ben.id, "Ben Conform"),
      ...chain.map((id, index) => customer(id, `Depth ${index + 1}`, { customer_description: "below", avatar: "a" })),
      customer(zoe, "Zoe Last"),
      customer(abe, "Abe First"),
      customer(twin, "Abe First"),
      customer(lou, "Lou Left"),
      customer(sid, "Sid Aside"),
      membership(shop, ann.id),
      ...chain.map((id, index) => membership(shop, id, { referrer_id: index === 0 ? ann.id : chain[index - 1] })),
      membership(shop, zoe, { referrer_id: ann.id }),
      membership(shop, twin, { referrer_id: first }),
      membership(shop, abe, { referrer_id: first }),
      membership(shop, lou, { referrer_id: first }),
      membership(shop, sid),
      membership(elsewhere, first),
      membership(elsewhere, zoe, { referrer_id: first }),
      friendship(ann.id, first, 1),
      entry(suite.id("entry"), first, shop, "10.10"),
      entry(suite.id("entry"), first, elsewhere, "500.00"),
      earning(suite.id("earning"), shop, first, 1, "0.10"),
      earning(suite.id("earning"), shop, first, 1, "0.20"),
      earning(suite.id("earning"), shop, first, 3, "7.00"),
    ],
    rulesWithFeeding: {
      "A member has `id`, `name`, `customer_description`, `friend_status`, `team_store_count`, `avatar`, `total_balance`, `current_level`, `levels`.":
        async (rule) => expectExactFields(await memberOf(first), fieldsListedIn(rule)),
      "The caller's team is everybody at depth 1 to 5 below the caller. `current_level` is that depth.": async () => {
        const depths = Object.fromEntries(itemsOf(await list()).map(({ id, current_level }) => [id, current_level]));
        const depthsOfChain = Object.fromEntries(chain.slice(0, 5).map((id, index) => [id, index + 1]));
        expectSame(depths, { ...depthsOfChain, [zoe]: 1, [abe]: 2, [twin]: 2, [lou]: 2 });
      },
      "`level_no` | 1 to 5 | no | only this depth": async () => {
        for (const level_no of ["0", "6", "one"]) expectInvalid(await list({ level_no }), "level_no");
        expectList(await list({ level_no: "2" }), [abe, twin, second, lou]);
        expectList(await list({ level_no: "5" }), [chain[4]]);
      },
      "With `team_member_id`, depths count from that member. It must be the caller or a member of the caller's team; otherwise the answer is 404.":
        async () => {
          const team = await list({ team_member_id: second });
          expectList(team, chain.slice(2));
          expectList(team, [1, 2, 3, 4], "current_level");
          expectFailure(await list({ team_member_id: sid }), 404, "NOT_FOUND");
          expectFailure(await list({ team_member_id: chain[5] ?? "" }), 404, "NOT_FOUND");
          expectFailure(await list({ team_member_id: ann.id }, { caller: eve }), 404, "NOT_FOUND");
          expectOk(await list({ team_member_id: ann.id }));
        },
      "`levels` always has five entries. `total_members` counts that depth of the member's own team. `total_tokens_earned` is what the member has earned from that depth at this store.":
        async () => {
          const member = await memberOf(first);
          expectSame(levelsOf(member, "level_no"), [1, 2, 3, 4, 5]);
          expectSame(levelsOf(member, "total_members"), [4, 1, 1, 1, 1]);
          expectSame(levelsOf(member, "total_tokens_earned"), [0.3, 0, 7, 0, 0]);
          expectSame(levelsOf(await memberOf(zoe), "total_members"), [0, 0, 0, 0, 0]);
        },
      "`total_balance` is the member's balance at this store. `team_store_count` is the number of stores that the member has joined.":
        async () => {
          expectFields(await memberOf(first), { total_balance: 10.1, team_store_count: 2, friend_status: 1 });
        },
      'Order: depth, then name ("First Last"), then id.': async () => {
        expectList(await list(), [first, zoe, abe, twin, second, lou, third, chain[3], chain[4]]);
      },
      "A caller who is not a member, or has no team, gets empty `items`.": async () => {
        expectList(await list({}, { caller: eve }), []);
        expectList(await list({}, { at: elsewhere }), []);
      },
    },
  };
}
