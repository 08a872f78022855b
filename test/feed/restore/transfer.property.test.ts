import fc from "fast-check";
import { afterEach, describe, it, vi } from "vitest";
import { propertyRuns } from "../../support/property-runs.ts";
import { rows } from "../../support/state.ts";
import { randomProgram } from "./random-program.ts";
import { transfer } from "./transfer.ts";

const runs = propertyRuns(2);

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a database that is exported, and restored into an empty one", () => {
  it("answers and exports the same, before and after the same further feed", async ({ expect }) => {
    const reached: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(randomProgram, async (program) => {
        const { fed, restored } = await transfer(program, { look: () => count(reached) });

        expect(restored).toEqual(fed);
        expect(restored.before.differences).toEqual([]);
      }),
      runs,
    );

    // A few programs may lack something; of many, what none of them has would not be compared at all.
    if (runs.numRuns >= 50) expect(Object.entries(reached).filter(([, times]) => times === 0)).toEqual([]);
    console.info(`${runs.numRuns} programs, seed ${runs.seed}: ${JSON.stringify(reached)}`);
  });
});

async function count(reached: Record<string, number>): Promise<void> {
  const [found = {}] = await rows(`
    SELECT
      (SELECT count(*) FROM accounts WHERE deleted = 1) AS deletedAccounts,
      (SELECT count(*) FROM stores WHERE deleted = 1) AS deletedStores,
      (SELECT count(*) FROM campaigns WHERE deleted = 1) AS deletedCampaigns,
      (SELECT count(*) FROM coupons WHERE deleted = 1) AS deletedCoupons,
      (SELECT count(*) FROM employees WHERE deleted = 1) AS deletedEmployees,
      (SELECT count(*) FROM eip_campaigns WHERE deleted = 1) AS deletedContests,
      (SELECT count(*) FROM customers WHERE erased = 1) AS erased,
      (SELECT count(*) FROM memberships WHERE joined = 0) AS left,
      (SELECT count(*) FROM memberships WHERE referrer_key IS NOT NULL) AS referred,
      (SELECT count(*) FROM message_groups WHERE id IS NULL) AS removed,
      (SELECT count(*) FROM messages JOIN message_groups AS g ON g.key = group_key WHERE g.id IS NULL) AS hidden,
      (SELECT count(*) FROM message_groups WHERE earlier_id IS NOT NULL) AS earlier,
      (SELECT count(*) FROM messages JOIN message_groups AS g ON g.key = group_key
        WHERE sent_at = newest_at AND messages.id > newest_id) AS lastByOrder,
      (SELECT count(*) FROM message_groups AS g WHERE id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM message_group_members WHERE group_key = g.key AND customer_key = initial_customer_key
      )) AS withoutInitial,
      (SELECT count(*) FROM message_states) AS states,
      (SELECT count(*) FROM friendships) AS friendships,
      (SELECT count(*) FROM blocks) AS blocks,
      (SELECT count(*) FROM registrations) AS registrations,
      (SELECT count(*) FROM customer_coupons) AS held,
      (SELECT count(*) FROM balance_entries) AS entries,
      (SELECT count(*) FROM token_earnings) AS earnings,
      (SELECT count(*) FROM plays) AS plays`);
  for (const [what, times] of Object.entries(found)) reached[what] = (reached[what] ?? 0) + Number(times);
}
