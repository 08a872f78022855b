import { balancesOf, DEPTHS, teamOf } from "./state.ts";
import { type Group, pair, type Tables } from "./tables.ts";

// What the endpoints must answer (docs/contract/interface.md, 4.1 to 4.3 and 4.5), found by looking at everything.

/** The ids of an account's campaigns at latitude 1, where some stores are; the others are too far away. */
export function nearbyCampaignsOf(tables: Tables, accountId: string): string[] {
  return [...tables.campaigns]
    .flatMap(([id, { account_id, stores, deleted }]) => {
      const listed =
        stores ?? [...tables.stores.keys()].filter((one) => tables.stores.get(one)?.account_id === accountId);
      const nearby = listed.filter((one) => isStoreThere(tables, one) && tables.stores.get(one)?.latitude === 1);
      if (account_id !== accountId || deleted === 1 || nearby.length === 0) return [];
      const earned = [...tables.entries.values()]
        .filter((one) => one.campaign_id === id && one.amount > 0 && nearby.includes(one.store_id))
        .reduce((sum, { amount }) => sum + amount, 0);
      return { id, earned };
    })
    .sort((one, other) => other.earned - one.earned || compare(one.id, other.id))
    .map(({ id }) => id);
}

/** The first page of a customer's message groups at a second. */
export function messageGroupsOf(tables: Tables, caller: string, now: string) {
  return [...tables.groups]
    .flatMap(([id, group]) => {
      const last = lastShown(group, now);
      if (last === undefined || !group.member_ids.includes(caller)) return [];
      const members = group.member_ids.filter((member) => member !== caller).map((id) => memberOf(tables, caller, id));
      const state = group.states.get(caller);
      const hasRead = last.customer_id === caller || (state?.read_at ?? "") >= last.time;
      return {
        group_id: id,
        group_name: nameOfGroup(members),
        last_message: tables.bodies.get(last.id),
        last_message_time: last.time,
        initial_customer_id: group.initial_customer_id,
        initial_customer_name: nameOf(tables, group.initial_customer_id),
        last_customer: last.customer_id,
        last_customer_name: nameOf(tables, last.customer_id),
        read_status: hasRead ? 1 : 0,
        notifications_disabled: state?.notifications_disabled ?? 0,
        group_members: members,
      };
    })
    .sort(
      (one, other) => compare(other.last_message_time, one.last_message_time) || compare(one.group_id, other.group_id),
    );
}

/** The last message by time, then by the order of storing, of those whose second is over. */
function lastShown({ messages }: Group, now: string) {
  const shown = messages.filter(({ time }) => time < now);
  const newest = shown
    .map(({ time }) => time)
    .sort()
    .at(-1);
  return shown.findLast(({ time }) => time === newest);
}

function memberOf(tables: Tables, caller: string, id: string) {
  return {
    id,
    name: nameOf(tables, id),
    friend_status: tables.friendships.get([caller, id].sort().join("|")) ?? -1,
    total_balance: (balancesOf(tables).ofCustomer.get(id) ?? 0) / 100,
    is_blocked: tables.blocks.has(pair(caller, id)),
  };
}

function nameOf({ customers }: Tables, id: string): string {
  const customer = customers.get(id);
  return customer === undefined || customer.erased === 1 ? "" : `${customer.first_name} X`;
}

function nameOfGroup(members: readonly { name: string; is_blocked: boolean }[]): string {
  const names = members.filter((member) => !member.is_blocked).map(({ name }) => name);
  const blocked = members.length - names.length;
  return [...(names.length > 0 ? [names.join(", ")] : []), ...(blocked > 0 ? [`(${blocked} blocked)`] : [])].join(" ");
}

