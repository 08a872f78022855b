import { describe, it } from "vitest";
import { feed, mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";

// test/isolation tests every other way in which a line can touch a foreign account.
describe("the stores that a campaign lists", () => {
  it("are not named one by one if the account of the campaign is not stored", async ({ expect }) => {
    const account = seed.account();
    const [listedStore, otherStore] = [seed.store(account.id), seed.store(account.id)];
    const campaign = seed.campaign(account.id, { store_ids: [listedStore.id] });
    await mustFeed([account, listedStore, otherStore, campaign]);

    const { body } = await feed([{ ...campaign, account_id: "999999", store_ids: [listedStore.id, otherStore.id] }]);

    expect(body.messages).toEqual({
      "line 1.account_id": ["names a record that is not stored", "is fixed once written"],
      "line 1.store_ids": ["names stores of an account that is not stored"],
    });
  });

  it("must be covered by the token on every line, whether the line counts or not", async ({ expect }) => {
    const [myAccount, otherAccount] = [seed.account(), seed.account()];
    const [store, foreignStore] = [seed.store(myAccount.id), seed.store(otherAccount.id)];
    await mustFeed([myAccount, otherAccount, store, foreignStore]);
    const campaign = seed.campaign(myAccount.id, { store_ids: [store.id] });
    const reachingCampaign = { ...campaign, store_ids: [store.id, foreignStore.id] };
    const send = async (...lines: object[]) => feed(lines as Record<string, unknown>[], [myAccount.id]);

    const answers = [
      await send(reachingCampaign, campaign),
      await send(campaign, reachingCampaign),
      await send(reachingCampaign, seed.deleted("campaign", { id: campaign.id })),
      await send(campaign),
    ];

    const text = (line: number) => `Line ${line} touches an account that the token does not cover.`;
    expect(answers.map(({ body }) => body.message)).toEqual([text(1), text(2), text(1), undefined]);
  });
});
