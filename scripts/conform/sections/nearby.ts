import { expectExactFields, expectFields, expectInvalid, expectList, expectSame, fieldsListedIn } from "../expect.ts";
import { idsOf, itemsOf } from "../http.ts";
import { account, campaign, customer, day, entry, store } from "../lines.ts";
import type { Section, Suite } from "../suite.ts";

const PATH = "campaigns/near-by-popular-campaigns";
const EARTH_RADIUS_MILES = 3958.7613;
const HERE = { latitude: 10, longitude: 20 };
const RANDOM_STORES = 40;

/** The coordinates of a point that is this number of miles north of HERE. */
function northOfHere(miles: number): Coordinates {
  return { latitude: HERE.latitude + (miles / EARTH_RADIUS_MILES) * (180 / Math.PI), longitude: HERE.longitude };
}

interface Coordinates {
  latitude: number;
  longitude: number;
}

/** The great-circle distance. The service uses haversines. This uses the chord between the points, as a second way. */
function distanceInMiles(from: Coordinates, to: Coordinates): number {
  const [fromVector, toVector] = [from, to].map(({ latitude, longitude }) => {
    const [phi, lambda] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180];
    return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
  }) as [number[], number[]];
  const chord = Math.hypot(...fromVector.map((part, axis) => part - (toVector[axis] ?? 0)));
  return EARTH_RADIUS_MILES * 2 * Math.asin(Math.min(1, chord / 2));
}

