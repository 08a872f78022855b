import { describe, it } from "vitest";
import { feed, mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";

// test/isolation tries all ways in which a line can touch a foreign account.
describe("the stores that a campaign lists", () => {
  it("are not named one by one if the account of the campaign is not stored", async ({ expect }) => {
    const account = seed.account();
    const [listed, other] = [seed.store(account.id), seed.store(account.id)];
    const campaign = seed.campaign(account.id, { store_ids: [listed.id] });
    await mustFeed([account, listed, other, campaign]);

    const { body } = await feed([{ ...campaign, account_id: "999999", store_ids: [listed.id, other.id] }]);

    expect(body.messages).toEqual({
      "line 1.account_id": ["names a record that is not stored", "is fixed once written"],
      "line 1.store_ids": ["names stores of an account that is not stored"],
    });
  });

  it("must be covered by the token on every line, whether the line counts or not", async ({ expect }) => {
    const [mine, theirs] = [seed.account(), seed.account()];
    const [store, foreign] = [seed.store(mine.id), seed.store(theirs.id)];
    await mustFeed([mine, theirs, store, foreign]);
    const campaign = seed.campaign(mine.id, { store_ids: [store.id] });
    const reaching = { ...campaign, store_ids: [store.id, foreign.id] };
    const send = async (...lines: object[]) => feed(lines as Record<string, unknown>[], [mine.id]);

    const answers = [
      await send(reaching, campaign),
      await send(campaign, reaching),
      await send(reaching, seed.deleted("campaign", { id: campaign.id })),
      await send(campaign),
    ];

    const text = (line: number) => `Line ${line} touches an account that the token does not cover.`;
    expect(answers.map(({ body }) => body.message)).toEqual([text(1), text(2), text(1), undefined]);
  });
});
