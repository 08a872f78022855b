import type { Line } from "./line.ts";
import { CITIES, type City, COMPANIES, namesOf } from "./names.ts";
import { Random } from "./random.ts";
import type { Shape } from "./shape.ts";

const FIRST_ACCOUNT = 101;
const LONG_AGO = "2024-01-01";
const FAR_AHEAD = "2099-12-31";
const STILL_TO_COME = "2099-01-01";
const SPREAD_DEGREES = 0.15;
const LISTED_STORES = 50;

export const accountId = (chain: number) => String(FIRST_ACCOUNT + chain);

/** The id of a store by its number, such as `s101-2-3`: account 101, its second city, the third store there. */
export function storeId({ chainOf, firstStores, storesACity, cities }: Shape, store: number): string {
  const chain = chainOf[store] ?? 0;
  const number = store - (firstStores[chain] ?? 0);
  const city = Math.min(Math.floor(number / storesACity), cities);
  return `s${accountId(chain)}-${city + 1}-${number - city * storesACity + 1}`;
}

interface Chain {
  /** The number of the chain, from 0. */
  chain: number;
  account: string;
  company: string;
}

function* chainsOf(shape: Shape): Generator<Chain> {
  const { lastName } = namesOf(shape);
  const random = new Random("accounts");
  for (let chain = 0; chain < shape.chains; chain += 1) {
    const company = COMPANIES[chain] ?? `${lastName(random)} & ${lastName(random)}`;
    yield { chain, account: accountId(chain), company };
  }
}

export function* accounts(shape: Shape): Generator<Line> {
  for (const { account, company } of chainsOf(shape)) {
    const slug = company.toLowerCase().replace(/[^a-z0-9]+/g, "-");
    yield {
      record: "account",
      id: account,
      company,
      slug: slug.replace(/-$/, ""),
      type: "chain",
      loyalty_options: {
        chain_display_name: `${company} Rewards`,
        chain_active: 1,
        point_conversion: "1",
        team_breakdown: { level_1: "5%", level_2: "4%", level_3: "3%", level_4: "2%", level_5: "1%" },
      },
    };
  }
}

/** The first chain is in the first cities, each other chain in random cities. */
export function* stores(shape: Shape): Generator<Line> {
  const random = new Random("stores");
  const { streetName, townName } = namesOf(shape);
  for (const { chain, account } of chainsOf(shape)) {
    const cities = chain === 0 ? CITIES.slice(0, shape.cities) : random.sample(CITIES, shape.cities);
    for (let number = 0; number < (shape.chainSizes[chain] ?? 0); number += 1) {
      const city = cities[Math.floor(number / shape.storesACity)];
      const location =
        city === undefined
          ? { ...lonelyLocation(random), city: townName(random), state: "" }
          : locationIn(city, random);
      const street = `${streetName(random)} Street`;
      yield {
        record: "store",
        id: storeId(shape, (shape.firstStores[chain] ?? 0) + number),
        account_id: account,
        name: street,
        ...location,
        store_image: `https://images.example/stores/${account}.png`,
        address_line_1: `${random.integer(1, 999)} ${street}`,
        zip: String(random.integer(10_000, 99_999)),
        phone: `+1 555 ${random.integer(1_000_000, 9_999_999)}`,
      };
    }
  }
}

const near = (degrees: number, random: Random) =>
  Number((degrees + (random.next() * 2 - 1) * SPREAD_DEGREES).toFixed(6));

function locationIn({ latitude, longitude, ...names }: City, random: Random): City {
  return { latitude: near(latitude, random), longitude: near(longitude, random), ...names };
}

const degrees = (random: Random, most: number) => Number(((random.next() * 2 - 1) * most).toFixed(6));

function lonelyLocation(random: Random): Pick<City, "latitude" | "longitude"> {
  const location = { latitude: degrees(random, 50), longitude: degrees(random, 180) };
  const isNearCity = CITIES.some(
    ({ latitude, longitude }) =>
      Math.abs(location.latitude - latitude) < 2 && Math.abs(location.longitude - longitude) < 2,
  );
  return isNearCity ? lonelyLocation(random) : location;
}

const CAMPAIGNS = ["double", "weekend", "opening", "jubilee"];

export function campaignId(chain: number, number: number): string {
  return `k${accountId(chain)}-${CAMPAIGNS[number] ?? number + 1}`;
}

/** The numbers of a chain's campaigns that run now, and of those that run at all its stores. */
export const RUNNING = [0, 1, 4, 5, 6, 7, 8, 9, 10, 11];
export const AT_ALL_STORES = [0, 6, 9];

/**
 * For each chain: a campaign at all stores, one at some stores, one that is over, one to come, and more like the first
 * two.
 */