export async function nearby(suite: Suite): Promise<Section> {
  await suite.untilDayLasts();
  const { ann } = await suite.callers();
  const radius = suite.settings.nearbyRadiusMiles;
  const { main, dates, spread, poles, randomAccount } = suite.accountIds("main dates spread poles randomAccount");
  const { buyer, atHome, oneMile, twoMiles, inside, outside } = suite.ids(
    "buyer atHome oneMile twoMiles inside outside",
  );
  const { liked, loved, near, tied, tiedToo, far, both } = suite.ids("liked loved near tied tiedToo far both");
  const { dateStore, today, ended, later, off, open } = suite.ids("dateStore today ended later off open");
  const { east, eastCampaign, pole, poleCampaign } = suite.ids("east eastCampaign pole poleCampaign");
  const randomStores = Array.from({ length: RANDOM_STORES }, () => ({
    id: suite.id("campaign"),
    storeId: suite.id("store"),
    latitude: HERE.latitude + (Math.random() - 0.5) * (radius / 25),
    longitude: HERE.longitude + (Math.random() - 0.5) * (radius / 25),
  }));

  const ask = (accountId: string, more: object = {}) =>
    suite.post(ann, PATH, { ...HERE, single_account_id: accountId, count: 100, ...more });
  const listedIn = (...storeIds: string[]) => ({ store_ids: storeIds });

  return {
    section: "interface, 4.1",
    rulesWithoutFeeding: {
      "Without campaigns `items` is empty.": async () => expectList(await ask(suite.accountId()), []),
      "`count` | 1 to 100 | no, 8 | the most campaigns to return": async () => {
        for (const count of [0, 101, 1.5, "many"]) expectInvalid(await ask(main, { count }), "count");
      },
      "`latitude` | -90 to 90 | yes": async () => {
        for (const latitude of [90.1, -91, "north", undefined])
          expectInvalid(await ask(main, { latitude }), "latitude");
      },
      "`longitude` | -180 to 180 | yes": async () => {
        for (const longitude of [180.5, -181, undefined]) expectInvalid(await ask(main, { longitude }), "longitude");
      },
      "`single_account_id` | text | yes | the account whose campaigns to return": async () =>
        expectInvalid(await ask(main, { single_account_id: undefined }), "single_account_id"),
    },
    lines: [
      ...[main, dates, spread, poles, randomAccount].map((id) => account(id)),
      customer(buyer),
      store(atHome, main),
      store(oneMile, main, { ...northOfHere(1) }),
      store(twoMiles, main, { ...northOfHere(2) }),
      store(inside, main, { ...northOfHere(radius - 0.05) }),
      store(outside, main, { ...northOfHere(radius + 0.05) }),
      campaign(liked, main, { ...listedIn(atHome), name: "Liked", campaign_description: "d", campaign_image: "i" }),
      campaign(loved, main, listedIn(inside)),
      campaign(near, main, listedIn(oneMile)),
      campaign(tied, main, listedIn(twoMiles)),
      campaign(tiedToo, main, listedIn(twoMiles)),
      campaign(far, main, listedIn(outside)),
      campaign(suite.id("nowhere"), main, listedIn()),
      campaign(both, main, listedIn(twoMiles, outside)),
      entry(suite.id("entry"), buyer, atHome, "30.00", { campaign_id: liked }),
      entry(suite.id("entry"), buyer, atHome, "-20.00", { campaign_id: liked }),
      entry(suite.id("entry"), buyer, inside, "29.00", { campaign_id: loved }),
      entry(suite.id("entry"), buyer, inside, "2.00", { campaign_id: loved }),
      entry(suite.id("entry"), buyer, outside, "500.00", { campaign_id: both }),
      entry(suite.id("entry"), buyer, twoMiles, "5.00", { campaign_id: both }),
      store(dateStore, dates),
      campaign(today, dates, { campaign_start_date: day(0), campaign_end_date: day(0) }),
      campaign(ended, dates, { campaign_end_date: day(-1) }),
      campaign(later, dates, { campaign_start_date: day(2) }),
      campaign(off, dates, { status: 0 }),
      campaign(open, dates),
      store(east, spread, { latitude: 10, longitude: 179.95 }),
      campaign(eastCampaign, spread, listedIn(east)),
      store(pole, poles, { latitude: 89.9, longitude: 0 }),
      campaign(poleCampaign, poles, listedIn(pole)),
      ...randomStores.flatMap(({ id, storeId, ...coordinates }) => [
        store(storeId, randomAccount, coordinates),
        campaign(id, randomAccount, listedIn(storeId)),
      ]),
    ],
    rulesWithFeeding: {
      "`id`, `name`, `campaign_description`, `campaign_image`, `distance`": async (rule) => {
        const [, second] = itemsOf(await ask(main, { count: 2 }));
        expectExactFields(second, fieldsListedIn(rule));
        expectFields(second, { id: liked, name: "Liked", campaign_description: "d", campaign_image: "i", distance: 0 });
      },
      "A campaign is listed if it belongs to the account, has `status` 1, runs today, and at least one of its stores is nearby. It runs today if today is within its dates, both included. Without an end date it does not end.":
        async () => {
          expectList(await ask(dates), [today, open].sort());
          expectSame(idsOf(await ask(main)).includes(far), false);
        },
      "A store is nearby if it is at most `NEARBY_RADIUS_MILES` (25) away, also across the 180th meridian and at the poles. The distance is the great-circle distance on a sphere with a radius of 3958.7613 miles.":
        async () => {
          const actual = idsOf(await ask(main));
          expectSame([actual.includes(loved), actual.includes(far)], [true, false]);
          expectList(await ask(spread, { latitude: 10, longitude: -179.95 }), [eastCampaign]);
          expectList(await ask(poles, { latitude: 89.9, longitude: 180 }), [poleCampaign]);
        },
      "A campaign's popularity is the sum of the positive balance entries that were booked on it at its nearby stores.":
        async () => expectList(await ask(main, { count: 3 }), [loved, liked, both]),
      "Order: popularity, highest first; then distance before rounding; then id.": async () => {
        expectList(await ask(main), [loved, liked, both, near, tied, tiedToo]);
        expectList(await ask(main, { count: "2" }), [loved, liked]);
        expectSame(itemsOf(await ask(randomAccount, { count: undefined })).length, 8);
        const expected = randomStores
          .map(({ id, ...coordinates }) => ({ id, distance: distanceInMiles(HERE, coordinates) }))
          .filter(({ distance }) => distance <= radius)
          .sort((nearer, farther) => nearer.distance - farther.distance);
        expectList(await ask(randomAccount), idsOf(expected));
      },
      "`distance` is in miles to the nearest of the campaign's stores, rounded to two decimals.": async () => {
        const distances = Object.fromEntries(itemsOf(await ask(main)).map(({ id, distance }) => [id, distance]));
        expectFields(distances, { [liked]: 0, [near]: 1, [tied]: 2, [both]: 2 });
      },
    },
  };
}
