import { Random } from "../../demo/random.ts";
import { campaignId } from "./chains.ts";
import type { ProgramLine } from "./program.ts";
import {
  EIP_CAMPAIGNS_A_CHAIN,
  EMPLOYEES_A_CHAIN,
  METROPOLIS_STORES,
  type Shape,
  timeIn2026,
  wideTeamOf,
} from "./shape.ts";

const LOCATIONS_A_CHAIN = 10;
const EARNERS_OF_THE_WIDE_TEAM = 500;
const EARNINGS_EACH = 4;

/** One entry a customer, every fiftieth of them at a store of the metropolis. */
export function* balanceEntries({ customers, storeOf, chainOf }: Shape): Generator<ProgramLine> {
  const random = new Random("balance entries");
  for (let index = 0; index < customers; index += 1) {
    const store = index % 50 === 0 ? random.integer(0, METROPOLIS_STORES - 1) : (storeOf[index] ?? 0);
    yield {
      record: "balance_entry",
      id: `b${index}`,
      customer_id: `c${index}`,
      store_id: `s${store}`,
      amount: amount(random, 40),
      ...(random.next() < 0.6 ? { campaign_id: campaignId(chainOf[store] ?? 0, 3 * random.integer(0, 2)) } : {}),
      created_at: timeIn2026(index),
    };
  }
}

/** What the first of the wide team have earned, then one earning for every fifth customer. */
export function* tokenEarnings(shape: Shape): Generator<ProgramLine> {
  const random = new Random("token earnings");
  const earning = (id: string, store: number, customer: number, level: number) => ({
    record: "token_earning",
    id,
    store_id: `s${store}`,
    customer_id: `c${customer}`,
    level_no: level,
    tokens: amount(random, 9),
    earned_at: timeIn2026(customer),
  });
  const earners = Math.min(EARNERS_OF_THE_WIDE_TEAM, wideTeamOf(shape));
  for (let index = 0; index < earners * EARNINGS_EACH; index += 1) {
    yield earning(`w${index}`, 0, index % earners, 1 + Math.floor(index / earners));
  }
  for (let customer = 0; customer < shape.customers; customer += 5) {
    yield earning(`t${customer}`, shape.storeOf[customer] ?? 0, customer, random.integer(1, 5));
  }
}

/** One play for every fourth customer, every twelfth of them at the first store. */
export function* plays({ customers, chainSizes, firstStores }: Shape): Generator<ProgramLine> {
  const random = new Random("plays");
  for (let index = 0; index < customers / 4; index += 1) {
    const chain = index % 12 === 0 ? 0 : random.integer(0, chainSizes.length - 1);
    const location = index % 12 === 0 ? 0 : random.integer(0, Math.min(LOCATIONS_A_CHAIN, chainSizes[chain] ?? 1) - 1);
    yield {
      record: "play",
      id: `p${index}`,
      eip_campaign_id: `eip${chain}-${random.integer(0, EIP_CAMPAIGNS_A_CHAIN - 1)}`,
      location_id: `s${(firstStores[chain] ?? 0) + location}`,
      employee_id: `e${chain}-${random.integer(0, EMPLOYEES_A_CHAIN - 1)}`,
      runs: amount(random, 12),
      hits: random.integer(0, 9),
      doubles: random.integer(0, 4),
      triples: random.integer(0, 2),
      played_at: timeIn2026(index),
    };
  }
}

function amount(random: Random, most: number): string {
  return `${random.integer(1, most)}.${String(random.integer(0, 99)).padStart(2, "0")}`;
}
