import { describe, it } from "vitest";
import { A_RUN, type Allowance, runTurns, type TurnRules } from "../../src/service/turns.ts";

describe("a run", () => {
  const RULES: TurnRules = { milliseconds: 60_000, least: { queries: 25, calls: 100 }, atOnce: 4 };

  /** Programs that need so many calls each; a turn costs four queries, or one where there is nothing to do. */
  function run(needs: readonly number[], rules = RULES) {
    const given = needs.map(() => 0);
    const most = { queries: 0, calls: 0 };
    const begun = new Set<number>();
    const waiting = needs.map((need, index) => async (allowance: Allowance) => {
      begun.add(index);
      await Promise.resolve();
      const left = need - (given[index] ?? 0);
      const calls = Math.min(left, allowance.calls);
      given[index] = (given[index] ?? 0) + calls;
      const queries = left === 0 ? 1 : 4;
      most.queries += queries;
      most.calls += calls;
      return { queries, calls, isDone: calls === left };
    });
    return runTurns(waiting, rules).then(() => ({ begun: begun.size, given, ...most }));
  }

  it("gives a program all of it where no other has work", async ({ expect }) => {
    const { given, begun } = await run([0, 0, 20_000, 0]);

    expect([begun, given]).toEqual([4, [0, 0, A_RUN.calls, 0]]);
  });

  it("gives each an equal share where all have too much", async ({ expect }) => {
    expect((await run([20_000, 20_000, 20_000, 20_000, 20_000])).given).toEqual([1_000, 1_000, 1_000, 1_000, 1_000]);
  });

  it("gives those with little all they need, and the rest to those with much", async ({ expect }) => {
    const { given, calls } = await run([20_000, 300, 20_000, 10, 0]);

    expect([given[1], given[3], calls]).toEqual([300, 10, A_RUN.calls]);
    expect(Math.abs((given[0] ?? 0) - (given[2] ?? 0))).toBeLessThan(1_000);
  });

  it.for([0, 50, 5_000])(
    "never uses more than a Worker has, with 2,000 programs of %i calls",
    async (need, { expect }) => {
      const { begun, queries, calls } = await run(Array.from({ length: 2_000 }, () => need));

      expect(queries).toBeLessThanOrEqual(A_RUN.queries);
      expect(calls).toBeLessThanOrEqual(A_RUN.calls);
      expect(begun).toBe(need === 0 ? 926 : need === 50 ? 99 : 50);
    },
  );

  it("begins no turn once its time is over", async ({ expect }) => {
    expect((await run([0, 0], { ...RULES, milliseconds: 0 })).begun).toBe(0);
  });
});