/** The members of a team as the caller may see them, or null where the answer is 404. */
export function membersOf(
  tables: Tables,
  { store, caller, root, level }: { store: string; caller: string; root: string; level: number | null },
) {
  if (!isStoreThere(tables, store)) return null;
  const below = (id: string) =>
    DEPTHS.flatMap((depth) =>
      teamOf(tables, { store_id: store, customer_id: id }, depth).map(({ customer_id: id }) => ({ id, depth })),
    );
  const isMember = tables.memberships.get(pair(store, caller))?.joined === 1;
  if (root !== caller && !(isMember && below(caller).some(({ id }) => id === root))) return null;
  if (!isMember) return [];
  return below(root)
    .filter(({ depth }) => level === null || depth === level)
    .map(({ id, depth }) => ({
      id,
      name: nameOf(tables, id),
      customer_description: "",
      avatar: "",
      friend_status: tables.friendships.get([caller, id].sort().join("|")) ?? -1,
      team_store_count: [...tables.memberships.values()].filter(
        (one) => one.customer_id === id && one.joined === 1 && isStoreThere(tables, one.store_id),
      ).length,
      total_balance: (balancesOf(tables).atStore.get(pair(store, id)) ?? 0) / 100,
      current_level: depth,
      levels: DEPTHS.map((level_no) => ({
        level_no,
        total_members: below(id).filter((one) => one.depth === level_no).length,
        total_tokens_earned: earnedOf(tables, store, id, level_no) / 100,
      })),
    }))
    .sort(
      (one, other) =>
        one.current_level - other.current_level || compare(one.name, other.name) || compare(one.id, other.id),
    );
}

function earnedOf({ earnings }: Tables, store: string, customer: string, level: number): number {
  return [...earnings.values()]
    .filter((one) => one.store_id === store && one.customer_id === customer && one.level_no === level)
    .reduce((sum, { tokens }) => sum + tokens, 0);
}

/** A customer's combined coupon list; no coupon of the model ever ends. */
export function couponsOf(tables: Tables, caller: string) {
  const held = [...tables.customerCoupons].flatMap(([id, one]) => {
    const coupon = tables.coupons.get(one.campaign_coupon_id);
    const isThere =
      coupon !== undefined && isCouponThere(tables, one.campaign_coupon_id) && isStoreThere(tables, one.store_id);
    if (one.customer_id !== caller || one.usage_count > 0 || !isThere) return [];
    const store_name = tables.stores.get(one.store_id)?.name;
    const { campaign_coupon_id, created_at } = one;
    const common = { id, campaign_coupon_id, campaign_id: coupon.campaign_id ?? "", store_name, created_at };
    return { kind: coupon.kind, record: { ...common, ...shared(tables, coupon) } };
  });
  const joined = [...tables.memberships.values()]
    .filter((one) => one.customer_id === caller && one.joined === 1 && isStoreThere(tables, one.store_id))
    .map(({ store_id }) => tables.stores.get(store_id)?.account_id);
  const digital = [...tables.coupons]
    .filter(
      ([id, coupon]) => coupon.kind === "digital" && isCouponThere(tables, id) && joined.includes(coupon.account_id),
    )
    .map(([id, coupon]) => ({ id, created_at: coupon.created_at, ...shared(tables, coupon) }));
  const heldOf = (kind: string) => newestFirst(held.filter((one) => one.kind === kind).map(({ record }) => record));
  return { store: heldOf("store"), mfg: heldOf("mfg"), digital: newestFirst(digital) };
}

/** What a coupon says of itself and its account, whoever holds it. */
function shared({ accounts }: Tables, { name, account_id }: { name: string; account_id: string }) {
  return { name, account_id, company: accounts.get(account_id)?.company };
}

function isAccountThere({ accounts }: Tables, id: string | undefined): boolean {
  return accounts.get(id ?? "")?.deleted === 0;
}

function isStoreThere(tables: Tables, id: string): boolean {
  const store = tables.stores.get(id);
  return store?.deleted === 0 && isAccountThere(tables, store.account_id);
}

function isCouponThere(tables: Tables, id: string): boolean {
  const coupon = tables.coupons.get(id);
  return coupon?.deleted === 0 && isAccountThere(tables, coupon.account_id);
}

function newestFirst<Entry extends { id: string; created_at: string }>(records: Entry[]): Entry[] {
  return records.sort((one, other) => compare(other.created_at, one.created_at) || compare(one.id, other.id));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
