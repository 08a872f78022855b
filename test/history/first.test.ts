import { afterEach, describe, it } from "vitest";
import { mustFeed } from "../support/api.ts";
import { differences } from "../support/differences.ts";
import * as seed from "../support/seed.ts";
import { rows } from "../support/state.ts";
import { keepMonths, linesOf, monthsAgo, seal } from "./support.ts";

afterEach(() => keepMonths(undefined));

describe("x", () => {
  it("seals", async ({ expect }) => {
    const account = seed.account();
    const store = seed.store(account.id);
    const campaign = seed.campaign(account.id, { store_ids: [store.id] });
    const customer = seed.customer();
    const other = seed.customer();
    const employee = seed.employee(account.id);
    const contest = seed.eipCampaign(account.id);
    const group = seed.group([customer.id, other.id]);
    await mustFeed([account, store, campaign, customer, other, employee, contest, group, seed.membership(store.id, customer.id),
      seed.entry(customer.id, store.id, "5.00", { campaign_id: campaign.id, created_at: monthsAgo(5) }),
      seed.entry(customer.id, store.id, "-1.00", { created_at: monthsAgo(5) }),
      seed.entry(customer.id, store.id, "2.00", { created_at: monthsAgo(1) }),
      seed.earning(store.id, customer.id, 2, "3.00", { earned_at: monthsAgo(6) }),
      seed.play(contest.id, store.id, employee.id, { runs: "1.5", hits: 2, played_at: monthsAgo(7) }),
      ...[9, 8, 7, 6].map((months) => seed.message(group.id, other.id, { sent_at: monthsAgo(months) })),
    ]);
    console.log(JSON.stringify(await differences()));
    keepMonths(2);
    await seal();
    const segments = await rows("SELECT * FROM history_segments");
    console.log(JSON.stringify(segments, null, 1));
    for (const { name } of segments) console.log(JSON.stringify(await linesOf(name)));
    console.log(JSON.stringify(await rows("SELECT * FROM history_walks")));
    expect(await differences()).toEqual([]);
    await seal();
  });
});
