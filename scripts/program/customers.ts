import { campaignId, couponId, issuedCoupons, RUNNING, storeId } from "./chains.ts";
import type { Line } from "./line.ts";
import { CITIES, namesOf } from "./names.ts";
import { Random } from "./random.ts";
import { type Shape, timeIn2026 } from "./shape.ts";

const REFERRALS_IN_THE_WIDE_TEAM = 12;
// A name that no other customer has. It has two x, and no other name does.
const RARE = { customer: 7, first_name: "Xyxqu", last_name: "Quxxy" };

/** The id of a customer, by a number from 0. */
export const customerId = (customer: number) => `c${customer + 1}`;

/** One in fifteen customers has a second first name, one in twenty-five an initial. */
function firstNames(random: Random, shape: Shape): string {
  const { firstName } = namesOf(shape);
  const [first, chance] = [firstName(random), random.next()];
  if (chance < 1 / 15) return `${first} ${firstName(random)}`;
  return chance > 1 - 1 / 25 ? `${first} ${firstName(random).charAt(0)}.` : first;
}

/** One in twenty customers has two last names. */
function lastNames(random: Random, shape: Shape): string {
  const { lastName } = namesOf(shape);
  const last = lastName(random);
  return random.next() < 1 / 20 ? `${last}-${lastName(random)}` : last;
}

export function* customers(shape: Shape): Generator<Line> {
  const random = new Random("customers");
  const { streetName } = namesOf(shape);
  for (let customer = 0; customer < shape.customers; customer += 1) {
    const name = { first_name: firstNames(random, shape), last_name: lastNames(random, shape) };
    const { city, state } = random.pick(CITIES);
    yield {
      record: "customer",
      id: customerId(customer),
      ...(customer === RARE.customer ? { first_name: RARE.first_name, last_name: RARE.last_name } : name),
      scan_id: String(4_000_000_000 + customer),
      date_of_birth: `${1950 + ((customer * 17 + 35) % 58)}-0${1 + (customer % 9)}-1${customer % 10}`,
      address_line_1: `${random.integer(1, 999)} ${streetName(random)} Street`,
      city,
      state,
      zip: String(random.integer(10_000, 99_999)),
      avatar: `https://images.example/customers/${customerId(customer)}.png`,
    };
  }
}

export interface Visit {
  number: number;
  customer: number;
  store: number;
  chain: number;
}

export function* visits({ storeOf, chainOf, visits }: Shape): Generator<Visit> {
  for (const [number, store] of storeOf.entries()) {
    yield { number, customer: Math.floor(number / visits), store, chain: chainOf[store] ?? 0 };
  }
}

/**
 * The wide team of the first store, then a membership for each visit. A member is referred by nobody, or by the first
 * or the latest member of the store.
 */
export function* memberships(shape: Shape): Generator<Line> {
  const random = new Random("memberships");
  const record = "membership";
  for (let member = 0; member < shape.wideTeam; member += 1) {
    const referrer = member === 0 ? null : customerId(Math.floor((member - 1) / REFERRALS_IN_THE_WIDE_TEAM));
    yield { record, store_id: storeId(shape, 0), customer_id: customerId(member), referrer_id: referrer };
  }
  const first = new Map<number, number>();
  const last = new Map<number, number>();
  for (const { customer, store } of visits(shape)) {
    const referrer = random.pick([null, first.get(store) ?? null, last.get(store) ?? null]);
    if (!first.has(store)) first.set(store, customer);
    last.set(store, customer);
    yield {
      record,
      store_id: storeId(shape, store),
      customer_id: customerId(customer),
      referrer_id: referrer === null ? null : customerId(referrer),
      joined_at: "2025-02-01 10:00:00",
    };
  }
}

/** Registrations for running campaigns: one for every fifth visit, at the chain of the visit. */
export function* registrations(shape: Shape): Generator<Line> {
  const running = RUNNING.filter((number) => number < shape.campaigns);
  for (const { number, customer, chain } of visits(shape)) {
    if (number % 5 > 0) continue;
    const campaign = running[(number / 5 + 1) % running.length] ?? 0;
    yield { record: "registration", campaign_id: campaignId(chain, campaign), customer_id: customerId(customer) };
  }
}

