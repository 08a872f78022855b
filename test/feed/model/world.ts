import fc from "fast-check";
import * as seed from "../../support/seed.ts";
import type { ModelLine } from "./kind.ts";

/** A world so small that ids repeat, collide with another account's, and dangle. Each run has a world of its own. */
export function world(run: number) {
  const ids = (letter: string, count: number) => Array.from({ length: count }, (_, at) => `${run}-${letter}${at + 1}`);
  return {
    accounts: [`${run}1`, `${run}2`, `${run}3`],
    stores: ids("s", 3),
    campaigns: ids("k", 3),
    customers: ids("c", 4),
    entries: ids("b", 8),
    coupons: ids("q", 4),
    customerCoupons: ids("i", 4),
    groups: ids("g", 2),
    messages: ids("m", 12),
  };
}
export type World = ReturnType<typeof world>;

const KINDS_OF_COUPONS = ["store", "mfg", "digital", "store"];

// The first account owns all but the last store, campaign and coupon.
function ownerOf({ accounts }: World, index: number, ids: readonly string[]): string | undefined {
  return accounts[index < ids.length - 1 ? 0 : 1];
}

const any = <Value>(values: readonly Value[]) => fc.constantFrom(...values);
const name = any(["Ada", "Zoë"]);

/** Mostly the first, so that many requests are taken; sometimes the other, so that many are not. */
function mostly<Value>(good: fc.Arbitrary<Value>, bad: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  return fc.oneof({ weight: 30, arbitrary: good }, { weight: 1, arbitrary: bad });
}

