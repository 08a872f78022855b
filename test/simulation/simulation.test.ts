// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is text of the service.
import { readFile } from "node:fs/promises";
import { beforeAll, describe, it } from "vitest";
import { MUTANTS } from "./mutants.ts";
import { type Bundle, bundleService } from "./platform/code.ts";
import { FAULTS, type Fault } from "./platform/weather.ts";
import { SCHEDULE_FAULTS } from "./rules/jobs.ts";
import { ACTORS, type ActorKind, planOf, simulate } from "./simulation.ts";

const SEEDS = [1, 2, 3];
const STEPS_A_SEED = 3_000;
const BOARDS = 'app.use("/api/v1/customer/gamification/leaderboard", database("primary"));';

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleService();
});

describe("a broken rule", () => {
  it.for(MUTANTS)("breaks code that is there: $breaks", async ({ file, find }, { expect }) => {
    const text = await readFile(file, "utf8");

    expect(text.split(find)).toHaveLength(2);
  });
});

describe("the simulated service", () => {
  it.for(SEEDS)(`keeps every rule for ${STEPS_A_SEED} steps with the seed %i`, async (seed, { expect }) => {
    const { failure, steps, history } = await simulate(planOf(seed, STEPS_A_SEED), bundle);

    expect(failure).toBeNull();
    expect(steps).toBeGreaterThanOrEqual(STEPS_A_SEED);
    expect(history.segments).toBeGreaterThan(5);
    expect(history.refused).toBeGreaterThan(0);
  });

  it("answers at once, and loses nothing, while R2 fails, stalls and is full", async ({ expect }) => {
    const faults = new Set(FAULTS.filter((fault) => fault.startsWith("R2 ")));
    const actors = new Set(ACTORS.filter((actor) => actor !== "operator"));

    const { failure, history } = await simulate({ ...planOf(9, 3_000), faults, actors }, bundle);

    expect(failure).toBeNull();
    expect(history.answers).toBeGreaterThan(2_000);
    expect(history.faults).toBeGreaterThan(0);
  });

  it("does every daily job within a day while minutes of the schedule are skipped and doubled", async ({ expect }) => {
    const plan = { ...planOf(6, 300), faults: new Set(SCHEDULE_FAULTS), actors: new Set<ActorKind>() };
    const broken = await bundleService({
      file: "src/service/queries.ts",
      find: "AND ${dueAt} <= ${NOW} AND",
      replace: "AND ${dueAt} BETWEEN datetime(${NOW}, '-59 seconds') AND ${NOW} AND",
    });

    const { failure, steps } = await simulate(plan, bundle);
    const { failure: found } = await simulate(plan, broken);

    expect(failure).toBeNull();
    expect(steps).toBeGreaterThanOrEqual(300);
    expect(found).toHaveProperty("rule", "every daily job is done within a day and its bound");
  });

  it("answers from replicas within 100 ms, and boards from KV, while the primary stalls", async ({ expect }) => {
    const plan = { ...planOf(5, 2_500), faults: new Set<Fault>(["D1's primary stalls", "replicas lag"]) };
    const broken = await bundleService({
      file: "src/app.ts",
      find: BOARDS,
      replace: BOARDS + BOARDS.replace("gamification/leaderboard", "full-search"),
    });

    const { failure, answersInStalls } = await simulate(plan, bundle);
    const { failure: found } = await simulate(plan, broken);

    expect(failure).toBeNull();
    expect(answersInStalls).toBeGreaterThan(100);
    expect(found).toHaveProperty("rule", "a stalled primary delays no answer of a replica");
  });

  it("does the same with the same seed, to the byte, and something else with another", async ({ expect }) => {
    const run = async (seed: number) => {
      const lines: string[] = [];
      const { hash } = await simulate(planOf(seed, 600), bundle, (line) => lines.push(line));
      return { hash, log: lines.join("\n") };
    };

    const [one, same, other] = [await run(7), await run(7), await run(8)];

    expect(same.log).toBe(one.log);
    expect(same.hash).toBe(one.hash);
    expect(other.hash).not.toBe(one.hash);
  });
});
