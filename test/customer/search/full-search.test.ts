import { describe, it } from "vitest";
import { as, mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";

const PATH = "/api/v1/customer/full-search";

/** A word that no other test has. */
const freshWord = () => seed.freshId("word");

async function search(query: string, { caller = seed.freshId("c"), ...fields }: Record<string, unknown> = {}) {
  const answer = await as(String(caller)).post(PATH, { query, ...fields });
  return answer.body.items ?? answer.body;
}

async function found(query: string, caller = seed.freshId("c")) {
  const { stores, customers, campaigns } = await search(query, { caller });
  return [...stores, ...customers, ...campaigns].map(({ id }: { id: string }) => id);
}

describe("POST /full-search", () => {
  it.for([2, 3, 4, 5, 6])("finds a name of %i words by a letter or two of each", async (count, { expect }) => {
    const letters = [..."აბგდევზთიკლმნოპჟრსტუ"].slice((count * (count - 1)) / 2 - 1).slice(0, count);
    const name = letters.map((letter, index) => `${letter}${index}`);
    const customer = seed.customer({ first_name: name.slice(1).join(" "), last_name: `${name[0]}s` });
    await mustFeed([customer, seed.customer({ first_name: name.slice(1).join(" "), last_name: "x" })]);

    expect(await found(letters.join(" "))).toEqual([customer.id]);
    expect(await found(name.map((word, index) => word.slice(0, 1 + (index % 2))).join(" "))).toEqual([customer.id]);
    expect(await found(name.map((word) => `${word}s`).join(" "))).toEqual([]);
  });

  it("finds stores and campaigns that hold all of many beginnings, and no others", async ({ expect }) => {
    const letters = [..."ԱԲԳԴԵԶԷԸ"];
    const [account, other] = [seed.account({ company: "Ըx" }), seed.account()];
    const description = letters.slice(0, -1).join("- ");
    const store = seed.store(account.id, { name: description });
    const campaign = seed.campaign(account.id, { campaign_description: `${description}-x` });
    await mustFeed([account, other, store, campaign, seed.store(other.id, { name: description })]);

    expect(await found(letters.join(" "))).toEqual([store.id, campaign.id]);
  });

  it("fills the twenty with what may be found", async ({ expect }) => {
    const [word, caller] = [freshWord(), seed.customer()];
    const account = seed.account({ company: word });
    const deleted = seed.account({ company: word });
    const stores = Array.from({ length: 45 }, (_, index) => seed.store((index < 15 ? deleted : account).id));
    const customers = Array.from({ length: 45 }, () => seed.customer({ first_name: word }));
    const blocks = customers.slice(0, 25).map(({ id }) => seed.block(id, caller.id));
    await mustFeed([account, deleted, ...stores, caller, ...customers, ...blocks]);
    await mustFeed([
      seed.deleted("account", { id: deleted.id }),
      ...stores.slice(15, 25).map(({ id }) => seed.deleted("store", { id })),
    ]);

    const items = await search(word, { caller: caller.id });

    expect(items.stores.map(({ id }: { id: string }) => id)).toEqual(stores.slice(25).map(({ id }) => id));
    expect(items.customers.map(({ id }: { id: string }) => id)).toEqual(customers.slice(25).map(({ id }) => id));
  });
});
