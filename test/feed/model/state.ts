import { pair, type Tables } from "./tables.ts";

/** How far a team goes down. */
export const DEPTHS = [1, 2, 3, 4, 5];

/** The tables as the database shows them, with every total counted anew. */
export function stateOf(tables: Tables) {
  const { accounts, stores, campaigns, customers, memberships, registrations, entries } = tables;
  const balances = balancesOf(tables);
  const joined = [...memberships.values()].filter((one) => one.joined === 1);
  return {
    accounts: withIds(accounts),
    stores: withIds(stores),
    campaigns: withIds(campaigns).map(({ stores: own, ...row }) => ({ ...row, is_for_all: own === null ? 1 : 0 })),
    customers: withIds(customers).map((row) => ({
      ...row,
      balance: balances.ofCustomer.get(row.id) ?? 0,
      stores_count: joined.filter(({ customer_id }) => customer_id === row.id).length,
    })),
    memberships: byKey(memberships).map((one) => ({
      ...one,
      ...Object.fromEntries(DEPTHS.map((depth) => [`members_${depth}`, teamOf(tables, one, depth).length])),
    })),
    registrations: byKey(registrations),
    entries: withIds(new Map([...entries].sort())),
    earned: earnings(tables),
    balances: [...balances.atStore].sort().map(([key, balance]) => {
      const [store_id, customer_id] = key.split("|");
      return { store_id, customer_id, balance };
    }),
    ...belongingsOf(tables),
  };
}

/** What customers hold, and what they are to each other. */
function belongingsOf({ friendships, blocks, coupons, customerCoupons, groups, bodies }: Tables) {
  const all = [...groups].sort();
  return {
    friendships: [...friendships].sort().map(([key, status]) => ({ pair: key, status })),
    blocks: byKey(blocks),
    coupons: withIds(coupons),
    customerCoupons: withIds(new Map([...customerCoupons].sort())),
    groups: all.map(([id, { initial_customer_id }]) => ({ id, initial_customer_id })),
    members: all.flatMap(([group_id, group]) => group.member_ids.map((customer_id) => ({ group_id, customer_id }))),
    states: all.flatMap(([group_id, { states }]) =>
      [...states].sort().map(([customer_id, state]) => ({ group_id, customer_id, ...state })),
    ),
    messages: [...bodies].sort().map(([id, body]) => ({ id, body })),
  };
}

function withIds<Row extends object>(rows: Map<string, Row>): (Row & { id: string })[] {
  return [...rows].map(([id, row]) => ({ id, ...row }));
}

function byKey<Row extends object>(rows: Map<string, Row>): Row[] {
  return [...rows].sort().map(([, row]) => row);
}

/** The balance of each customer, over all stores and at each. */
export function balancesOf({ entries }: Tables) {
  const [ofCustomer, atStore] = [new Map<string, number>(), new Map<string, number>()];
  for (const { store_id, customer_id, amount } of entries.values()) {
    ofCustomer.set(customer_id, (ofCustomer.get(customer_id) ?? 0) + amount);
    atStore.set(pair(store_id, customer_id), (atStore.get(pair(store_id, customer_id)) ?? 0) + amount);
  }
  return { ofCustomer, atStore };
}

/** What campaigns have earned at stores, and the stores that they list. */
function earnings({ campaigns, entries }: Tables) {
  const earned = new Map<string, number>();
  for (const { campaign_id, store_id, amount } of entries.values()) {
    const key = pair(campaign_id, store_id);
    if (campaign_id !== null && amount > 0) earned.set(key, (earned.get(key) ?? 0) + amount);
  }
  const listed = [...campaigns].flatMap(([id, { stores }]) => (stores ?? []).map((storeId) => pair(id, storeId)));
  return [...new Set([...listed, ...earned.keys()])].sort().map((key) => {
    const [campaign_id, store_id] = key.split("|");
    return { campaign_id, store_id, listed: listed.includes(key) ? 1 : 0, earned: earned.get(key) ?? 0 };
  });
}

/** Those now joined who are so many levels below a member of a store, found by walking up from each. */
export function teamOf({ memberships }: Tables, { store_id, customer_id }: Member, depth: number): Member[] {
  return [...memberships.values()].filter(
    (one) => one.store_id === store_id && one.joined === 1 && ancestor(memberships, one, depth) === customer_id,
  );
}

interface Member {
  store_id: string;
  customer_id: string;
}

function ancestor(memberships: Tables["memberships"], member: Member, depth: number) {
  let id: string | null = member.customer_id;
  for (let up = 0; up < depth && id !== null; up += 1)
    id = memberships.get(pair(member.store_id, id))?.referrer_id ?? null;
  return id;
}
