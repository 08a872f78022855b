import { createExecutionContext, createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import worker from "../../src/index.ts";
import { bindingName } from "../../src/programs/programs.ts";

const QUERIES_OF_A_WORKER = 1_000;

afterEach(() => vi.restoreAllMocks());

/** So many programs with databases that have nothing to do, and note who asks them. */
function deploymentOf(count: number) {
  const asked: string[] = [];
  const databaseOf = (name: string) => {
    const session = {
      prepare: () => ({ bind: () => ({}) }),
      batch: async (statements: unknown[]) => {
        asked.push(...statements.map(() => name));
        const meta = { duration: 0, rows_read: 0, rows_written: 0 };
        return statements.map(() => ({ results: [], meta }));
      },
      getBookmark: () => null,
    };
    return { withSession: () => session };
  };
  const names = Array.from({ length: count }, (_, index) => `p${String(index).padStart(4, "0")}`);
  const databases = names.map((name) => [bindingName("DB", name), databaseOf(name)]);
  const many = { ...env, DB: undefined, ...Object.fromEntries(databases) } as unknown as Env;
  const run = async (cron: string) => {
    const from = asked.length;
    await worker.scheduled(createScheduledController({ cron }), many, createExecutionContext());
    return asked.slice(from);
  };
  return { names, run };
}

describe("a thousand programs", () => {
  it.for([
    ["* * * * *", 926],
    ["30 5 * * *", 950],
  ] as const)(
    "are visited from a random one on, as many as D1 may be asked for in a run: %s",
    async ([cron, reach], { expect }) => {
      vi.spyOn(Math, "random").mockReturnValueOnce(0).mockReturnValueOnce(0.5).mockReturnValueOnce(0.9999);
      const { names, run } = deploymentOf(1_000);
      const inTurn = (first: number) => [...names.slice(first), ...names].slice(0, reach);

      for (const first of [0, 500, 999]) expect(await run(cron)).toEqual(inTurn(first));
      expect(reach).toBeLessThan(QUERIES_OF_A_WORKER);
    },
  );
});
