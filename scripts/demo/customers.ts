import { CITIES, type DemoLine, stores } from "./chains.ts";
import { Random } from "./random.ts";

const FIRST_NAMES = [
  "Ada",
  "Ben",
  "Chloé",
  "Diego",
  "Elif",
  "Fatima",
  "Goran",
  "Hana",
  "Ivan",
  "José",
  "Kofi",
  "Lena",
  "Mia",
];
const LAST_NAMES = [
  "Adeyemi",
  "Brown",
  "Castillo",
  "Dubois",
  "Eriksson",
  "Fischer",
  "García",
  "Haddad",
  "Ito",
  "Łukasz",
  "Marsh",
];
const CUSTOMERS = 500;
const STORES_OF_THE_LOYAL = 3;

/** Five hundred customers; the first is the one whose token `npm start` prints. */
export function customers(): (DemoLine & { id: string })[] {
  const random = new Random("customers");
  return Array.from({ length: CUSTOMERS }, (_, index) => {
    const home = random.pick(CITIES);
    return {
      record: "customer",
      id: `c${index + 1}`,
      first_name: random.pick(FIRST_NAMES),
      last_name: random.pick(LAST_NAMES),
      scan_id: String(4_000_000_000 + index),
      date_of_birth: `${random.integer(1950, 2007)}-${two(random.integer(1, 12))}-${two(random.integer(1, 28))}`,
      address_line_1: `${random.integer(1, 999)} Main Street`,
      city: home.city,
      state: home.province ?? "",
      zip: String(random.integer(10_000, 99_999)),
      avatar: `https://images.example/customers/c${index + 1}.png`,
    };
  });
}

/** Whom a customer buys from: every fifth customer at stores of the first chain, the others anywhere. */
export function visits(): { customerId: string; storeId: string; accountId: string }[] {
  const random = new Random("visits");
  const all = stores();
  const firstChain = all.slice(0, 20);
  return customers().flatMap(({ id }, index) =>
    random
      .sample(index % 5 === 0 ? firstChain : all, STORES_OF_THE_LOYAL)
      .map((store) => ({ customerId: id, storeId: store.id, accountId: store.account_id })),
  );
}

/** Who has joined which store; each of a store's members was referred by one before, the first by nobody. */
export function memberships(): DemoLine[] {
  const random = new Random("memberships");
  const members = new Map<string, string[]>();
  return visits().map(({ customerId, storeId }) => {
    const before = members.get(storeId) ?? [];
    members.set(storeId, [...before, customerId]);
    const referrer = before.length === 0 ? null : random.pick(before);
    return {
      record: "membership",
      store_id: storeId,
      customer_id: customerId,
      referrer_id: referrer,
      joined_at: "2025-02-01 10:00:00",
    };
  });
}

/** What those who referred others have earned from the levels below them. */
export function tokenEarnings(): DemoLine[] {
  const random = new Random("token earnings");
  return memberships()
    .filter(({ referrer_id }) => referrer_id !== null)
    .map(({ store_id, referrer_id }, index) => ({
      record: "token_earning",
      id: `t${index + 1}`,
      store_id,
      customer_id: referrer_id,
      level_no: random.integer(1, 3),
      tokens: `${random.integer(0, 9)}.${two(random.integer(0, 99))}`,
      earned_at: "2026-05-01 12:00:00",
    }));
}

/** Every third visitor has registered for the chain's campaign at some stores. */
export function registrations(): DemoLine[] {
  return visits()
    .filter((_, index) => index % 3 === 0)
    .map(({ customerId, accountId }) => ({
      record: "registration",
      campaign_id: `k${accountId}-weekend`,
      customer_id: customerId,
    }));
}

const REASONS = ["Two coffees", "Breakfast", "Lunch for two", "A cake", "Beans to take home"];

/** What customers have earned, mostly with the campaign at all stores. */
export function balanceEntries(): DemoLine[] {
  const random = new Random("balance entries");
  return visits().flatMap(({ customerId, storeId, accountId }, visit) =>
    Array.from({ length: random.integer(1, 3) }, (_, number) => ({
      record: "balance_entry",
      id: `b${visit}-${number}`,
      customer_id: customerId,
      store_id: storeId,
      amount: `${random.integer(1, 40)}.${two(random.integer(0, 99))}`,
      campaign_id: random.next() < 0.6 ? `k${accountId}-double` : `k${accountId}-weekend`,
      description: REASONS[(visit + number) % REASONS.length],
      created_at: `2026-0${random.integer(1, 9)}-${two(random.integer(1, 28))} 12:00:00`,
    })),
  );
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}