function line(record: string, fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<ModelLine> {
  return fc.record({ record: fc.constant(record), ...fields });
}

/** A line with one of the ids, and the account that mostly owns it. */
function owned(
  record: string,
  ids: World,
  of: "stores" | "campaigns" | "coupons",
  fields: (index: number) => Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<ModelLine> {
  return fc.nat(ids[of].length - 1).chain((index) =>
    line(record, {
      id: fc.constant(ids[of][index]),
      account_id: mostly(fc.constant(ownerOf(ids, index, ids[of])), any(ids.accounts)),
      name,
      ...fields(index),
    }),
  );
}

/** Lines about the records of a program, and about what belongs to customers, in equal parts. */
export function lines(ids: World): { program: fc.Arbitrary<ModelLine>; belongings: fc.Arbitrary<ModelLine> } {
  const { accounts, stores, campaigns, customers, entries } = ids;
  const store = mostly(any(stores.slice(0, -1)), any(stores));
  const campaign = mostly(any(campaigns.slice(0, -1)), any(campaigns));
  const customer = mostly(any(customers.slice(0, -1)), any(customers));
  const keys = fc.oneof(
    line("account", { id: any(accounts) }),
    line("store", { id: any(stores) }),
    line("campaign", { id: any(campaigns) }),
    line("customer", { id: any(customers) }),
    line("membership", { store_id: any(stores), customer_id: any(customers) }),
    line("registration", { campaign_id: any(campaigns), customer_id: any(customers) }),
  );
  const entry = line("balance_entry", {
    id: any(entries),
    customer_id: customer,
    store_id: store,
    campaign_id: fc.option(campaign),
    amount: any(["1.00", "-0.50", "2.25"]),
  });
  const program = fc.oneof(
    line("account", { id: any(accounts), company: name }),
    owned("store", ids, "stores", () => ({ latitude: any([1, 2]), longitude: fc.constant(3) })),
    owned("campaign", ids, "campaigns", () => ({
      campaign_start_date: fc.constant("2026-01-01"),
      store_ids: fc.oneof(fc.constant("all"), fc.uniqueArray(store, { maxLength: 2 })),
    })),
    line("customer", { id: any(customers), first_name: name, last_name: fc.constant("X") }),
    // Nobody refers an earlier customer: which line of a circle is named is not the model's to say.
    line("membership", {
      store_id: store,
      member: mostly(fc.nat(2), fc.nat(3)),
      above: fc.option(fc.nat(3), { freq: 1 }),
    }).map(({ member, above, ...rest }) => ({
      ...rest,
      customer_id: customers[Number(member)],
      referrer_id: above === null ? null : customers[Math.min(Number(member), Number(above))],
    })),
    line("registration", { campaign_id: campaign, customer_id: customer }),
    entry,
    entry,
    keys.map((key) => ({ ...key, deleted: true })),
    // So that enough customers are erased.
    line("customer", { id: any(customers) }).map((key) => ({ ...key, deleted: true })),
  );
  return { program, belongings: belongings(ids, { store, campaign, customer }) };
}

function belongings(
  ids: World,
  { store, campaign, customer }: Record<"store" | "campaign" | "customer", fc.Arbitrary<string>>,
): fc.Arbitrary<ModelLine> {
  const { customers, coupons, customerCoupons, groups, messages } = ids;
  const group = any(groups);
  const some = (minLength: number, maxLength: number) =>
    mostly(
      fc.shuffledSubarray(customers.slice(0, -1), { minLength, maxLength }),
      fc.shuffledSubarray(customers, { minLength, maxLength }),
    );
  const two = some(2, 2);
  const keys = fc.oneof(
    two.map(([customer_id, friend_id]) => ({ record: "friendship", customer_id, friend_id })),
    two.map(([customer_id, blocked_id]) => ({ record: "block", customer_id, blocked_id })),
    line("coupon", { id: any(coupons) }),
    line("customer_coupon", { id: any(customerCoupons) }),
    line("message_group", { id: group }),
    line("message_state", { group_id: group, customer_id: any(customers) }),
    { weight: 2, arbitrary: line("message", { id: any(messages) }) },
    { weight: 4, arbitrary: line("customer", { id: any(customers) }) },
  );
  const message = line("message", {
    id: any(messages),
    group_id: group,
    customer_id: customer,
    body: any(["Hello", "Bye"]),
    sent_at: fc.option(any(["2026-01-01 00:00:01", "2026-01-01 00:00:02", "2026-05-31 23:30:00"])),
  });
  const held = fc.nat(customerCoupons.length - 1).chain((index) =>
    line("customer_coupon", {
      id: fc.constant(customerCoupons[index]),
      customer_id: mostly(fc.constant(customers[index % 2]), customer),
      campaign_coupon_id: mostly(fc.constant(coupons[index >> 1]), any(coupons)),
      store_id: mostly(fc.constant(ids.stores[index % 2]), store),
      usage_count: mostly(fc.constant(0), fc.constant(1)),
    }),
  );
  return fc.oneof(
    two.chain(([customer_id, friend_id]) =>
      line("friendship", {
        customer_id: fc.constant(customer_id),
        friend_id: fc.constant(friend_id),
        status: fc.nat(1),
      }),
    ),
    two.map(([customer_id, blocked_id]) => ({ record: "block", customer_id, blocked_id })),
    owned("coupon", ids, "coupons", (index) => ({
      kind: mostly(fc.constant(KINDS_OF_COUPONS[index]), any(KINDS_OF_COUPONS)),
      type: fc.constant("Free_Item"),
      value: fc.constant("1.00"),
      campaign_id: fc.option(campaign),
    })),
    held,
    held,
    // The initial customer is mostly the same; who else is a member changes, and so does the order.
    mostly(fc.constant(customers[0]), any(customers)).chain((initial) =>
      line("message_group", {
        id: group,
        initial_customer_id: fc.constant(initial),
        member_ids: some(2, 3).filter((members) => members.some((member) => member === initial)),
      }),
    ),
    line("message_state", {
      group_id: group,
      customer_id: customer,
      read_at: fc.option(any(["2026-01-01 00:00:01", "2026-06-01 00:05:00"])),
      notifications_disabled: fc.nat(1),
    }),
    message,
    message,
    { weight: 4, arbitrary: keys.map((key) => ({ ...key, deleted: true })) },
  );
}

/** Lines that make most of the world: what follows finds most of its references, not all. */
export function beginning(ids: World): ModelLine[] {
  const { accounts, stores, campaigns, customers, coupons, customerCoupons, groups, messages } = ids;
  const [one, other] = accounts;
  const ada = { last_name: "X", first_name: "Ada" };
  return [
    ...[one, other].map((id) => seed.account({ id, company: "Ada" })),
    ...stores.map((id, index) =>
      seed.store(ownerOf(ids, index, stores), { id, name: "Ada", latitude: 1, longitude: 3 }),
    ),
    ...campaigns.slice(0, 2).map((id) => seed.campaign(one, { id, name: "Ada" })),
    ...customers.slice(0, -1).map((id) => seed.customer({ id, ...ada })),
    ...coupons.slice(0, 3).map((id, index) => seed.coupon(one, { id, kind: KINDS_OF_COUPONS[index], name: "Ada" })),
    ...stores.slice(0, 2).map((id, index) => seed.membership(id, customers[index])),
    ...customerCoupons
      .slice(0, 4)
      .map((id, index) =>
        seed.customerCoupon(customers[index % 2], coupons[index >> 1], stores[index % 2], { id, usage_count: 0 }),
      ),
    ...groups.map((id) => seed.group(customers.slice(0, -1), { id })),
    seed.message(groups[0], customers[0], { id: messages[0] }),
  ];
}
