import { createHash } from "node:crypto";
import { entriesReader, type Followed, follower, newFollowed, opener, poller, reader } from "./actors/apps.ts";
import { type Erased, eraser } from "./actors/eraser.ts";
import { operator, platformFaults, schedule, sealing } from "./actors/operator.ts";
import type { Stage } from "./actors/stage.ts";
import { exporter, feeder, feedUntilAnswered } from "./actors/systems.ts";
import { Network } from "./network.ts";
import type { Bundle } from "./platform/code.ts";
import { FAULTS, type Fault } from "./platform/weather.ts";
import { SimulatedProgram } from "./program.ts";
import { checkRecovery } from "./rules/recovery.ts";
import { Rules } from "./rules/rules.ts";
import { RuleBroken, World } from "./world.ts";

export { RuleBroken };

export const ACTORS = [
  "feeders",
  "pollers",
  "followers",
  "openers",
  "readers",
  "exporters",
  "erasers",
  "operator",
  "sealing",
] as const;
export type ActorKind = (typeof ACTORS)[number];

/** A run follows from its plan and from the service's code alone. */
export interface Plan {
  seed: number;
  steps: number;
  faults: ReadonlySet<Fault>;
  actors: ReadonlySet<ActorKind>;
}

export function planOf(seed: number, steps: number): Plan {
  return { seed, steps, faults: new Set(FAULTS), actors: new Set(ACTORS) };
}

export interface Outcome {
  steps: number;
  /** Seconds of simulated time. */
  seconds: number;
  /** How many answers were checked while the primary stalled. */
  answersInStalls: number;
  history: {
    segments: number;
    /** Calls of R2 that failed or stalled. */
    faults: number;
    /** Requests with events that were too old. */
    refused: number;
    /** Answers that were checked because only R2 fails. */
    answers: number;
  };
  /** The broken rule, or any other error; null: every rule held. */
  failure: Error | null;
  /** The log's hash: equal runs have equal hashes. */
  hash: string;
  /** The log's last lines. */
  lastLines: readonly string[];
}

const LAST_LINES = 60;
const RECOVERS_WITHIN_MS = 90_000;

/** @param stackTraceLimit of all errors. Most errors are simulated faults, and their stacks would cost time. */
export async function simulate(
  plan: Plan,
  bundle: Bundle,
  onLine: (line: string) => void = () => {},
  stackTraceLimit = 0,
): Promise<Outcome> {
  const hash = createHash("sha256");
  const lastLines: string[] = [];
  const world = new World({
    seed: plan.seed,
    faults: plan.faults,
    bundle,
    hasHistory: plan.actors.has("sealing"),
    onLine(line) {
      hash.update(line);
      lastLines.push(line);
      if (lastLines.length > LAST_LINES * 2) lastLines.splice(0, LAST_LINES);
      onLine(line);
    },
  });
  const onRejection = (error: unknown) => {
    world.failure ??= error instanceof Error ? error : new Error(String(error));
  };
  process.on("unhandledRejection", onRejection);
  const limitBefore = Error.stackTraceLimit;
  Error.stackTraceLimit = stackTraceLimit;
  const startedAt = world.time.now;
  const rules = new Rules(world);
  try {
    await play(plan, world, rules);
  } finally {
    process.off("unhandledRejection", onRejection);
    Error.stackTraceLimit = limitBefore;
    world.close();
  }
  const seconds = (world.time.now - startedAt) / 1_000;
  return {
    steps: world.steps,
    seconds,
    answersInStalls: rules.answers.answersInStalls,
    history: {
      segments: rules.history?.seen.segments.size ?? 0,
      faults: world.history?.bucket.faults ?? 0,
      refused: rules.history?.seen.refused ?? 0,
      answers: rules.history?.seen.answers ?? 0,
    },
    failure: world.failure,
    hash: hash.digest("hex"),
    lastLines: lastLines.slice(-LAST_LINES),
  };
}

async function play({ steps, actors }: Plan, world: World, rules: Rules): Promise<void> {
  let [isEnding, isOver] = [false, false];
  const program = new SimulatedProgram(world.random("program"), world.time);
  const stage: Stage = {
    world,
    network: new Network(world, rules),
    rules,
    program,
    isEnding: () => isEnding,
    isOver: () => isOver || world.failure !== null,
  };
  const followed: Followed[] = [];
  const erased: Erased[] = [];
  const begin = async () => {
    const answer = await feedUntilAnswered(stage, world.random("first lines"), program.firstLines());
    if (answer?.status !== 200) throw new Error(`The first lines are refused: ${answer?.body}`);
    void watch(world, schedule(stage));
    void watch(world, platformFaults(stage));
    if (actors.has("operator")) void watch(world, operator(stage));
    if (actors.has("sealing")) void watch(world, sealing(stage));
    const follow = (number: number) => {
      const one = newFollowed(stage, number);
      followed.push(one);
      return follower(stage, number, one);
    };
    const cast: [ActorKind, number, (number: number) => Promise<void>][] = [
      ["feeders", 4, (number) => feeder(stage, number)],
      ["pollers", 6, (number) => poller(stage, number)],
      ["followers", 4, follow],
      ["openers", 1, () => opener(stage)],
      ["readers", 3, (number) => reader(stage, number)],
      ["readers", 1, () => entriesReader(stage)],
      ["exporters", 1, () => exporter(stage)],
      ["erasers", 1, () => eraser(stage, erased)],
    ];
    for (const [kind, count, act] of cast) {
      if (!actors.has(kind)) continue;
      for (let number = 0; number < count; number += 1) void watch(world, act(number));
    }
  };
  void watch(world, begin());

  const hasFailed = () => {
    rules.checkNowAndThen();
    return world.failure !== null;
  };
  await world.time.passUntil(() => hasFailed() || world.steps >= steps);
  if (world.failure !== null) return;

  isEnding = true;
  world.recover();
  // Clients wait until the end of a day whose rows are used up.
  const endsAt = Math.max(world.time.now, world.database.usedUpUntil) + RECOVERS_WITHIN_MS;
  await world.time.passUntil(() => hasFailed() || world.time.now >= endsAt);
  let isChecked = false;
  void watch(world, checkRecovery(stage, { followed, erased })).then(() => {
    isChecked = true;
  });
  await world.time.passUntil(() => hasFailed() || isChecked);
  isOver = true;
  rules.checkAll();
}

/** An error of an actor is a mistake in the simulation, and ends it. */
function watch(world: World, work: Promise<void>): Promise<void> {
  return work.catch((error: unknown) => {
    world.failure ??= error instanceof Error ? error : new Error(String(error));
  });
}
