import cities from "city-timezones/data/cityMap.json" with { type: "json" };
import { Random } from "./random.ts";

export type DemoLine = Record<string, unknown> & { record: string };

const CHAINS = [
  "Blue Cup Coffee",
  "Corner Bakery & Sons",
  "Dragonfly Tea House",
  "Fresh Fields Market",
  "Galaxy Cinemas",
  "Golden Crust Pizza",
  "Harbor Fuel",
  "Iron Horse Gym",
  "Jade Noodle Bar",
  "Kiosk 24",
  "Lima Limón Juices",
  "Maple Pharmacy",
  "Northwind Outdoor",
  "Olive & Thyme",
  "Pão Quente",
  "Quick Wash",
  "Rosé Flowers",
  "Sunrise Diner",
  "Tomás' Tacos",
  "Umbrella Books",
];
const FIRST_ACCOUNT_ID = 101;
const CITIES_OF_THE_WORLD = 120;
const STORES_A_CITY = 20;
const CITIES_A_CHAIN = 5;
const STREETS = ["Main Street", "High Street", "Station Road", "Market Square", "Park Avenue", "Harbour Lane"];

interface City {
  city: string;
  lat: number;
  lng: number;
  pop: number;
  province: string;
}

/** The largest cities of the world, the largest first. */
export const CITIES: readonly City[] = (cities as City[])
  .toSorted((one, other) => other.pop - one.pop || (one.city < other.city ? -1 : 1))
  .slice(0, CITIES_OF_THE_WORLD);

export interface DemoStore extends DemoLine {
  id: string;
  account_id: string;
}

/** The merchants: twenty chains. */
export function accounts(): (DemoLine & { id: string; company: string })[] {
  return CHAINS.map((company, index) => ({
    record: "account",
    id: String(FIRST_ACCOUNT_ID + index),
    company,
    slug: company
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/-$/, ""),
    type: "chain",
    loyalty_options: {
      chain_display_name: `${company} Rewards`,
      chain_active: 1,
      point_conversion: "1",
      team_breakdown: { level_1: "5%", level_2: "4%", level_3: "3%", level_4: "2%", level_5: "1%" },
    },
  }));
}

/** Two thousand stores, each chain in five of the largest cities, the first chain in the first five. */
export function stores(): DemoStore[] {
  const random = new Random("stores");
  return accounts().flatMap((account, chain) => {
    const places = chain === 0 ? CITIES.slice(0, CITIES_A_CHAIN) : random.sample(CITIES, CITIES_A_CHAIN);
    return places.flatMap((place) =>
      Array.from({ length: STORES_A_CITY }, (_, number) => storeIn(place, { account, chain, number, random })),
    );
  });
}

function storeIn(
  place: City,
  {
    account,
    chain,
    number,
    random,
  }: { account: { id: string; company: string }; chain: number; number: number; random: Random },
): DemoStore {
  const street = random.pick(STREETS);
  return {
    record: "store",
    id: `s${FIRST_ACCOUNT_ID + chain}-${CITIES.indexOf(place) + 1}-${number + 1}`,
    account_id: account.id,
    name: `${account.company} ${street}`,
    latitude: near(place.lat, random),
    longitude: near(place.lng, random),
    store_image: `https://images.example/stores/${account.id}.png`,
    address_line_1: `${random.integer(1, 200)} ${street}`,
    city: place.city,
    state: place.province ?? "",
    zip: String(random.integer(10_000, 99_999)),
    phone: `+1 555 ${random.integer(1_000, 9_999)}`,
  };
}

const SPREAD_DEGREES = 0.15;

function near(degrees: number, random: Random): number {
  return Number((degrees + (random.next() * 2 - 1) * SPREAD_DEGREES).toFixed(6));
}

const LONG_AGO = "2024-01-01";
const FAR_AHEAD = "2099-12-31";

/** Four campaigns a chain: at all stores, at some, ended, and to come. The dates are far, so that the demo stays fresh. */
export function campaigns(): (DemoLine & { id: string; account_id: string })[] {
  const all = stores();
  return accounts().flatMap((account) => {
    const own = all.filter((store) => store.account_id === account.id).map(({ id }) => id);
    const campaign = (id: string, name: string, fields: Record<string, unknown>) => ({
      record: "campaign",
      id: `k${account.id}-${id}`,
      account_id: account.id,
      name,
      campaign_description: `${name} at ${account.company}`,
      campaign_image: `https://images.example/campaigns/${account.id}-${id}.png`,
      campaign_start_date: LONG_AGO,
      ...fields,
    });
    return [
      campaign("double", "Double points", {}),
      campaign("weekend", "Weekend treats", {
        campaign_end_date: FAR_AHEAD,
        store_ids: own.filter((_, i) => i % 2 === 0),
      }),
      campaign("opening", "Opening days", { campaign_end_date: "2024-03-31" }),
      campaign("jubilee", "Jubilee", { campaign_start_date: "2099-01-01", campaign_end_date: FAR_AHEAD }),
    ];
  });
}
