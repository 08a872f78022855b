import fc from "fast-check";
import { describe, it } from "vitest";
import { as, mustFeed } from "../../support/api.ts";
import { propertyRunsInNode } from "../../support/property-runs.ts";
import * as seed from "../../support/seed.ts";

const PATH = "/api/v1/customer/campaigns/near-by-popular-campaigns";
const RADIUS_MILES = 25;
const EARTH_RADIUS_MILES = 3958.7613;

interface Place {
  latitude: number;
  longitude: number;
}
interface Program {
  stores: Place[];
  /** The stores that a campaign lists, by index; null for all of them. */
  campaigns: { stores: number[] | null; status: number }[];
  entries: { store: number; campaign: number; hundredths: number }[];
  asks: { place: Place; count: number }[];
}

// Where programs lie: around the corners of the map, and somewhere ordinary.
const CENTERS: Place[] = [
  { latitude: 0, longitude: 180 },
  { latitude: 52, longitude: -180 },
  { latitude: -89.8, longitude: 30 },
  { latitude: 90, longitude: 0 },
  { latitude: 89.75, longitude: -179.9 },
  { latitude: 35.47, longitude: -97.52 },
  { latitude: -33.9, longitude: 18.4 },
];

const wrap = (longitude: number): number => ((((longitude + 180) % 360) + 360) % 360) - 180;

// Whole numbers, because fast-check's doubles crowd around zero.
function fraction(): fc.Arbitrary<number> {
  return fc.integer({ min: -1_000_000, max: 1_000_000 }).map((millionths) => millionths / 1_000_000);
}

function placeAround(center: Place): fc.Arbitrary<Place> {
  const nearPole = Math.abs(center.latitude) > 89;
  const spread = nearPole ? 180 : 0.6 / Math.cos((center.latitude * Math.PI) / 180);
  return fc.tuple(fraction(), fraction()).map(([north, east]) => ({
    latitude: Math.max(-90, Math.min(90, Number((center.latitude + north / 2).toFixed(6)))),
    longitude: Number(wrap(center.longitude + east * spread).toFixed(6)),
  }));
}

const programs: fc.Arbitrary<Program> = fc.constantFrom(...CENTERS).chain((center) => {
  const place = placeAround(center);
  return fc.record({
    // A store may share its position with another: then ids decide.
    stores: fc
      .array(fc.tuple(place, fc.option(fc.nat(9))), { minLength: 12, maxLength: 25 })
      .map((given) => given.map(([own, twin]) => (twin === null ? own : (given[twin]?.[0] ?? own)))),
    campaigns: fc.array(
      fc.record({
        stores: fc.option(fc.uniqueArray(fc.nat(11), { maxLength: 3 })),
        status: fc.constantFrom(1, 1, 1, 0),
      }),
      { minLength: 3, maxLength: 8 },
    ),
    // Few or many: that decides in which of two ways they are added up.
    entries: fc
      .constantFrom(20, 120)
      .chain((maxLength) =>
        fc.array(
          fc.record({ store: fc.nat(11), campaign: fc.nat(7), hundredths: fc.constantFrom(100, 100, 250, 1, -500) }),
          { maxLength, size: "max" },
        ),
      ),
    asks: fc.array(fc.record({ place, count: fc.integer({ min: 1, max: 10 }) }), { minLength: 15, maxLength: 15 }),
  });
});

function miles(one: Place, other: Place): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const latitude = Math.sin(radians(other.latitude - one.latitude) / 2) ** 2;
  const longitude = Math.sin(radians(other.longitude - one.longitude) / 2) ** 2;
  const haversine = latitude + Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude)) * longitude;
  return 2 * EARTH_RADIUS_MILES * Math.asin(Math.sqrt(Math.min(1, haversine)));
}

/** The rules of docs/contract/interface.md, 4.1, one by one, over every store and every entry. */
function bruteForce(program: Program, ids: string[], { place, count }: Program["asks"][number]) {
  return program.campaigns
    .flatMap((campaign, index) => {
      const listed = program.stores.flatMap((store, number) => {
        const distance = miles(place, store);
        const isListed = campaign.stores === null || campaign.stores.includes(number);
        return isListed && distance <= RADIUS_MILES ? [{ number, distance }] : [];
      });
      if (campaign.status !== 1 || listed.length === 0) return [];
      const earned = program.entries
        .filter((entry) => entry.campaign === index && entry.hundredths > 0)
        .filter((entry) => listed.some(({ number }) => number === entry.store))
        .reduce((sum, entry) => sum + entry.hundredths, 0);
      return [{ id: ids[index] ?? "", earned, distance: Math.min(...listed.map(({ distance }) => distance)) }];
    })
    .sort((a, b) => b.earned - a.earned || a.distance - b.distance || (a.id < b.id ? -1 : 1))
    .slice(0, count);
}

const runs = propertyRunsInNode(10);

describe("nearby campaigns, compared with brute force", () => {
  it("answers the same campaigns in the same order with the same distances", async ({ expect }) => {
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        const account = seed.account();
        const stores = program.stores.map((place) => seed.store(account.id, place));
        const campaigns = program.campaigns.map((campaign) =>
          seed.campaign(account.id, {
            status: campaign.status,
            store_ids: campaign.stores === null ? "all" : campaign.stores.map((number) => stores[number]?.id),
          }),
        );
        const customer = seed.customer();
        const entries = program.entries
          .filter((entry) => entry.campaign < campaigns.length)
          .map(({ store, campaign, hundredths }) =>
            seed.entry(customer.id, stores[store]?.id, (hundredths / 100).toFixed(2), {
              campaign_id: campaigns[campaign]?.id,
            }),
          );
        await mustFeed([account, ...stores, ...campaigns, customer, ...entries]);
        const ids = campaigns.map(({ id }) => id);

        for (const ask of program.asks) {
          const body = { ...ask.place, count: ask.count, single_account_id: account.id };
          const { items } = (await as(customer.id).post(PATH, body)).body;

          const expected = bruteForce(program, ids, ask);
          expect(items.map((item: { id: string }) => item.id)).toEqual(expected.map(({ id }) => id));
          for (const [index, { distance }] of expected.entries()) {
            expect(Math.abs(items[index].distance - distance)).toBeLessThanOrEqual(0.005 + 1e-9);
          }
          asked += 1;
        }
      }),
      runs,
    );

    expect(asked).toBeGreaterThanOrEqual(15 * runs.numRuns);
  });
});
