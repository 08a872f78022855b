import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { mustFeed } from "../../support/api.ts";
import { createPublicViews } from "../../support/public-views.ts";
import * as seed from "../../support/seed.ts";
import { feedUsage } from "../../support/state.ts";

beforeAll(createPublicViews);

async function chain() {
  const account = seed.account();
  const [store, campaign, employee] = [seed.store(account.id), seed.eipCampaign(account.id), seed.employee(account.id)];
  return { account, store, campaign, employee, lines: [account, store, campaign, employee] };
}

describe("the feed's employee, eip_campaign and play", () => {
  it("touch a total once a request, however many plays there are", async ({ expect }) => {
    const { store, campaign, employee, lines } = await chain();
    await mustFeed(lines);
    const plays = (count: number) =>
      Array.from({ length: count }, () => seed.play(campaign.id, store.id, employee.id, { hits: 1 }));
    const written = async (lines: Record<string, unknown>[]) => (await feedUsage(lines)).rowsWritten;

    const first = plays(500);
    expect(await written(first)).toBe(501);
    expect(await written(first)).toBe(0);
    expect(await written(plays(500))).toBe(501);
  });

  it("come back under their old totals when they are written again after a delete", async ({ expect }) => {
    const { store, campaign, employee, lines } = await chain();
    await mustFeed([...lines, seed.play(campaign.id, store.id, employee.id, { hits: 1 })]);
    const deletes = [employee, campaign].map(({ record, id }) => seed.deleted(record, { id }));

    expect((await mustFeed(deletes)).body.items).toEqual({ accepted: 2, ignored: 0 });
    expect((await mustFeed(deletes)).body.items).toEqual({ accepted: 0, ignored: 2 });
    // What is soft-deleted still counts as stored, so that a late retry is not refused.
    await mustFeed([seed.play(campaign.id, store.id, employee.id, { hits: 2 })]);
    await mustFeed([employee, campaign]);
    const { results } = await env.DB.prepare("SELECT hits FROM public_play_totals WHERE location_id = ?")
      .bind(store.id)
      .all();
    expect(results).toEqual([{ hits: 3 }]);
  });
});
