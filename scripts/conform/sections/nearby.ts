import { expectExactFields, expectFields, expectInvalid, expectList, expectSame, fieldsListedIn } from "../expect.ts";
import { idsOf, itemsOf } from "../http.ts";
import { day, type LineWithId, many } from "../lines.ts";
import { section } from "../suite.ts";

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

export const nearby = section("interface, 4.1", async ({ suite, ann, seed, it }) => {
  await suite.waitIfDayEndsSoon();
  const unknownAccount = { id: suite.accountId() };
  const ask = ({ id }: { id: string }, more: object = {}) =>
    suite.post(ann, PATH, { ...HERE, single_account_id: id, count: 100, ...more });

  it("Without campaigns `items` is empty.", async () => expectList(await ask(unknownAccount), []));
  it("`count` | 1 to 100 | no, 8 | the most campaigns to return", async () => {
    for (const count of [0, 101, 1.5, "many"]) expectInvalid(await ask(unknownAccount, { count }), "count");
  });
  it("`latitude` | -90 to 90 | yes", async () => {
    for (const latitude of [90.1, -91, "north", undefined])
      expectInvalid(await ask(unknownAccount, { latitude }), "latitude");
  });
  it("`longitude` | -180 to 180 | yes", async () => {
    for (const longitude of [180.5, -181, undefined])
      expectInvalid(await ask(unknownAccount, { longitude }), "longitude");
  });
  it("`single_account_id` | text | yes | the account whose campaigns to return", async () =>
    expectInvalid(await ask(unknownAccount, { single_account_id: undefined }), "single_account_id"));

  const radius = suite.settings.nearbyRadiusMiles;
  const mainAccount = seed.account();
  const northStore = (miles: number) => seed.store(mainAccount, { ...northOfHere(miles) });
  const [storeHere, storeAtOneMile, storeAtTwoMiles] = [seed.store(mainAccount), northStore(1), northStore(2)];
  const [storeInside, storeOutside] = [northStore(radius - 0.05), northStore(radius + 0.05)];
  const campaignAt = (stores: readonly LineWithId[], fields: object = {}) =>
    seed.campaign(mainAccount, { store_ids: stores, ...fields });
  const likedCampaign = campaignAt([storeHere], { name: "Liked", campaign_description: "d", campaign_image: "i" });
  const lovedCampaign = campaignAt([storeInside]);
  const nearCampaign = campaignAt([storeAtOneMile]);
  const [tiedCampaign, laterTiedCampaign] = [campaignAt([storeAtTwoMiles]), campaignAt([storeAtTwoMiles])];
  const farCampaign = campaignAt([storeOutside]);
  campaignAt([]);
  const campaignAtTwoStores = campaignAt([storeAtTwoMiles, storeOutside]);
  const buyer = seed.customer();
  seed.entry(buyer, storeHere, "30.00", { campaign_id: likedCampaign });
  seed.entry(buyer, storeHere, "-20.00", { campaign_id: likedCampaign });
  seed.entry(buyer, storeInside, "29.00", { campaign_id: lovedCampaign });
  seed.entry(buyer, storeInside, "2.00", { campaign_id: lovedCampaign });
  seed.entry(buyer, storeOutside, "500.00", { campaign_id: campaignAtTwoStores });
  seed.entry(buyer, storeAtTwoMiles, "5.00", { campaign_id: campaignAtTwoStores });

  const accountWithDates = seed.account();
  seed.store(accountWithDates);
  const campaignOfToday = seed.campaign(accountWithDates, { campaign_start_date: day(0), campaign_end_date: day(0) });
  const campaignWithoutEnd = seed.campaign(accountWithDates);
  seed.campaign(accountWithDates, { campaign_end_date: day(-1) });
  seed.campaign(accountWithDates, { campaign_start_date: day(2) });
  seed.campaign(accountWithDates, { status: 0 });

  const [meridianAccount, poleAccount, randomAccount] = [seed.account(), seed.account(), seed.account()];
  seed.store(meridianAccount, { latitude: 10, longitude: 179.95 });
  seed.store(poleAccount, { latitude: 89.9, longitude: 0 });
  const [eastCampaign, poleCampaign] = [seed.campaign(meridianAccount), seed.campaign(poleAccount)];
  const randomOffset = () => (Math.random() - 0.5) * (radius / 25);
  const randomCampaigns = many(RANDOM_STORES, () => {
    const at = { latitude: HERE.latitude + randomOffset(), longitude: HERE.longitude + randomOffset() };
    const campaign = seed.campaign(randomAccount, { store_ids: [seed.store(randomAccount, at)] });
    return { campaign, distance: distanceInMiles(HERE, at) };
  });

  it("`id`, `name`, `campaign_description`, `campaign_image`, `distance`", async (rule) => {
    const [, second] = itemsOf(await ask(mainAccount, { count: 2 }));
    expectExactFields(second, fieldsListedIn(rule));
    expectFields(second, {
      id: likedCampaign,
      name: "Liked",
      campaign_description: "d",
      campaign_image: "i",
      distance: 0,
    });
  });
  it("A campaign is listed if it belongs to the account, has `status` 1, runs today, and at least one of its stores is nearby. It runs today if today is within its dates, both included. Without an end date it does not end.", async () => {
    expectList(await ask(accountWithDates), [campaignOfToday, campaignWithoutEnd]);
    expectSame(idsOf(await ask(mainAccount)).includes(farCampaign.id), false);
  });
  it("A store is nearby if it is at most `NEARBY_RADIUS_MILES` (25) away, also across the 180th meridian and at the poles. The distance is the great-circle distance on a sphere with a radius of 3958.7613 miles.", async () => {
    const actual = idsOf(await ask(mainAccount));
    expectSame([actual.includes(lovedCampaign.id), actual.includes(farCampaign.id)], [true, false]);
    expectList(await ask(meridianAccount, { latitude: 10, longitude: -179.95 }), [eastCampaign]);
    expectList(await ask(poleAccount, { latitude: 89.9, longitude: 180 }), [poleCampaign]);
  });
  it("A campaign's popularity is the sum of the positive balance entries that were booked on it at its nearby stores.", async () =>
    expectList(await ask(mainAccount, { count: 3 }), [lovedCampaign, likedCampaign, campaignAtTwoStores]));
  it("Order: popularity, highest first; then distance before rounding; then id.", async () => {
    expectList(await ask(mainAccount), [
      lovedCampaign,
      likedCampaign,
      campaignAtTwoStores,
      nearCampaign,
      tiedCampaign,
      laterTiedCampaign,
    ]);
    expectList(await ask(mainAccount, { count: "2" }), [lovedCampaign, likedCampaign]);
    expectSame(itemsOf(await ask(randomAccount, { count: undefined })).length, 8);
    const expected = randomCampaigns
      .filter(({ distance }) => distance <= radius)
      .sort((nearer, farther) => nearer.distance - farther.distance)
      .map(({ campaign }) => campaign);
    expectList(await ask(randomAccount), expected);
  });
  it("`distance` is in miles to the nearest of the campaign's stores, rounded to two decimals.", async () => {
    const distances = Object.fromEntries(itemsOf(await ask(mainAccount)).map(({ id, distance }) => [id, distance]));
    expectFields(distances, {
      [likedCampaign.id]: 0,
      [nearCampaign.id]: 1,
      [tiedCampaign.id]: 2,
      [campaignAtTwoStores.id]: 2,
    });
  });
});
