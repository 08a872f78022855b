import fc from "fast-check";
import { afterEach, describe, it, vi } from "vitest";
import type { ModelLine } from "../../feed/model/kind.ts";
import { IDS, randomProgram } from "../../feed/restore/random-program.ts";
import { Clock, emptyDatabase, feedSteps } from "../../feed/restore/transfer.ts";
import { differences } from "../../support/differences.ts";
import { hasAllRuns, propertyRunsInNode } from "../../support/property-runs.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

// Random programs have few members, and small amounts. Here each is referred by the one before: a team of six levels.
const [store] = IDS.stores;
const TEAM = Array.from({ length: 7 }, (_, index) => `u${index}`);

const beginning = [
  ...TEAM.map((id) => seed.customer({ id })),
  ...TEAM.map((id, index) => seed.membership(store, id, { referrer_id: TEAM[index - 1] ?? null })),
] as ModelLine[];

const member = fc.constantFrom(...TEAM);
const amount = fc.constantFrom("0", "1.00", "-0.50", "999999999999.99", "-999999999999.99");

/** A line about somebody of the team, of whom the first stays above all others; or a play. */
const ofTeam: fc.Arbitrary<ModelLine> = fc.oneof(
  // Few, so that one level of one member earns twice in a request.
  fc
    .tuple(fc.constantFrom(...TEAM.slice(0, 2)), fc.constantFrom(1, 3), amount)
    .map(([id, level, tokens]) => seed.earning(store, id, level, tokens)),
  fc.tuple(member, amount).map(([id, hundredths]) => seed.entry(id, store, hundredths)),
  fc.tuple(member, fc.constantFrom("Ada", "Bo Li")).map(([id, first_name]) => seed.customer({ id, first_name })),
  member.map((id) => seed.membership(store, id)),
  fc
    .integer({ min: -1, max: 2 })
    .map((hits) => seed.play(IDS.contests[0], store, IDS.employees[0], { runs: "0.5", hits })),
  fc.constantFrom(...TEAM.slice(1)).map((id) => seed.deleted("membership", { store_id: store, customer_id: id })),
);

const REACHED = `
  SELECT
    (SELECT count(*) FROM message_groups WHERE earlier_id IS NOT NULL) AS earlier,
    (SELECT count(*) FROM message_groups WHERE id IS NULL) AS removed,
    (SELECT count(*) FROM memberships WHERE joined = 0) AS left,
    (SELECT count(*) FROM campaign_stores WHERE listed = 0) AS unlisted,
    (SELECT count(*) FROM team_links WHERE depth = 5) AS deep,
    (SELECT count(*) FROM play_totals) AS played,
    (SELECT count(*) FROM memberships WHERE tokens_3 <> 0) AS earned`;

const runs = propertyRunsInNode(6);

describe("random sequences of feeds", () => {
  it("leave all derived data as its definitions have it, after each request", async ({ expect }) => {
    const reached: Record<string, number> = {};
    const lines = fc.array(fc.array(ofTeam, { maxLength: 6 }), { minLength: 17, maxLength: 17 });
    await fc.assert(
      fc.asyncProperty(randomProgram, lines, async ({ first: [records, ...steps] }, more) => {
        await emptyDatabase("2026-06-01 12:00:00");
        const clock = new Clock();
        await feedSteps([{ seconds: 1, lines: [...(records?.lines ?? []), ...beginning] }], clock);
        expect(await differences()).toEqual([]);

        for (const [index, step] of steps.entries()) {
          await feedSteps([{ ...step, lines: [...step.lines, ...(more[index] ?? [])] }], clock);

          expect(await differences()).toEqual([]);
        }

        const [found = {}] = await rows(REACHED);
        for (const [what, times] of Object.entries(found)) reached[what] = (reached[what] ?? 0) + Number(times);
      }),
      runs,
    );

    // The comparison shows little where nothing comes together.
    if (!hasAllRuns) return;
    expect(Math.min(...Object.values(reached))).toBeGreaterThan(runs.numRuns / 10);
  });
});
