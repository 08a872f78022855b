import { describe, it } from "vitest";
import { A_RUN, type Allowance, orderFrom, runTurns, type TurnRules } from "../../src/service/turns.ts";

const MINUTES_A_YEAR = 525_600;
const SIZES = [1, 2, 7, 60, 100, 144, 365, 475, 500, 720, 949, 950, 951, 1_000, 1_440, 2_520, 5_000];

const programs = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ index, name: `p${String(index).padStart(4, "0")}` }));

/**
 * The longest that any of so many programs waits from one turn to the next, in runs. `reach` says how many programs each
 * run gets to, and `lag` by how many runs KV shows an older place.
 */
function longestWait(count: number, runs: number, reach: (run: number) => number, lag: (run: number) => number) {
  const all = programs(count);
  const lastTurn = new Float64Array(count).fill(-1);
  const places = [""];
  let longest = 0;
  for (let run = 0; run < runs; run += 1) {
    const order = orderFrom(all, places[Math.max(0, places.length - 1 - lag(run))] ?? "");
    const turns = Math.min(reach(run), count);
    for (const { index } of order.slice(0, turns)) {
      longest = Math.max(longest, run - (lastTurn[index] ?? -1));
      lastTurn[index] = run;
    }
    const next = order[turns];
    // As in the service: a run that reached all of them leaves the place as it is.
    if (next !== undefined) places.push(next.name);
  }
  for (const last of lastTurn) longest = Math.max(longest, runs - last);
  return longest;
}

const never = () => 0;
/** By chance, but the same each time. */
function chance(seed: number) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

// What a turn uses: of a program without work, and of one with it.
const JOBS = [
  {
    work: "notify inboxes, where there is nothing to notify",
    runsAYear: MINUTES_A_YEAR,
    least: 25,
    queries: 1,
    calls: 0,
  },
  { work: "notify inboxes, too many in every program", runsAYear: MINUTES_A_YEAR, least: 25, queries: 4, calls: 100 },
  { work: "remove former listeners", runsAYear: 365, least: 1, queries: 1, calls: 0 },
  { work: "merge the search indexes, where none was fed", runsAYear: 365, least: 25, queries: 9, calls: 0 },
  { work: "merge the search indexes, two steps for each of three", runsAYear: 365, least: 25, queries: 18, calls: 0 },
];

describe("programs over a year", () => {
  const cases = JOBS.flatMap((job) => SIZES.map((size) => ({ ...job, size })));

  it.for(cases)(
    "$work: none of $size waits longer than the rounds take",
    ({ runsAYear, least, queries, calls, size }, { expect }) => {
      const reach = Math.min(Math.floor((A_RUN.queries - least) / queries) + 1, A_RUN.calls / calls);
      // With the same reach all repeats once every program was first.
      const runs = Math.min(runsAYear, 2 * size + 10);

      const longest = longestWait(size, runs, () => reach, never);

      expect(longest).toBe(Math.ceil(size / reach));
      expect(longest).toBeLessThan(runsAYear);
    },
  );

  it.for(SIZES)("%i of which each run reaches another number, and KV lags: none is starved", (size, { expect }) => {
    const [random, lagging] = [chance(size), chance(size + 1)];
    const reach = () => 1 + Math.floor(random() * 900);

    const longest = longestWait(size, 3_000, reach, () => Math.floor(lagging() * 3));

    // A round takes about size / 450 runs; with a place from two runs ago, three times as many.
    expect(longest).toBeLessThanOrEqual(10 + Math.ceil((6 * size) / 450));
  });

  it("of which one is taken away goes on with the next one by name", ({ expect }) => {
    const names = (place: string) =>
      orderFrom([{ name: "" }, { name: "b" }, { name: "d" }], place).map(({ name }) => name);

    expect(["", "c", "d", "e"].map(names)).toEqual([
      ["", "b", "d"],
      ["d", "", "b"],
      ["d", "", "b"],
      ["", "b", "d"],
    ]);
  });
});

describe("a run", () => {
  const RULES: TurnRules = { milliseconds: 60_000, least: { queries: 25, calls: 100 }, atOnce: 4 };

  /** Programs that need so many calls each; a turn costs four queries, or one where there is nothing to do. */
  function run(needs: readonly number[], rules = RULES) {
    const given = needs.map(() => 0);
    const most = { queries: 0, calls: 0 };
    const waiting = needs.map((need, index) => async (allowance: Allowance) => {
      await Promise.resolve();
      const left = need - (given[index] ?? 0);
      const calls = Math.min(left, allowance.calls);
      given[index] = (given[index] ?? 0) + calls;
      const queries = left === 0 ? 1 : 4;
      most.queries += queries;
      most.calls += calls;
      return { queries, calls, isDone: calls === left };
    });
    return runTurns(waiting, rules).then((ended) => ({ ...ended, given, ...most }));
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
