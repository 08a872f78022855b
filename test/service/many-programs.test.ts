import { createExecutionContext, createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import worker from "../../src/index.ts";
import { bindingName } from "../../src/programs/programs.ts";

const QUERIES_OF_A_WORKER = 1_000;
const MINUTE_MS = 60_000;
const kv = Object.getPrototypeOf(env.CACHE);

afterEach(() => vi.restoreAllMocks());

/** So many programs with databases that have nothing to do, unless told, and note who asks them. */
function deploymentOf(count: number, answer: (name: string, sql: string) => object[] = () => []) {
  const asked: string[] = [];
  const databaseOf = (name: string) => {
    const session = {
      prepare: (sql: string) => ({ bind: () => ({ sql }) }),
      batch: async (statements: { sql: string }[]) => {
        asked.push(...statements.map(() => name));
        const meta = { duration: 0, rows_read: 0, rows_written: 0 };
        return statements.map(({ sql }) => ({ results: answer(name, sql), meta }));
      },
      getBookmark: () => null,
    };
    return { withSession: () => session };
  };
  const names = Array.from({ length: count }, (_, index) => `p${String(index).padStart(4, "0")}`);
  const databases = names.map((name) => [bindingName("DB", name), databaseOf(name)]);
  const history = { HISTORY_MONTHS: "1", HISTORY: env.TEST_HISTORY };
  const many = { ...env, ...history, DB: undefined, ...Object.fromEntries(databases) } as unknown as Env;
  const run = async (cron: string, minute = 0) => {
    const from = asked.length;
    const controller = createScheduledController({ cron, scheduledTime: new Date(minute * MINUTE_MS) });
    await worker.scheduled(controller, many, createExecutionContext());
    return asked.slice(from);
  };
  return { names, run };
}

describe("a thousand programs", () => {
  it.for([
    ["* * * * *", 926],
    ["30 5 * * *", 950],
  ] as const)(
    "are all visited within two runs, none of which asks D1 more than a Worker may: %s",
    async ([cron, reach], { expect }) => {
      const { names, run } = deploymentOf(1_000);

      const [first, second] = [await run(cron), await run(cron)];

      expect(first).toEqual(names.slice(0, reach));
      expect(second.slice(0, 1_000 - reach)).toEqual(names.slice(reach));
      for (const queries of [first, second]) expect(queries.length).toBeLessThan(QUERIES_OF_A_WORKER);
    },
  );
});

describe("programs that one run reaches", () => {
  it("leave KV unwritten, and a single one does not read it", async ({ expect }) => {
    const [get, put] = [vi.spyOn(kv, "get"), vi.spyOn(kv, "put")];

    await deploymentOf(1).run("* * * * *");
    const read = get.mock.calls.length;
    await deploymentOf(500).run("* * * * *");

    expect([read, get.mock.calls.length, put.mock.calls.length]).toEqual([0, 1, 0]);
  });
});

describe("programs that have more to seal than a night takes", () => {
  it.for([
    [1, 2],
    [100, 3],
    [500, 8],
  ] as const)("get steps in turns: %i in %i runs", async ([count, runs], { expect }) => {
    const steps = new Map<string, number>();
    const { names, run } = deploymentOf(count, (name, sql) => {
      if (/^\s*UPDATE "history_walks"/.test(sql)) steps.set(name, (steps.get(name) ?? 0) + 1);
      if (/AS "ofAll"/.test(sql)) return [{ lastId: "looked at", ofAll: "not yet" }];
      const isWalks = /^\s*SELECT.*FROM "history_walks"/s.test(sql);
      return isWalks ? [{ kind: "message", lastId: "", days: 0 }] : [];
    });

    const asked: number[] = [];
    for (let index = 0; index < runs; index += 1) asked.push((await run("*/10 7-10 * * *")).length);

    const taken = names.map((name) => steps.get(name) ?? 0);
    expect(Math.min(...taken)).toBeGreaterThan(0);
    expect(Math.max(...taken) - Math.min(...taken)).toBeLessThanOrEqual(1);
    expect(Math.max(...asked)).toBeLessThan(QUERIES_OF_A_WORKER);
    expect(Math.min(...asked)).toBeGreaterThan(900);
  });
});

describe("programs while KV fails", () => {
  it("are visited from another one on each minute; the log says so", async ({ expect }) => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    vi.spyOn(kv, "get").mockRejectedValue(new Error("KV GET failed: 503"));
    vi.spyOn(kv, "put").mockRejectedValue(new Error("KV PUT failed: 503"));
    const { names, run } = deploymentOf(1_000);

    const firsts = [(await run("* * * * *", 7))[0], (await run("* * * * *", 8))[0]];

    expect(firsts).toEqual([names[7], names[8]]);
    expect(log.mock.calls.map(([line]) => JSON.parse(line))).toEqual(
      Array.from({ length: 4 }, () => ({ work: "notify inboxes", error: "SCHEDULE_PLACE", cause: "Error" })),
    );
  });
});
