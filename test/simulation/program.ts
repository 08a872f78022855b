import type { Random } from "../../scripts/demo/random.ts";

// What a program holds. All programs have the same ids; each text says whose it is, so that nothing of one can pass for
// another's.

/** Three programs with the same ids, and one that is empty until what another has is restored into it. */
export const PROGRAMS = ["", "acme", "globex"] as const;
export const SPARE_PROGRAM = "spare";
export const RESTORED_PROGRAM = "acme";

export const ACCOUNT = "165";
export const STORES = ["s1", "s2", "s3"];
export const CUSTOMERS = ["c1", "c2", "c3", "c4", "c5", "c6"];
export const GROUPS = ["g1", "g2", "g3", "g4"];
export const EMPLOYEES = ["e1", "e2", "e3"];
export const CAMPAIGN = "k1";
export const EIP_CAMPAIGN = "p1";
export const COUPON = "q1";

export type Line = Record<string, unknown> & { record: string };

/** The mark in a text by which its program is known. */
export function markOf(program: string): string {
  const origin = program === SPARE_PROGRAM ? RESTORED_PROGRAM : program;
  return `@${origin === "" ? "default" : origin}`;
}

/** Everything of a program that is fed before anything goes wrong. */
export function firstLines(program: string): Line[] {
  const mark = markOf(program);
  return [
    { record: "account", id: ACCOUNT, company: `Blue Cup ${mark}` },
    ...STORES.map((id, index) => ({
      record: "store",
      id,
      account_id: ACCOUNT,
      name: `Main Street ${index} ${mark}`,
      latitude: 35.47 + index / 100,
      longitude: -97.52,
    })),
    {
      record: "campaign",
      id: CAMPAIGN,
      account_id: ACCOUNT,
      name: `Double points ${mark}`,
      campaign_start_date: "2020-01-01",
    },
    ...CUSTOMERS.map((id) => customer(program, id)),
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
      name: `Free coffee ${mark}`,
      type: "Free_Item",
      value: "1.00",
    },
    ...EMPLOYEES.map((id) => ({ record: "employee", id, account_id: ACCOUNT, name: `Babe ${id} ${mark}` })),
    {
      record: "eip_campaign",
      id: EIP_CAMPAIGN,
      account_id: ACCOUNT,
      name: `Home runs ${mark}`,
      start_date: "2020-01-01",
    },
  ];
}

export function customer(program: string, id: string): Line {
  return { record: "customer", id, first_name: `Ada ${id}`, last_name: markOf(program) };
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
