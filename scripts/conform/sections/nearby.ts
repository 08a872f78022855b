import { expectExactFields, expectFields, expectInvalid, expectList, expectSame, namesIn } from "../expect.ts";
import { idsOf, itemsOf } from "../http.ts";
import { day, type LineWithId } from "../lines.ts";
import { section } from "../suite.ts";

const PATH = "campaigns/near-by-popular-campaigns";
const EARTH_RADIUS_MILES = 3958.7613;
const HERE = { latitude: 10, longitude: 20 };
/** Points north-east of HERE: `degrees` of latitude and of longitude away. `miles` is the great-circle distance. */
const DIAGONAL = [
  { degrees: 0.001, miles: 0.1 },
  { degrees: 0.00101, miles: 0.1 },
  { degrees: 0.002, miles: 0.19 },
  { degrees: 0.003, miles: 0.29 },
  { degrees: 0.004, miles: 0.39 },
  { degrees: 0.005, miles: 0.48 },
  { degrees: 0.006, miles: 0.58 },
  { degrees: 0.01, miles: 0.97 },
  { degrees: 0.02, miles: 1.94 },
];

const CAMPAIGN_FIELDS = namesIn(`
  id name campaign_description campaign_image distance
`);

export const nearby = section("interface, 4.1", async ({ suite, ann, seed, it }) => {
  await suite.waitIfDayEndsSoon();
  const unknownAccount = { id: suite.accountId() };
  const ask = ({ id }: { id: string }, more: object = {}) =>
    suite.post(ann, PATH, { ...HERE, single_account_id: id, count: 100, ...more });

  it("Without campaigns `items` is empty.", async () => expectList(await ask(unknownAccount), []));
  for (const [title, field, ...badValues] of [
    ["`count` takes 1 to 100.", "count", 0, 101, 1.5, "many"],
    ["`latitude` is required, -90 to 90.", "latitude", 90.1, -91, "north", undefined],
    ["`longitude` is required, -180 to 180.", "longitude", 180.5, -181, undefined],
    ["`single_account_id` is required.", "single_account_id", undefined],
  ] as const)
    it(title, async () => {
      for (const value of badValues) expectInvalid(await ask(unknownAccount, { [field]: value }), field);
    });

  const radius = suite.settings.nearbyRadiusMiles;
  const mainAccount = seed.account();
  const northStore = (miles: number) =>
    seed.store(mainAccount, { ...HERE, latitude: HERE.latitude + (miles / EARTH_RADIUS_MILES) * (180 / Math.PI) });
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
  const popularCampaigns = [lovedCampaign, likedCampaign, campaignAtTwoStores];
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

  const [meridianAccount, poleAccount, diagonalAccount] = [seed.account(), seed.account(), seed.account()];
  seed.store(meridianAccount, { latitude: 10, longitude: 179.95 });
  seed.store(poleAccount, { latitude: 89.9, longitude: 0 });
  const [eastCampaign, poleCampaign] = [seed.campaign(meridianAccount), seed.campaign(poleAccount)];
  // The farthest campaign has the smallest id. So a service that sorts by the id alone fails.
  const diagonalCampaigns = DIAGONAL.toReversed().map(({ degrees }) => {
    const at = { latitude: HERE.latitude + degrees, longitude: HERE.longitude + degrees };
    return seed.campaign(diagonalAccount, { store_ids: [seed.store(diagonalAccount, at)] });
  });

  it("A campaign has exactly these fields.", async () => {
    const [, second] = itemsOf(await ask(mainAccount, { count: 2 }));
    expectExactFields(second, CAMPAIGN_FIELDS);
    expectFields(second, {
      id: likedCampaign,
      name: "Liked",
      campaign_description: "d",
      campaign_image: "i",
      distance: 0,
    });
  });
  it("A campaign is listed if it belongs to the account, has `status` 1, runs today, and at least one of its stores is nearby. It runs today if today is within its dates, both included. Without an end date it does not end.", async () =>
    expectList(await ask(accountWithDates), [campaignOfToday, campaignWithoutEnd]));
  it("A store is nearby if it is at most `NEARBY_RADIUS_MILES` (25) away, also across the 180th meridian and at the poles. The distance is the great-circle distance on a sphere with a radius of 3958.7613 miles.", async () => {
    const actual = idsOf(await ask(mainAccount));
    expectSame([actual.includes(lovedCampaign.id), actual.includes(farCampaign.id)], [true, false]);
    expectList(await ask(meridianAccount, { latitude: 10, longitude: -179.95 }), [eastCampaign]);
    expectList(await ask(poleAccount, { latitude: 89.9, longitude: 180 }), [poleCampaign]);
  });
  it("A campaign's popularity is the sum of the positive balance entries that were booked on it.", async () =>
    expectList(await ask(mainAccount, { count: 3 }), popularCampaigns));
  it("Order: popularity, highest first; then distance before rounding; then id.", async () => {
    const unpopularCampaigns = [nearCampaign, tiedCampaign, laterTiedCampaign];
    expectList(await ask(mainAccount), [...popularCampaigns, ...unpopularCampaigns]);
    expectList(await ask(diagonalAccount), diagonalCampaigns.toReversed());
    expectSame(itemsOf(await ask(diagonalAccount, { count: undefined })).length, 8);
  });
  it("`distance` is in miles to the nearest of the campaign's stores, rounded to two decimals.", async () => {
    const distances = Object.fromEntries(itemsOf(await ask(mainAccount)).map(({ id, distance }) => [id, distance]));
    expectFields(distances, {
      [likedCampaign.id]: 0,
      [nearCampaign.id]: 1,
      [tiedCampaign.id]: 2,
      [campaignAtTwoStores.id]: 2,
    });
    const diagonalMiles = DIAGONAL.map(({ miles }) => miles);
    expectList(await ask(diagonalAccount), diagonalMiles, "distance");
  });
});
