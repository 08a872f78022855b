import { env } from "cloudflare:workers";
import { beforeEach, describe, it } from "vitest";
import { removeWords } from "../../../src/customer/search/remove-words.ts";
import { Database } from "../../../src/db/database.ts";
import { as, mustFeed } from "../../support/api.ts";
import { differences } from "../../support/differences.ts";
import { freshDatabase } from "../../support/fresh-database.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";

const remove = (stepsLeft = 100) => removeWords(new Database(env.DB, "first-primary"), () => stepsLeft-- > 0);

const entries = async () => {
  const [counts] = await rows(
    "SELECT (SELECT count(*) FROM store_words_docsize) AS stores, (SELECT count(*) FROM campaign_words_docsize) AS campaigns",
  );
  return counts;
};
const vocabulary = async () => (await rows("SELECT word FROM merchant_vocabulary")).map(({ word }) => word);

async function findStores(query: string) {
  const { body } = await as("c").post("/api/v1/customer/full-search", { query, filter: "stores", typos: false });
  return body.stores.length;
}

const account = seed.account({ company: "Copper Kettle" });
const other = seed.account({ company: "Kettle House" });
const store = seed.store(account.id, { name: "Harbour", address_line_1: "", city: "", state: "", zip: "" });
const campaign = seed.campaign(account.id, { name: "Winter", campaign_description: "Harbour" });
const otherStore = seed.store(other.id, { name: "Market", address_line_1: "", city: "", state: "", zip: "" });
const deletion = seed.deleted("account", { id: account.id });

describe("removing words from the search", () => {
  beforeEach(async () => {
    await freshDatabase("2026-06-10 00:00:00");
    await mustFeed([account, other, store, campaign, otherStore]);
  });

  it("removes the entries of a soft-deleted account, and the words that nobody else has", async ({ expect }) => {
    await mustFeed([deletion]);
    const differencesBefore = await differences();

    const report = await remove();

    expect(report).toEqual({ removed: 3, isDone: true });
    expect(await entries()).toEqual({ stores: 1, campaigns: 0 });
    expect(await vocabulary()).toEqual(["house", "kettle", "market"]);
    expect([differencesBefore, await differences()]).toEqual([[], []]);
  });

  it("removes the words that a record had before it changed or was deleted", async ({ expect }) => {
    await mustFeed([
      { ...store, name: "Lighthouse" },
      { ...account, company: "Kettle" },
    ]);
    await mustFeed([seed.deleted("campaign", { id: campaign.id })]);
    const differencesBefore = await differences();

    await remove();

    expect(await vocabulary()).toEqual(["house", "kettle", "lighthouse", "market"]);
    expect([differencesBefore, await differences()]).toEqual([[], []]);
  });

  it("keeps the words of a company that has no stores yet", async ({ expect }) => {
    const renamed = seed.account({ company: "Orchard Bakery" });
    await mustFeed([renamed]);
    await mustFeed([{ ...renamed, company: "Orchard" }]);

    await remove();

    expect(await vocabulary()).toEqual(["copper", "harbour", "house", "kettle", "market", "orchard", "winter"]);
  });

  it("goes on in the next run if there is no time", async ({ expect }) => {
    await mustFeed([deletion]);

    const reports = [await remove(0), await remove(1), await remove(2), await remove()];

    expect(reports.map(({ isDone }) => isDone)).toEqual([false, false, false, true]);
    expect(await entries()).toEqual({ stores: 1, campaigns: 0 });
    expect(await differences()).toEqual([]);
  });

  it.for(["before", "after"])("lets an account come back %s it has run", async (time, { expect }) => {
    await mustFeed([deletion, { ...store, phone: "1" }]);
    if (time === "after") await remove();
    const found = await findStores("harbour");

    await mustFeed([account]);
    await remove();

    expect([found, await findStores("harbour"), await findStores("copper")]).toEqual([0, 1, 1]);
    expect(await differences()).toEqual([]);
  });

  it("has nothing to do with a word of 4,000 letters, which is cut", async ({ expect }) => {
    await mustFeed([seed.campaign(other.id, { campaign_description: "한".repeat(4_000) })]);

    expect(await differences()).toEqual([]);
  });
});
