import type { Random } from "../../scripts/program/random.ts";

// What is fed.

export const ACCOUNT = "165";
export const STORES = ["s1", "s2", "s3"];
export const CUSTOMERS = ["c1", "c2", "c3", "c4", "c5", "c6"];
export const GROUPS = ["g1", "g2", "g3", "g4"];
export const EMPLOYEES = ["e1", "e2", "e3"];
export const CAMPAIGN = "k1";
export const EIP_CAMPAIGN = "p1";
export const COUPON = "q1";

export type Line = Record<string, unknown> & { record: string };

/** Everything that is fed before anything goes wrong. */
export const FIRST_LINES: readonly Line[] = [
  { record: "account", id: ACCOUNT, company: "Blue Cup" },
  ...STORES.map((id, index) => ({
    record: "store",
    id,
    account_id: ACCOUNT,
    name: `Main Street ${index}`,
    latitude: 35.47 + index / 100,
    longitude: -97.52,
  })),
  { record: "campaign", id: CAMPAIGN, account_id: ACCOUNT, name: "Double points", campaign_start_date: "2020-01-01" },
  ...CUSTOMERS.map(customer),
  ...CUSTOMERS.slice(0, 4).map((id, index) => ({
    record: "membership",
    store_id: "s1",
    customer_id: id,
    ...(index > 0 && { referrer_id: CUSTOMERS[index - 1] }),
  })),
  ...GROUPS.map((id, index) => group(id, index === 0 ? CUSTOMERS : CUSTOMERS.slice(index - 1, index + 3))),
  {
    record: "coupon",
    id: COUPON,
    account_id: ACCOUNT,
    kind: "store",
    name: "Free coffee",
    type: "Free_Item",
    value: "1.00",
  },
  ...EMPLOYEES.map((id) => ({ record: "employee", id, account_id: ACCOUNT, name: `Babe ${id}` })),
  { record: "eip_campaign", id: EIP_CAMPAIGN, account_id: ACCOUNT, name: "Home runs", start_date: "2020-01-01" },
];

export function customer(id: string): Line {
  return { record: "customer", id, first_name: `Ada ${id}`, last_name: "Lovelace" };
}

export function group(id: string, members: readonly string[]): Line {
  return { record: "message_group", id, initial_customer_id: members[0], member_ids: members };
}

/** Some members of a group, the first of whom began it, and who may not be another. */
export function someMembers(random: Random, id: string): string[] {
  const [first = ""] = id === "g1" ? CUSTOMERS : CUSTOMERS.slice(GROUPS.indexOf(id) - 1);
  const others = CUSTOMERS.filter((one) => one !== first);
  return [first, ...random.sample(others, random.integer(1, others.length))];
}
