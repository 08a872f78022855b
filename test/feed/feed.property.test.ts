import fc from "fast-check";
import { beforeAll, describe, it } from "vitest";
import { feed } from "../support/api.ts";
import { setClock } from "../support/clock.ts";
import { hasAllRuns, propertyRunsInNode } from "../support/property-runs.ts";
import { createPublicViews } from "../support/public-views.ts";
import { couponsOf, messageGroupsOf, nearbyCampaignsOf } from "./model/answers.ts";
import { FeedModel, type Token } from "./model/feed-model.ts";
import type { ModelLine } from "./model/kind.ts";
import { stateOf } from "./model/state.ts";
import { answeredCampaigns, answeredCoupons, answeredGroups, storedState } from "./model/stored.ts";
import { beginning, lines, world } from "./model/world.ts";

beforeAll(createPublicViews);

// Which accounts the token of a request covers, by index; null for all.
const TOKENS = [null, null, null, null, null, null, null, null, 0, 1];

const runs = propertyRunsInNode(12);

const requests = fc.array(
  fc.record({
    picks: fc.array(fc.record({ pick: fc.nat(), isProgram: fc.boolean() }), { minLength: 1, maxLength: 6 }),
    token: fc.constantFrom(...TOKENS),
    seconds: fc.constantFrom(0, 0, 1),
  }),
  { minLength: 4, maxLength: 10 },
);

describe("random sequences of feeds, compared with a model", () => {
  it("leave what the model has, and answer it, after each request, refused ones included", async ({ expect }) => {
    let run = 10;
    let second = 0;
    let now = "";
    const tick = async (seconds: number) => {
      if (seconds === 0) return;
      second += seconds;
      now = new Date(Date.UTC(2026, 5, 1, 0, 0, second)).toISOString().slice(0, 19).replace("T", " ");
      await setClock(now);
    };
    const seen = { 200: 0, 403: 0, 422: 0, groups: 0, store: 0, mfg: 0, digital: 0, campaigns: 0 };
    let erased = 0;
    await fc.assert(
      fc.asyncProperty(requests, fc.nat(), fc.nat(1), async (plan, seed, secondsAfter) => {
        run += 1;
        const ids = world(run);
        const model = new FeedModel();
        const { program, belongings } = lines(ids);
        const pools = [program, belongings].map((pool) => fc.sample(pool, { numRuns: 100, seed }));
        const first = beginning(ids);
        await tick(1);
        model.apply(first, "*", now);
        expect((await feed(first)).status).toBe(200);

        for (const { picks, token, seconds } of plan) {
          await tick(seconds);
          const chosen = picks.map(({ pick, isProgram }) => pools[isProgram ? 0 : 1]?.[pick % 100] as ModelLine);
          const accounts: Token = token === null ? "*" : [ids.accounts[token] as string];

          const answer = await feed(chosen, accounts);

          const expected = model.apply(chosen, accounts, now);
          expect({ status: answer.status, ...answer.body.items }).toEqual(expected.answer);
          if (answer.status === 422)
            expect(Object.keys(answer.body.messages).sort()).toEqual(expected.badFields.sort());
          expect(await storedState(run)).toEqual(stateOf(model.tables));
          seen[answer.status as 200 | 403 | 422] += 1;
        }
        erased += [...model.tables.customers.values()].filter((customer) => customer.erased === 1).length;

        await tick(secondsAfter);
        for (const customer of ids.customers) {
          const [groups, coupons] = [await answeredGroups(customer), await answeredCoupons(customer)];

          expect(groups).toEqual(messageGroupsOf(model.tables, customer, now));
          expect(coupons).toEqual(couponsOf(model.tables, customer));
          seen.groups += groups.length;
          for (const kind of ["store", "mfg", "digital"] as const) seen[kind] += coupons[kind].length;
        }
        for (const account of ids.accounts) {
          const campaigns = await answeredCampaigns(ids.customers[0] as string, account);

          expect(campaigns).toEqual(nearbyCampaignsOf(model.tables, account));
          seen.campaigns += campaigns.length;
        }
      }),
      runs,
    );

    // The sequences must reach each kind of answer often, or the comparison shows little.
    if (!hasAllRuns) return;
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(runs.numRuns / 2);
    expect(erased).toBeGreaterThan(runs.numRuns / 6);
  });
});
