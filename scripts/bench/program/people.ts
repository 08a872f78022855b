import { Random } from "../../demo/random.ts";
import { city, firstName, lastName } from "./names.ts";
import type { ProgramLine } from "./program.ts";
import { type Shape, wideTeamOf } from "./shape.ts";

const REFERRALS_IN_THE_WIDE_TEAM = 12;
// A name that nobody else bears: no sound of the others is written with two x.
const RARE = { customer: 7, first_name: "Xyxqu", last_name: "Quxxy" };

/** One in fifteen has a second first name, one in twenty-five an initial. */
function firstNames(random: Random): string {
  const [first, chance] = [firstName(random), random.next()];
  if (chance < 1 / 15) return `${first} ${firstName(random)}`;
  return chance > 1 - 1 / 25 ? `${first} ${firstName(random).charAt(0)}.` : first;
}

/** One in twenty has two. */
function lastNames(random: Random): string {
  const last = lastName(random);
  return random.next() < 1 / 20 ? `${last}-${lastName(random)}` : last;
}

export function* customers({ customers }: Shape): Generator<ProgramLine> {
  const random = new Random("customers");
  for (let customer = 0; customer < customers; customer += 1) {
    const name = { first_name: firstNames(random), last_name: lastNames(random) };
    yield {
      record: "customer",
      id: `c${customer}`,
      ...(customer === RARE.customer ? { first_name: RARE.first_name, last_name: RARE.last_name } : name),
      scan_id: String(4_000_000_000 + customer),
      date_of_birth: `${1950 + (customer % 58)}-0${1 + (customer % 9)}-1${customer % 10}`,
      address_line_1: `${random.integer(1, 999)} ${lastName(random)} Street`,
      city: city(random),
      zip: String(random.integer(10_000, 99_999)),
    };
  }
}

/** Everybody has joined one store, most by referral; the first customers are the wide team of the first store too. */
export function* memberships(shape: Shape): Generator<ProgramLine> {
  const random = new Random("memberships");
  for (let member = 0; member < wideTeamOf(shape); member += 1) {
    const referrer = member === 0 ? null : `c${Math.floor((member - 1) / REFERRALS_IN_THE_WIDE_TEAM)}`;
    yield { record: "membership", store_id: "s0", customer_id: `c${member}`, referrer_id: referrer };
  }
  const newest = new Map<number, number>();
  for (const [customer, store] of shape.storeOf.entries()) {
    const before = newest.get(store);
    const referrer = before === undefined || random.next() < 0.3 ? null : `c${before}`;
    newest.set(store, customer);
    yield { record: "membership", store_id: `s${store}`, customer_id: `c${customer}`, referrer_id: referrer };
  }
}

export function* friendships({ customers }: Shape): Generator<ProgramLine> {
  for (let customer = 0; customer + 3 < customers; customer += 10) {
    const status = customer % 30 === 0 ? 0 : 1;
    yield { record: "friendship", customer_id: `c${customer}`, friend_id: `c${customer + 3}`, status };
  }
}

export function* blocks({ customers }: Shape): Generator<ProgramLine> {
  for (let customer = 0; customer + 4 < customers; customer += 100) {
    yield { record: "block", customer_id: `c${customer}`, blocked_id: `c${customer + 4}` };
  }
}
