import { Random } from "../../demo/random.ts";
import { city, lastName } from "./names.ts";
import type { ProgramLine } from "./program.ts";
import {
  CAMPAIGNS_A_CHAIN,
  COUPONS_A_CHAIN,
  EIP_CAMPAIGNS_A_CHAIN,
  EMPLOYEES_A_CHAIN,
  METROPOLIS,
  METROPOLIS_STORES,
  type Shape,
} from "./shape.ts";

const LONG_AGO = "2024-01-01";
const FAR_AHEAD = "2099-12-31";
const SMALL_CHAINS_IN_TOWN = 10;
const LISTED_STORES = 50;
const FIRST_ACCOUNT = 101;

export function accountId(chain: number): string {
  return String(FIRST_ACCOUNT + chain);
}

export function* accounts({ chainSizes }: Shape): Generator<ProgramLine> {
  const random = new Random("accounts");
  for (const chain of chainSizes.keys()) {
    const company = `${lastName(random)} & ${lastName(random)}`;
    const loyalty_options = { chain_display_name: `${company} Rewards`, chain_active: 1, point_conversion: "1" };
    yield { record: "account", id: accountId(chain), company, slug: `chain-${chain}`, type: "chain", loyalty_options };
  }
}

/** The first stores of a chain stand in the metropolis, the others anywhere else. */
export function* stores({ chainSizes, firstStores }: Shape): Generator<ProgramLine> {
  const random = new Random("stores");
  for (const [chain, size] of chainSizes.entries()) {
    const inTown = chain === 0 ? METROPOLIS_STORES : SMALL_CHAINS_IN_TOWN;
    for (let index = 0; index < size; index += 1) {
      const place = index < inTown ? inMetropolis(random) : outside(random);
      yield {
        record: "store",
        id: `s${(firstStores[chain] ?? 0) + index}`,
        account_id: accountId(chain),
        name: `${lastName(random)} ${index + 1}`,
        ...place,
        address_line_1: `${random.integer(1, 999)} ${lastName(random)} Street`,
        city: city(random),
        zip: String(random.integer(10_000, 99_999)),
        phone: `+1 555 ${random.integer(1_000_000, 9_999_999)}`,
      };
    }
  }
}

function inMetropolis(random: Random) {
  return {
    latitude: METROPOLIS.latitude + (random.next() - 0.5) * 0.3,
    longitude: METROPOLIS.longitude + (random.next() - 0.5) * 0.3,
  };
}

function outside(random: Random): { latitude: number; longitude: number } {
  const place = { latitude: random.next() * 110 - 50, longitude: random.next() * 360 - 180 };
  const isNear =
    Math.abs(place.latitude - METROPOLIS.latitude) < 2 && Math.abs(place.longitude - METROPOLIS.longitude) < 2;
  return isNear ? outside(random) : place;
}

export function campaignId(chain: number, number: number): string {
  return `k${chain}-${number}`;
}

/** A third is for all stores; of the rest each lists some, with those in the metropolis; two of twelve do not run. */
export function* campaigns({ chainSizes, firstStores }: Shape): Generator<ProgramLine> {
  const random = new Random("campaigns");
  for (const [chain, size] of chainSizes.entries()) {
    for (let number = 0; number < CAMPAIGNS_A_CHAIN; number += 1) {
      const listed = Array.from({ length: Math.min(LISTED_STORES, size) }, (_, index) => (index * 2 + number) % size);
      const ids = [...new Set(listed)].map((index) => `s${(firstStores[chain] ?? 0) + index}`);
      yield {
        record: "campaign",
        id: campaignId(chain, number),
        account_id: accountId(chain),
        name: `${lastName(random)} days`,
        campaign_description: `${lastName(random)} for ${lastName(random)}`,
        campaign_start_date: number === 10 ? "2099-01-01" : LONG_AGO,
        campaign_end_date: number === 11 ? "2024-06-30" : FAR_AHEAD,
        ...(number % 3 === 0 ? {} : { store_ids: ids }),
      };
    }
  }
}

/** Every fifth customer has registered for a campaign of the chain where the customer buys. */
export function* registrations({ customers, storeOf, chainOf }: Shape): Generator<ProgramLine> {
  for (let customer = 0; customer < customers; customer += 5) {
    const chain = chainOf[storeOf[customer] ?? 0] ?? 0;
    yield { record: "registration", campaign_id: campaignId(chain, customer % 10), customer_id: `c${customer}` };
  }
}

// Five store coupons, three of manufacturers, four digital ones.
const KINDS = "store store mfg digital store digital mfg store digital mfg store digital".split(" ");

/** Whether a coupon is put into customers' hands one by one. */
export function isIssued(number: number): boolean {
  return KINDS[number] !== "digital";
}

export function* coupons({ chainSizes }: Shape): Generator<ProgramLine> {
  const random = new Random("coupons");
  for (const chain of chainSizes.keys()) {
    for (let number = 0; number < COUPONS_A_CHAIN; number += 1) {
      const ends = number % 2 === 1;
      yield {
        record: "coupon",
        id: `q${chain}-${number}`,
        account_id: accountId(chain),
        kind: KINDS[number],
        name: `${lastName(random)} off`,
        type: number % 3 === 0 ? "Free_Item" : "Dollar_Off",
        value: `${random.integer(1, 20)}.00`,
        header_lines: [lastName(random)],
        text_lines: [`${lastName(random)} ${lastName(random)}`],
        coupon_barcode: String(random.integer(100_000, 999_999)),
        created_at: "2026-01-15 09:00:00",
        ...(ends ? { can_expire: 1, expiration_type: "Static_Date", expiration_date: FAR_AHEAD } : {}),
      };
    }
  }
}

export function* employees({ chainSizes }: Shape): Generator<ProgramLine> {
  const random = new Random("employees");
  for (const chain of chainSizes.keys()) {
    for (let number = 0; number < EMPLOYEES_A_CHAIN; number += 1) {
      const name = `${lastName(random)} ${lastName(random)}`;
      yield { record: "employee", id: `e${chain}-${number}`, account_id: accountId(chain), name };
    }
  }
}

export function* eipCampaigns({ chainSizes }: Shape): Generator<ProgramLine> {
  for (const chain of chainSizes.keys()) {
    for (let number = 0; number < EIP_CAMPAIGNS_A_CHAIN; number += 1) {
      const id = `eip${chain}-${number}`;
      yield {
        record: "eip_campaign",
        id,
        account_id: accountId(chain),
        name: `League ${number}`,
        start_date: LONG_AGO,
      };
    }
  }
}