/** The first customer has a friend and a pending request. One in ten other customers has a friend. */
export function* friendships({ customers }: Shape): Generator<Line> {
  const record = "friendship";
  yield { record, customer_id: "c1", friend_id: `c${Math.min(6, customers - 1)}`, status: 1 };
  yield { record, customer_id: `c${Math.min(11, customers - 2)}`, friend_id: "c1", status: 0 };
  for (let customer = 10; customer + 3 < customers; customer += 10) {
    const pair = { customer_id: customerId(customer), friend_id: customerId(customer + 3) };
    yield { record, ...pair, status: customer % 30 === 0 ? 0 : 1 };
  }
}

export function* blocks({ customers }: Shape): Generator<Line> {
  yield { record: "block", customer_id: "c1", blocked_id: `c${Math.min(16, customers)}` };
  for (let customer = 100; customer + 4 < customers; customer += 100) {
    yield { record: "block", customer_id: customerId(customer), blocked_id: customerId(customer + 4) };
  }
}

// The states of issued coupons. The first three can be used. The others are used up, over or deleted.
const STATES = [
  { creation_method: "Signup Bonus" },
  { creation_method: "TriggeredSale", total_count: 3, usage_count: 1, expected_end_date: "2099-06-30" },
  { creation_method: "Birthday Coupon", expected_end_date: "2098-03-01 12:00:00" },
  { creation_method: "TriggeredSale", usage_count: 1 },
  { creation_method: "TriggeredSale", expected_end_date: "2025-01-31", created_at: "2025-01-01 09:00:00" },
  { creation_method: "Signup Bonus", deleted_at: "2026-02-01 08:00:00" },
];

/**
 * Coupons in every state at the first visit, then a coupon for every second visit, then the many coupons of `holders`.
 */
export function* customerCoupons(shape: Shape): Generator<Line> {
  const random = new Random("customer coupons");
  const { usable, ended } = issuedCoupons(shape);
  const all = [...usable, ...ended];
  const record = "customer_coupon";
  for (const { number, customer, chain, store } of visits(shape)) {
    const states = number === 0 ? STATES : [random.pick(STATES)];
    const oneOrNone = number % 2 === 1 ? [random.pick(all)] : [];
    const coupons = number === 0 ? all : oneOrNone;
    for (const [index, state] of states.entries()) {
      // The first customer has coupons from all of their stores.
      const issuedAt = number === 0 ? (shape.storeOf[index % shape.visits] ?? store) : store;
      const owner = { customer_id: customerId(customer), store_id: storeId(shape, issuedAt) };
      for (const coupon of coupons) {
        const campaign_coupon_id = couponId(chain, coupon);
        const id = `cc${number}-${index}-${campaign_coupon_id.slice(5)}`;
        const created_at = timeIn2026(number * 60 + index);
        yield { record, id, ...owner, campaign_coupon_id, created_at, ...state };
      }
    }
  }
  for (const { customer, coupons, chains } of shape.holders) {
    for (let index = 0; index < coupons; index += 1) {
      const chain = index % Math.min(chains, shape.chains);
      yield {
        record,
        id: `cc-${customer}-${index}`,
        customer_id: `c${customer}`,
        campaign_coupon_id: couponId(chain, usable[index % usable.length] ?? 0),
        store_id: storeId(shape, shape.firstStores[chain] ?? 0),
        expected_end_date: "2099-06-30",
        created_at: timeIn2026(index),
      };
    }
  }
}

/** A redemption of every fourth issued coupon whose campaign has ended, so that no list is shorter. */
export function* redemptions(shape: Shape): Generator<Line> {
  const { ended } = issuedCoupons(shape);
  const endedIds = new Set(shape.chainSizes.flatMap((_, chain) => ended.map((coupon) => couponId(chain, coupon))));
  let index = 0;
  for (const { id, store_id, campaign_coupon_id } of customerCoupons(shape)) {
    if (!endedIds.has(String(campaign_coupon_id))) continue;
    index += 1;
    const redeemed_at = timeIn2026(index);
    if (index % 4 === 1) yield { record: "redemption", id: `r-${id}`, customer_coupon_id: id, store_id, redeemed_at };
  }
}
