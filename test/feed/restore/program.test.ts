import { env } from "cloudflare:workers";
import { beforeEach, describe, it } from "vitest";
import { type FeedLine, feed, mustFeed, restore } from "../../support/api.ts";
import { differences } from "../../support/differences.ts";
import { freshDatabase } from "../../support/fresh-database.ts";
import * as seed from "../../support/seed.ts";
import { clock, LONG_AGO, messageClock, messagesStored, mustRestore, NOW, talk } from "./support.ts";

beforeEach(() => freshDatabase(NOW));

describe("a program line", () => {
  it("sets the clock of messages, on which the next stamp follows", async ({ expect }) => {
    const { customers, a, group } = talk();
    await mustRestore([...customers, group]);
    await mustRestore([clock({ message_stamp: "2026-06-01 10:00:05" })]);

    await mustFeed([seed.message(group.id, a, { id: "m" })]);

    expect(await messagesStored()).toEqual([{ id: "m", sent_at: "2026-06-01 10:00:06" }]);
    expect(await messageClock()).toEqual([{ stamp: "2026-06-01 10:00:06", clock_said: NOW }]);
  });

  it("may say what the clock of a database without messages says", async ({ expect }) => {
    await mustRestore([clock()]);

    await mustRestore([clock({ message_stamp: LONG_AGO, message_clock_said: LONG_AGO })]);

    expect(await messageClock()).toEqual([{ stamp: LONG_AGO, clock_said: LONG_AGO }]);
  });

  it("counts the last time that it is said", async ({ expect }) => {
    await mustRestore([clock(), clock({ message_stamp: NOW, message_clock_said: NOW })]);

    expect(await messageClock()).toEqual([{ stamp: NOW, clock_said: NOW }]);
  });

  it("cannot be deleted, and has both its times", async ({ expect }) => {
    const deleted = await restore([{ record: "program", deleted: true }]);
    const bare = await restore([{ record: "program" }]);

    expect(deleted.body.messages).toMatchObject({ "line 1.deleted": ["it cannot be deleted"] });
    expect(Object.keys(bare.body.messages)).toEqual(["line 1.message_stamp", "line 1.message_clock_said"]);
  });
});

// Whose sum is what: 71 of the largest amounts are beyond the limit.
const LARGEST = "999999999999.99";
const many = (line: (amount: string) => FeedLine, amount: string) => Array.from({ length: 71 }, () => line(amount));

function merchant() {
  const [account, customer] = [seed.account(), seed.customer()];
  const [store, campaign] = [seed.store(account.id), seed.campaign(account.id)];
  const [contest, employee] = [seed.eipCampaign(account.id), seed.employee(account.id)];
  const lines = [account, store, campaign, contest, employee, customer, seed.membership(store.id, customer.id)];
  return {
    lines,
    entry: (amount: string) => seed.entry(customer.id, store.id, amount),
    earned: (amount: string) => seed.entry(customer.id, store.id, amount, { campaign_id: campaign.id }),
    tokens: (amount: string) => seed.earning(store.id, customer.id, 2, amount),
    play: (runs: string) => seed.play(contest.id, store.id, employee.id, { runs }),
  };
}

const BEYOND = "comes while a total is beyond 70,000,000,000,000, the largest that can be stored";

describe("the limit of totals", () => {
  it.for(["entry", "tokens", "play"] as const)(
    "is that of the sum of all that is restored, not of what comes on the way: %s",
    async (kind, { expect }) => {
      const here = merchant();
      await mustRestore(here.lines);
      await mustRestore(many(here[kind], LARGEST));
      const early = await restore([clock()]);
      await mustRestore(many(here[kind], `-${LARGEST}`));
      await mustRestore(many(here[kind], `-${LARGEST}`));
      await mustRestore(many(here[kind], LARGEST));

      const last = await restore([clock()]);

      expect(early.body.messages).toEqual({ "line 1": [BEYOND] });
      expect(last.status).toBe(200);
      expect(await differences()).toEqual([]);
    },
  );

  it("holds for what a campaign has earned, which nothing takes back", async ({ expect }) => {
    const here = merchant();
    await mustRestore(here.lines);
    await mustRestore(many(here.earned, LARGEST));
    await mustRestore(many(here.entry, `-${LARGEST}`));

    expect((await restore([clock()])).body.messages).toEqual({ "line 1": [BEYOND] });
  });

  it("holds on the way for an ordinary feed, also for a total that a restore left beyond it", async ({ expect }) => {
    const here = merchant();
    await mustRestore(here.lines);
    await mustRestore(many(here.entry, LARGEST));

    const refused = await feed([here.entry("0.01")]);

    expect(Object.keys(refused.body.messages)).toEqual(["line 1.amount"]);
  });

  it("is never so far beyond that a sum would lose a hundredth", async ({ expect }) => {
    const here = merchant();
    await mustRestore([...here.lines, here.entry(LARGEST)]);
    await env.DB.prepare("UPDATE customers SET balance = 3999999999999999999").run();

    const refused = await restore([here.entry("0.02")]);

    expect(Object.keys(refused.body.messages)).toEqual(["line 1.amount"]);
  });
});
