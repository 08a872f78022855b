import { AT_ALL_STORES, campaignId, contestId, employeeId, storeId } from "./chains.ts";
import { customerId, memberships, visits } from "./customers.ts";
import type { Line } from "./line.ts";
import { Random } from "./random.ts";
import { FIRST_STORE, type Shape, timeIn2026 } from "./shape.ts";

const EARNERS_OF_THE_WIDE_TEAM = 500;
const EARNINGS_EACH = 4;
const LOCATIONS_A_CHAIN = 10;
// Three employees have the same result, so that they share a rank.
const RUNS = ["12", "7.50", "7.5", "7.5", "3", "0.5"];

const REASONS = ["Two coffees", "Breakfast", "Lunch for two", "A cake", "Beans to take home"];

/**
 * An entry for each visit, then more entries of one customer. The entry of every fiftieth visit is at a store of the
 * first chain in its first city.
 */
export function* balanceEntries(shape: Shape): Generator<Line> {
  const random = new Random("balance entries");
  const inFirstCity = Math.min(shape.storesACity, shape.chainSizes[0] ?? 1);
  const campaignsAtAllStores = AT_ALL_STORES.filter((number) => number < shape.campaigns);
  const entry = (id: string, customer: number, store: number, index: number) => ({
    record: "balance_entry",
    id,
    customer_id: customerId(customer),
    store_id: storeId(shape, store),
    amount: amount(random, 40),
    description: REASONS[index % REASONS.length],
    created_at: timeIn2026(index * 60),
  });
  for (const { number, customer, store: visitedStore } of visits(shape)) {
    const store = number % 50 === 0 ? random.integer(0, inFirstCity - 1) : visitedStore;
    const isEarnedByCampaign = random.next() < 0.6 && campaignsAtAllStores.length > 0;
    const line = entry(`b${number + 1}`, customer, store, number);
    if (!isEarnedByCampaign) yield line;
    else yield { ...line, campaign_id: campaignId(shape.chainOf[store] ?? 0, random.pick(campaignsAtAllStores)) };
  }
  const { customer = 0, count = 0 } = shape.entries ?? {};
  const store = shape.storeOf[customer * shape.visits] ?? 0;
  for (let index = 0; index < count; index += 1) yield entry(`m${index}`, customer, store, index);
}

/** Four earnings for each of the first members of the wide team, then an earning for every fifth membership. */
export function* tokenEarnings(shape: Shape): Generator<Line> {
  const random = new Random("token earnings");
  const earning = (id: string, member: { store_id: unknown; customer_id: unknown }, level_no: number) => ({
    record: "token_earning",
    id,
    ...member,
    level_no,
    tokens: amount(random, 9),
  });
  const earners = Math.min(EARNERS_OF_THE_WIDE_TEAM, shape.wideTeam);
  for (let index = 0; index < earners * EARNINGS_EACH; index += 1) {
    const member = { store_id: storeId(shape, 0), customer_id: customerId(index % earners) };
    const level = 1 + Math.floor(index / earners);
    yield { ...earning(`w${index}`, member, level), earned_at: timeIn2026(index % earners) };
  }
  let index = 0;
  for (const { store_id, customer_id } of memberships({ ...shape, wideTeam: 0 })) {
    index += 1;
    if (index % 5 !== 1) continue;
    const level = random.integer(1, 5);
    yield { ...earning(`t${index}`, { store_id, customer_id }, level), earned_at: timeIn2026(index) };
  }
}

/**
 * Plays of six employees at two stores of each chain, then more plays. Every twelfth of these is at the first store.
 */
export function* plays(shape: Shape): Generator<Line> {
  const random = new Random("plays");
  const play = (chain: number, { location, employee }: Record<"location" | "employee", number>) => ({
    record: "play",
    eip_campaign_id: contestId(chain),
    location_id: storeId(shape, (shape.firstStores[chain] ?? 0) + location),
    employee_id: employeeId(chain, employee),
    hits: random.integer(0, 9),
    doubles: random.integer(0, 4),
    triples: random.integer(0, 2),
  });
  for (let chain = 0; chain < shape.chains; chain += 1) {
    for (const location of [0, FIRST_STORE]) {
      if (location >= (shape.chainSizes[chain] ?? 0)) continue;
      for (const [employee, runs] of RUNS.slice(0, shape.employees).entries()) {
        const id = `p${contestId(chain).slice(4)}-${location}-${employee + 1}`;
        yield { ...play(chain, { location, employee }), id, runs, played_at: "2026-06-01 20:00:00" };
      }
    }
  }
  for (let index = 0; index < shape.plays; index += 1) {
    const isFirst = index % 12 === 0;
    const chain = isFirst ? 0 : random.integer(0, shape.chains - 1);
    const stores = Math.min(LOCATIONS_A_CHAIN, shape.chainSizes[chain] ?? 1);
    const location = isFirst ? 0 : random.integer(0, stores - 1);
    const employee = random.integer(0, shape.employees - 1);
    const values = { runs: amount(random, 12), played_at: timeIn2026(index) };
    yield { ...play(chain, { location, employee }), id: `p${index}`, ...values };
  }
}

function amount(random: Random, most: number): string {
  return `${random.integer(1, most)}.${String(random.integer(0, 99)).padStart(2, "0")}`;
}
