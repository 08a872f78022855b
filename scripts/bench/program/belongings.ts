import { Random } from "../../demo/random.ts";
import { isIssued } from "./chains.ts";
import type { ProgramLine } from "./program.ts";
import { COUPONS_A_CHAIN, type Shape, timeIn2026 } from "./shape.ts";

const GROUPS_OF_THE_FIRST = 300;
/** Customers who hold more than one coupon: how many, and of how many chains. */
const HOLDERS = [
  { customer: 0, coupons: 100, chains: 10 },
  { customer: 2, coupons: 20, chains: 4 },
];
const CUSTOMERS_A_GROUP = 10;
const LARGEST_GROUP = 6;

/** Some hold many that can be used, every other customer has one, some of them used up. */
export function* customerCoupons({
  customers,
  chainSizes,
  firstStores,
  storeOf,
  chainOf,
}: Shape): Generator<ProgramLine> {
  const random = new Random("customer coupons");
  const issued = [...Array(COUPONS_A_CHAIN).keys()].filter(isIssued);
  for (const { customer, coupons, chains } of HOLDERS) {
    for (let index = 0; index < coupons; index += 1) {
      const chain = index % Math.min(chains, chainSizes.length);
      yield {
        record: "customer_coupon",
        id: `cc-${customer}-${index}`,
        customer_id: `c${customer}`,
        campaign_coupon_id: `q${chain}-${issued[index % issued.length]}`,
        store_id: `s${firstStores[chain]}`,
        expected_end_date: "2099-06-30",
        created_at: timeIn2026(index),
      };
    }
  }
  for (let customer = 1; customer < customers; customer += 2) {
    const store = storeOf[customer] ?? 0;
    yield {
      record: "customer_coupon",
      id: `cc${customer}`,
      customer_id: `c${customer}`,
      campaign_coupon_id: `q${chainOf[store]}-${random.pick(issued)}`,
      store_id: `s${store}`,
      usage_count: customer % 8 === 1 ? 1 : 0,
      created_at: timeIn2026(customer),
    };
  }
}

/** The first customer's groups, then one for every ten customers, each of two to six who follow on each other. */
function* groups({ customers }: Shape): Generator<{ id: string; members: readonly string[] }> {
  const random = new Random("groups");
  const others = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => `c${1 + ((from + index) % (customers - 1))}`);
  for (let group = 0; group < GROUPS_OF_THE_FIRST; group += 1) {
    yield { id: `g${group}`, members: ["c0", ...others(group * 3, 2)] };
  }
  for (let group = 0; group < customers / CUSTOMERS_A_GROUP; group += 1) {
    const members = others(random.integer(0, customers), random.integer(2, LARGEST_GROUP));
    yield { id: `g${GROUPS_OF_THE_FIRST + group}`, members };
  }
}

export function* messageGroups(shape: Shape): Generator<ProgramLine> {
  for (const { id, members } of groups(shape)) {
    const created_at = "2026-01-01 00:00:00";
    yield { record: "message_group", id, initial_customer_id: members[0], member_ids: members, created_at };
  }
}

export function* messages(shape: Shape): Generator<ProgramLine> {
  let index = 0;
  for (const { id, members } of groups(shape)) {
    for (const number of [0, 1]) {
      index += 1;
      yield {
        record: "message",
        id: `m${index}`,
        group_id: id,
        customer_id: members[number],
        body: `Message ${index}: see you at the store at the corner?`,
        sent_at: timeIn2026(index * 60),
      };
    }
  }
}

/** Every second group has been read by the second of its members. */
export function* messageStates(shape: Shape): Generator<ProgramLine> {
  let index = 0;
  for (const { id, members } of groups(shape)) {
    index += 1;
    if (index % 2 === 0) continue;
    yield { record: "message_state", group_id: id, customer_id: members[1], read_at: "2026-09-01 12:00:00" };
  }
}
