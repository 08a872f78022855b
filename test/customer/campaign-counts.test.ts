import { beforeAll, describe, it } from "vitest";
import { as, mustFeed } from "../support/api.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import * as seed from "../support/seed.ts";

// docs/contract/interface.md, 4.6: the counts of a customer's campaigns look at the first 100 joined stores that are visible.

const [many, last] = [seed.account(), seed.account()];
const stores = Array.from({ length: 101 }, () => seed.store(many.id));
const lastStore = seed.store(last.id);
const customer = seed.customer();
const campaign = seed.campaign(last.id);

const join = (...joined: { id: unknown }[]) =>
  mustFeed(joined.map(({ id }) => seed.membership(id, customer.id, { joined: 1 })));

async function counts(): Promise<number[]> {
  const { body } = await as(String(customer.id)).get("/api/v1/customer/me");
  return [body.items.campaigns_total, body.items.campaigns_registered];
}

describe("the counts of a customer's campaigns", () => {
  beforeAll(async () => {
    await freshDatabase("2026-11-28 09:00:00");
    await mustFeed([many, last, ...stores, lastStore, customer, campaign, seed.registration(campaign.id, customer.id)]);
  });

  it("look at the first 100 joined stores, without hidden ones", async ({ expect }) => {
    await join(lastStore, ...stores.slice(0, 99));
    const ofHundred = await counts();
    await join(...stores.slice(99, 100));
    const ofMore = await counts();
    await mustFeed([{ ...stores[0], deleted: true }]);
    const withHidden = await counts();
    await mustFeed([seed.deleted("account", { id: last.id })]);

    expect([ofHundred, ofMore, withHidden, await counts()]).toEqual([
      [1, 1],
      [0, 0],
      [1, 1],
      [0, 0],
    ]);
  });

  it("leave out an account whose only joined store is hidden", async ({ expect }) => {
    const account = seed.account();
    const [hidden, visible] = [seed.store(account.id), seed.store(account.id)];
    const [other, running] = [seed.customer(), seed.campaign(account.id)];
    await mustFeed([account, hidden, visible, other, running, seed.registration(running.id, other.id)]);
    await mustFeed([seed.membership(hidden.id, other.id), seed.deleted("store", { id: hidden.id })]);

    const { body } = await as(String(other.id)).get("/api/v1/customer/me");

    expect([body.items.campaigns_total, body.items.campaigns_registered, body.items.stores_count]).toEqual([0, 0, 0]);
  });
});
