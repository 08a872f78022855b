/** What the model remembers, each record under its id or, where its key is a pair, under both ids. */
export interface Tables {
  accounts: Map<string, { company: string; deleted: number }>;
  stores: Map<string, { account_id: string; name: string; latitude: number; deleted: number }>;
  /** `stores` is null for all stores. */
  campaigns: Map<string, { account_id: string; name: string; stores: string[] | null; deleted: number }>;
  customers: Map<string, { first_name: string; erased: number }>;
  memberships: Map<string, { store_id: string; customer_id: string; referrer_id: string | null; joined: number }>;
  registrations: Map<string, { campaign_id: string; customer_id: string }>;
  /** The status of each friendship, under both ids in their order. */
  friendships: Map<string, number>;
  blocks: Map<string, { customer_id: string; blocked_id: string }>;
  coupons: Map<string, Coupon>;
  customerCoupons: Map<string, CustomerCoupon>;
  groups: Map<string, Group>;
  /** Those of all messages by their ids, of removed groups too. */
  bodies: Map<string, string>;
  entries: Map<string, { customer_id: string; store_id: string; campaign_id: string | null; amount: number }>;
  earnings: Map<string, { customer_id: string; store_id: string; level_no: number; tokens: number }>;
}

export interface Coupon {
  account_id: string;
  kind: string;
  campaign_id: string | null;
  name: string;
  created_at: string;
  deleted: number;
}

export interface CustomerCoupon {
  customer_id: string;
  campaign_coupon_id: string;
  store_id: string;
  usage_count: number;
  created_at: string;
}

/** A group with all that ends with it. */
export interface Group {
  initial_customer_id: string;
  member_ids: string[];
  /** In the order in which they were stored. */
  messages: { id: string; customer_id: string; time: string }[];
  /** What members have read, by their ids. */
  states: Map<string, { read_at: string | null; notifications_disabled: number }>;
}

export function emptyTables(): Tables {
  return {
    accounts: new Map(),
    stores: new Map(),
    campaigns: new Map(),
    customers: new Map(),
    memberships: new Map(),
    registrations: new Map(),
    friendships: new Map(),
    blocks: new Map(),
    coupons: new Map(),
    customerCoupons: new Map(),
    groups: new Map(),
    bodies: new Map(),
    entries: new Map(),
    earnings: new Map(),
  };
}

/** The key of a pair. */
export const pair = (one: unknown, other: unknown) => `${one}|${other}`;

/** Whether a customer is stored, which one who was erased is not. */
export function isCustomer({ customers }: Tables, id: unknown): boolean {
  return customers.get(String(id))?.erased === 0;
}

/** Ends all that ends with the customers who are erased. */
export function endErased(tables: Tables): void {
  const { customers, memberships, registrations, friendships, blocks, customerCoupons, groups } = tables;
  for (const [id] of [...customers].filter(([, { erased }]) => erased === 1)) {
    for (const membership of memberships.values()) if (membership.customer_id === id) membership.joined = 0;
    for (const [key, one] of registrations) if (one.customer_id === id) registrations.delete(key);
    for (const key of friendships.keys()) if (key.split("|").includes(id)) friendships.delete(key);
    for (const [key, one] of blocks) if (one.customer_id === id || one.blocked_id === id) blocks.delete(key);
    for (const [key, one] of customerCoupons) if (one.customer_id === id) customerCoupons.delete(key);
    for (const group of groups.values())
      setMembers(
        group,
        group.member_ids.filter((member) => member !== id),
      );
  }
}

/** Changes who is in a group: what those who leave have read is forgotten. */
export function setMembers(group: Group, members: string[]): void {
  group.member_ids = members;
  for (const id of group.states.keys()) if (!members.includes(id)) group.states.delete(id);
}