export function* campaigns(shape: Shape): Generator<Line> {
  const random = new Random("campaigns");
  const { lastName } = namesOf(shape);
  for (const { chain, account, company } of chainsOf(shape)) {
    const size = shape.chainSizes[chain] ?? 0;
    for (let number = 0; number < shape.campaigns; number += 1) {
      const id = campaignId(chain, number);
      const name = ["Double points", "Weekend treats", "Opening days", "Jubilee"][number] ?? `${lastName(random)} days`;
      const listedCount = Math.min(LISTED_STORES, size);
      const listedNumbers = new Set(Array.from({ length: listedCount }, (_, index) => (index * 2 + number) % size));
      const ids = [...listedNumbers].map((index) => storeId(shape, (shape.firstStores[chain] ?? 0) + index));
      const isAtAllStores = !RUNNING.includes(number) || AT_ALL_STORES.includes(number);
      yield {
        record: "campaign",
        id,
        account_id: account,
        name,
        campaign_description: `${name} at ${company}`,
        campaign_image: `https://images.example/campaigns/${id.slice(1)}.png`,
        campaign_start_date: number === 3 ? STILL_TO_COME : LONG_AGO,
        ...(number > 0 && { campaign_end_date: number === 2 ? "2024-03-31" : FAR_AHEAD }),
        ...(!isAtAllStores && { store_ids: ids }),
      };
    }
  }
}

const endsOn = (date: string) => ({ can_expire: 1, expiration_type: "Static_Date", expiration_date: date });
const ENDS = endsOn(FAR_AHEAD);

const COUPONS: readonly [id: string, kind: string, name: string, fields: Record<string, unknown>][] = [
  ["welcome", "store", "Five off", { type: "Dollar_Off", value: "5.00" }],
  ["pastry", "store", "Free pastry", { type: "Free_Item", value: "0.00", ...ENDS }],
  ["past", "store", "Last summer's treat", { type: "Free_Item", value: "0.00", ...endsOn("2024-06-30") }],
  ["brand", "mfg", "One off oat milk", { type: "Dollar_Off", value: "1.00", filter_items: "oat milk", ...ENDS }],
  ["digital", "digital", "Tenth drink free", { type: "Free_Item", value: "0.00", can_combine_with_other: 1 }],
  ["flash", "digital", "Ten per cent off", { type: "Percent_Off", value: "10.00", is_custom: 1, ...ENDS }],
];

/** The numbers of a chain's coupons that are issued to customers: those that can be used, and those that have ended. */
export function issuedCoupons({ coupons }: Shape): { usable: number[]; ended: number[] } {
  const numbers = (ids: readonly string[]) =>
    [...Array(coupons).keys()].filter((number) => ids.includes(COUPONS[number % COUPONS.length]?.[0] ?? ""));
  return { usable: numbers(["welcome", "pastry", "brand"]), ended: numbers(["past"]) };
}

export function couponId(chain: number, number: number): string {
  const round = Math.floor(number / COUPONS.length);
  return `q${accountId(chain)}-${COUPONS[number % COUPONS.length]?.[0]}${round === 0 ? "" : `-${round + 1}`}`;
}

/** For each chain: coupons of every kind and type, some with an end. */
export function* coupons(shape: Shape): Generator<Line> {
  const random = new Random("coupons");
  const { lastName } = namesOf(shape);
  for (const { chain, account, company } of chainsOf(shape)) {
    for (let number = 0; number < shape.coupons; number += 1) {
      const [, kind = "", name, fields] = COUPONS[number % COUPONS.length] ?? [];
      yield {
        record: "coupon",
        id: couponId(chain, number),
        account_id: account,
        kind,
        name: number < COUPONS.length ? name : `${lastName(random)} off`,
        header_lines: [company, "Member offer"],
        text_lines: ["One per visit", "Not valid with other offers"],
        coupon_barcode: String(chain * 100 + number + 1).padStart(12, "0"),
        once_per_sale: kind === "mfg" ? 1 : 0,
        ...(number === 1 && shape.campaigns > 1 && { campaign_id: campaignId(chain, 1) }),
        created_at: "2024-01-15 09:00:00",
        ...fields,
      };
    }
  }
}

export const employeeId = (chain: number, number: number) => `e${accountId(chain)}-${number + 1}`;

export function* employees(shape: Shape): Generator<Line> {
  const random = new Random("employees");
  const { firstName, lastName } = namesOf(shape);
  for (let chain = 0; chain < shape.chains; chain += 1) {
    for (let number = 0; number < shape.employees; number += 1) {
      const id = employeeId(chain, number);
      const name = `${firstName(random)} ${lastName(random)}`;
      const avatar = `https://images.example/employees/${id.slice(1)}.png`;
      yield { record: "employee", id, account_id: accountId(chain), name, avatar };
    }
  }
}

export const contestId = (chain: number) => `eip-${accountId(chain)}`;

/** For each chain a contest that runs, and a contest to come. */
export function* contests({ chains }: Shape): Generator<Line> {
  for (let chain = 0; chain < chains; chain += 1) {
    const contest = { record: "eip_campaign", id: contestId(chain), account_id: accountId(chain) };
    yield { ...contest, name: "Upsell league", start_date: LONG_AGO };
    yield { ...contest, id: `${contest.id}-next`, name: "Winter cup", start_date: STILL_TO_COME };
  }
}
