import { describe, it } from "vitest";
import { as, mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";

describe("a search for many words", () => {
  it("finds a record only if it has all of them", async ({ expect }) => {
    const letters = [..."ԱԲԳԴԵԶԷԸ"];
    const [account, otherAccount] = [seed.account({ company: "Ըx" }), seed.account()];
    const texts = letters.slice(0, -1).join("- ");
    const store = seed.store(account.id, { name: texts });
    const campaign = seed.campaign(account.id, { campaign_description: `${texts}-x` });
    const customer = seed.customer({ first_name: texts, last_name: "Ըx" });
    const others = [seed.store(otherAccount.id, { name: texts }), seed.customer({ first_name: texts, last_name: "x" })];
    await mustFeed([account, otherAccount, store, campaign, customer, ...others]);

    const { items } = (await as("c").post("/api/v1/customer/full-search", { query: letters.join(" ") })).body;

    const ids = Object.values<{ id: string }[]>(items).map((list) => list.map(({ id }) => id));
    expect(ids).toEqual([[store.id], [customer.id], [campaign.id]]);
  });
});
