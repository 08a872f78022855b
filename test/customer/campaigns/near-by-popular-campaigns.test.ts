import { describe, it } from "vitest";
import { as, mustFeed, trips } from "../../support/api.ts";
import { setClock } from "../../support/clock.ts";
import * as seed from "../../support/seed.ts";

const PATH = "/api/v1/customer/campaigns/near-by-popular-campaigns";
const HERE = { latitude: 35.47, longitude: -97.52 };
// One degree of latitude is 69.09 miles.
const MILES_NORTH = (miles: number) => ({ ...HERE, latitude: HERE.latitude + miles / 69.0936 });

async function chain() {
  const account = seed.account();
  const store = seed.store(account.id, HERE);
  await mustFeed([account, store]);
  return { account, store };
}

async function nearby(accountId: unknown, place: Record<string, unknown> = HERE) {
  const answer = await as(seed.freshId("c")).post(PATH, { ...place, single_account_id: accountId });
  return answer.body.items.map((item: { id: string }) => item.id);
}

describe("POST /campaigns/near-by-popular-campaigns", () => {
  it("answers each field of a nearby campaign, in one round trip", async ({ expect }) => {
    const { account, store } = await chain();
    const campaign = seed.campaign(account.id, {
      campaign_description: "Twice",
      campaign_image: "https://i.example/1",
    });
    await mustFeed([campaign]);

    const answer = await as("c").post(PATH, { ...MILES_NORTH(10), single_account_id: account.id });

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      status: true,
      items: [
        {
          name: "Double points",
          id: campaign.id,
          campaign_description: "Twice",
          campaign_image: "https://i.example/1",
          distance: 10,
        },
      ],
    });
    expect(trips(answer)).toBe(1);
    expect(store.account_id).toBe(account.id);
  });

  it("puts the campaign with the larger balance history first, then the nearer, then the smaller id", async ({
    expect,
  }) => {
    const { account, store } = await chain();
    const near = seed.store(account.id, MILES_NORTH(-1));
    const here = { latitude: MILES_NORTH(-1).latitude, longitude: HERE.longitude };
    const [quiet, popular, close, closeToo] = ["q", "p", "a", "b"].map((name) =>
      seed.campaign(account.id, { id: `${name}-${account.id}`, store_ids: name < "c" ? [near.id] : [store.id] }),
    );
    const customer = seed.customer();
    await mustFeed([near, quiet, popular, close, closeToo, customer] as Record<string, unknown>[]);
    await mustFeed([
      seed.entry(customer.id, store.id, "900.00", { campaign_id: popular?.id }),
      seed.entry(customer.id, store.id, "-2000.00", { campaign_id: popular?.id }),
      seed.entry(customer.id, store.id, "10.00", { campaign_id: quiet?.id }),
    ]);

    expect(await nearby(account.id, here)).toEqual([popular?.id, quiet?.id, close?.id, closeToo?.id]);
  });

  it("leaves out stores beyond the radius, and campaigns that list none within it", async ({ expect }) => {
    const { account, store } = await chain();
    const campaign = seed.campaign(account.id, { store_ids: [store.id] });
    const nowhere = seed.campaign(account.id, { store_ids: [] });
    await mustFeed([campaign, nowhere]);

    expect(await nearby(account.id, MILES_NORTH(24.99))).toEqual([campaign.id]);
    expect(await nearby(account.id, MILES_NORTH(25.01))).toEqual([]);
  });

  it("lists a campaign from its first day to its last, both included, while its status is 1", async ({ expect }) => {
    const { account } = await chain();
    const campaign = (id: string, fields: Record<string, unknown>) =>
      seed.campaign(account.id, { id: `${id}-${account.id}`, ...fields });
    await mustFeed([
      campaign("1-first-day", { campaign_start_date: "2026-05-10" }),
      campaign("2-last-day", { campaign_end_date: "2026-05-10" }),
      campaign("3-tomorrow", { campaign_start_date: "2026-05-11" }),
      campaign("4-yesterday", { campaign_end_date: "2026-05-09" }),
      campaign("5-off", { status: 0 }),
      campaign("6-other-status", { status: 2 }),
    ]);

    await setClock("2026-05-10 23:59:59");

    expect(await nearby(account.id)).toEqual([`1-first-day-${account.id}`, `2-last-day-${account.id}`]);
  });

  it("answers what is soft-deleted as if it were not there, until it is written again", async ({ expect }) => {
    const { account, store } = await chain();
    const campaign = seed.campaign(account.id);
    await mustFeed([campaign]);

    for (const one of [account, store, campaign]) {
      await mustFeed([seed.deleted(one.record, { id: one.id })]);
      expect(await nearby(account.id)).toEqual([]);

      await mustFeed([one]);
      expect(await nearby(account.id)).toEqual([campaign.id]);
    }
  });

  it("reaches over the 180th meridian and around the poles", async ({ expect }) => {
    const account = seed.account();
    const places = [
      { latitude: 0.01, longitude: 179.99 },
      { latitude: 0, longitude: -180 },
      { latitude: 89.9, longitude: 12 },
      { latitude: -89.9, longitude: -170 },
    ];
    const stores = places.map((place) => seed.store(account.id, place));
    const campaigns = stores.map((store) => seed.campaign(account.id, { store_ids: [store.id] }));
    await mustFeed([account, ...stores, ...campaigns]);
    const [east, dateLine, north, south] = campaigns.map(({ id }) => id);

    expect(await nearby(account.id, { latitude: 0, longitude: -179.99 })).toEqual([dateLine, east]);
    expect(await nearby(account.id, { latitude: 0, longitude: 180 })).toEqual([dateLine, east]);
    expect(await nearby(account.id, { latitude: 89.9, longitude: -168 })).toEqual([north]);
    expect(await nearby(account.id, { latitude: -90, longitude: 0 })).toEqual([south]);
  });

  it("finds nothing for an account that is not stored", async ({ expect }) => {
    expect(await nearby("999999999")).toEqual([]);
  });

  it("takes numbers as text, and eight campaigns when count is left out", async ({ expect }) => {
    const { account } = await chain();
    await mustFeed(Array.from({ length: 9 }, () => seed.campaign(account.id)));
    const place = { latitude: "35.47", longitude: "-97.52" };

    expect(await nearby(account.id, place)).toHaveLength(8);
    expect(await nearby(account.id, { ...place, count: "2" })).toHaveLength(2);
  });

  it.for([
    [{}, ["latitude", "longitude", "single_account_id"]],
    [{ ...HERE, single_account_id: "1", count: 0 }, ["count"]],
    [{ ...HERE, single_account_id: "1", count: 101 }, ["count"]],
    [{ ...HERE, single_account_id: "1", count: 1.5 }, ["count"]],
    [{ ...HERE, single_account_id: "1", count: "" }, ["count"]],
    [{ ...HERE, single_account_id: "1", count: null }, ["count"]],
    [{ ...HERE, single_account_id: "1", count: true }, ["count"]],
    [{ latitude: 90.1, longitude: -180.1, single_account_id: "" }, ["latitude", "longitude", "single_account_id"]],
    [{ latitude: "8x", longitude: "1e2", single_account_id: 7 }, ["latitude", "longitude", "single_account_id"]],
    [
      { latitude: "NaN", longitude: "", single_account_id: "x".repeat(65) },
      ["latitude", "longitude", "single_account_id"],
    ],
  ] as const)("names every bad field of %j", async ([body, fields], { expect }) => {
    const answer = await as("c").post(PATH, body);

    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ status: false, errorCode: "VALIDATION_EXCEPTION" });
    expect(Object.keys(answer.body.messages).sort()).toEqual(fields);
  });

  it("says what to correct in a number that is too large for JavaScript", async ({ expect }) => {
    const nines = "9".repeat(400);

    const { body } = await as("c").post(PATH, { latitude: nines, longitude: `-${nines}`, single_account_id: "1" });

    expect(body.messages).toEqual({ latitude: ["must be at most 90"], longitude: ["must be at least -180"] });
  });
});
