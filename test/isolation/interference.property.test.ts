import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../scripts/program/random.ts";
import { as, type FeedLine, feed, mustFeed } from "../support/api.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import { propertyRuns } from "../support/property-runs.ts";
import * as seed from "../support/seed.ts";

// What a token of one account feeds changes nothing of another account: neither the answers to its feeder, nor what its
// customers see of it. Customers belong to all accounts.

const NOW = "2026-05-01 10:00:00";
const CUSTOMER = "/api/v1/customer";
const LARGEST = "999999999.99";

/** The records of an account, and random changes to them. Ids of events begin with the account's id. */
function chain(random: Random, customers: readonly { id: string }[], word: string) {
  const account = seed.account({ company: `${word} company` });
  const name = () => `${word} ${random.pick(["market", "corner", "coffee", "cofee"])}`;
  const stores = [1, 2, 3].map((number) => seed.store(account.id, { id: `${account.id}-s${number}`, name: name() }));
  const campaign = seed.campaign(account.id, { id: `${account.id}-k`, name: name(), store_ids: "all" });
  const coupons = ["store", "mfg", "digital"].map((kind) =>
    seed.coupon(account.id, { id: `${account.id}-${kind}`, kind, name: name() }),
  );
  const employee = seed.employee(account.id);
  const contest = seed.eipCampaign(account.id);
  const [store, customer] = [() => random.pick(stores), () => random.pick(customers)];
  const amount = () => random.pick(["5", "-3.25", "0", LARGEST]);
  let events = 0;
  const id = () => {
    events += 1;
    return `${account.id}-${events}`;
  };
  const changes: (() => FeedLine)[] = [
    () => ({ ...store(), name: name() }),
    () => ({ ...campaign, name: name() }),
    () => ({ ...random.pick(coupons), name: name() }),
    () => seed.deleted("store", { id: store().id }),
    () => seed.membership(store().id, customer().id),
    () => seed.deleted("membership", { store_id: store().id, customer_id: customer().id }),
    () => seed.registration(campaign.id, customer().id),
    () => seed.customerCoupon(customer().id, random.pick(coupons.slice(0, 2)).id, store().id, { id: id() }),
    () => seed.entry(customer().id, store().id, amount(), { id: id(), campaign_id: random.pick([campaign.id, null]) }),
    () => seed.play(contest.id, store().id, employee.id, { id: id(), runs: amount(), hits: 1 }),
    () => ({ ...store(), latitude: 91 }),
  ];
  const records = [account, ...stores, campaign, ...coupons, employee, contest];
  const request = () => Array.from({ length: random.integer(1, 5) }, () => random.pick(changes)());
  return { account, stores, contest, records, request };
}

type Chain = ReturnType<typeof chain>;

/** What customers see of an account. */
async function answersAbout({ account, stores, contest }: Chain, customers: readonly { id: string }[]) {
  const here = { latitude: 35.47, longitude: -97.52, single_account_id: account.id, count: 100 };
  const answers: unknown[] = [];
  for (const { id } of customers) {
    const api = as(id);
    const { body } = await api.get(`${CUSTOMER}/me`);
    const balances: { account_id: string }[] = body.items?.balances ?? [];
    answers.push(
      balances.filter(({ account_id }) => account_id === account.id),
      (await api.get(`${CUSTOMER}/me/entries?account_id=${account.id}`)).body,
      (await api.get(`${CUSTOMER}/coupons?accountId=${account.id}&include_images=true`)).body,
      (await api.get(`${CUSTOMER}/my-coupons?storeId=${stores.map((store) => store.id).join(",")}`)).body,
      (await api.post(`${CUSTOMER}/campaigns/near-by-popular-campaigns`, here)).body,
    );
    for (const store of stores)
      answers.push(
        (await api.get(`${CUSTOMER}/stores/${store.id}/team-with-level`)).body,
        (await api.post(`${CUSTOMER}/gamification/leaderboard`, { location_id: store.id, eip_campaign_id: contest.id }))
          .body,
      );
    for (const query of ["beta market", "beta coffe", "betta corner"])
      answers.push((await api.post(`${CUSTOMER}/full-search`, { query, filter: "stores" })).body);
  }
  return answers;
}

describe("the feeds of one account", () => {
  it("change neither the answers about another account, nor the answers to its feeder", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (name) => {
        const customers = Array.from({ length: 3 }, () => seed.customer());
        const other = chain(new Random(`other ${name}`), customers, "alpha");
        const own = chain(new Random(`own ${name}`), customers, "beta");
        const others = Array.from({ length: 8 }, other.request);
        const requests = Array.from({ length: 8 }, own.request);
        const run = async (withOther: boolean) => {
          await freshDatabase(NOW);
          await mustFeed([...customers, ...other.records, ...own.records]);
          const answers: unknown[] = [];
          for (const [index, lines] of requests.entries()) {
            if (withOther) await feed(others[index] ?? [], [other.account.id]);
            const { status, body } = await feed(lines, [own.account.id]);
            answers.push([status, body]);
          }
          return [answers, await answersAbout(own, customers)];
        };

        expect(await run(true)).toEqual(await run(false));
      }),
      propertyRuns(2),
    );
  });
});
