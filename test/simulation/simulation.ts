import { createHash } from "node:crypto";
import type { Stage } from "./actors/actor.ts";
import { type Erased, eraser } from "./actors/eraser.ts";
import { feeder, feedUntilAnswered } from "./actors/feeder.ts";
import { type Followed, follower, newFollowed } from "./actors/follower.ts";
import { operator, platformFaults, schedule } from "./actors/operator.ts";
import { poller } from "./actors/poller.ts";
import { entriesReader, exporter, reader } from "./actors/reader.ts";
import { sealing } from "./actors/sealing.ts";
import { FIRST_LINES } from "./lines.ts";
import { Network } from "./network.ts";
import type { Bundle } from "./platform/code.ts";
import { FAULTS, type Fault } from "./platform/weather.ts";
import { checkRecovery } from "./rules/recovery.ts";
import { Rules } from "./rules/rules.ts";
import { RuleBroken, World } from "./world.ts";

export { RuleBroken };

export const ACTORS = [
  "feeders",
  "pollers",
  "followers",
  "readers",
  "exporters",
  "erasers",
  "operator",
  "sealing",
] as const;
export type ActorKind = (typeof ACTORS)[number];

/** What is simulated: everything follows from this, and from the service's code. */
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
  /** How many answers came while the primary stalled, and were held to the rule for them. */
  answersInStalls: number;
  /**
   * Segments of history; calls of R2 that failed or stalled; requests that were refused as too old; and answers, where R2
   * alone fails.
   */
  history: { segments: number; faults: number; refused: number; answers: number };
  /** The rule that was broken, or what else went wrong; null: nothing did. */
  failure: Error | null;
  /** Of the whole log. */
  hash: string;
  /** Its last lines. */
  lastLines: readonly string[];
}

const LAST_LINES = 60;
const HASHED_AT_ONCE = 65_536;
const RECOVERS_WITHIN_MS = 90_000;

/**
 * Runs a plan.
 * @param stackTraceLimit of the errors that it makes, most of them on purpose; taking stacks costs time.
 */
export async function simulate(
  plan: Plan,
  bundle: Bundle,
  onLine: (line: string) => void = () => {},
  stackTraceLimit = 0,
): Promise<Outcome> {
  const log = new LogHash();
  const lastLines: string[] = [];
  const world = new World({
    seed: plan.seed,
    faults: plan.faults,
    bundle,
    hasHistory: plan.actors.has("sealing"),
    onLine(line) {
      log.add(line);
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
    answersInStalls: rules.stalls.count,
    history: {
      segments: rules.history?.seen.segments.size ?? 0,
      faults: world.history?.bucket.faults ?? 0,
      refused: rules.history?.seen.refused ?? 0,
      answers: rules.history?.seen.answers ?? 0,
    },
    failure: world.failure,
    hash: log.digest(),
    lastLines: lastLines.slice(-LAST_LINES),
  };
}

/** The hash of all lines. Hashing each by itself would take longer. */
class LogHash {
  readonly #hash = createHash("sha256");
  #unhashed = "";

  add(line: string): void {
    this.#unhashed += line;
    if (this.#unhashed.length > HASHED_AT_ONCE) this.#update();
  }

  digest(): string {
    this.#update();
    return this.#hash.digest("hex");
  }

  #update(): void {
    this.#hash.update(this.#unhashed);
    this.#unhashed = "";
  }
}

async function play({ steps, actors }: Plan, world: World, rules: Rules): Promise<void> {
  let [isEnding, isOver] = [false, false];
  const stage: Stage = {
    world,
    network: new Network(world, rules),
    rules,
    isEnding: () => isEnding,
    isOver: () => isOver || world.failure !== null,
  };
  const followed: Followed[] = [];
  const erased: Erased[] = [];
  const begin = async () => {
    await feedUntilAnswered(stage, world.random("first lines"), FIRST_LINES);
    void watch(world, schedule(stage));
    void watch(world, platformFaults(stage));
    if (actors.has("operator")) void watch(world, operator(stage));
    if (actors.has("sealing")) void watch(world, sealing(stage));
    const follow = (number: number) => {
      const one = newFollowed(number);
      followed.push(one);
      return follower(stage, number, one);
    };
    const cast: [ActorKind, number, (number: number) => Promise<void>][] = [
      ["feeders", 2, (number) => feeder(stage, number)],
      ["pollers", 6, (number) => poller(stage, number)],
      ["followers", 4, follow],
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
  // Clients that were told of a used-up day wait until it ends.
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

/** An actor that fails is a fault of the simulation, and ends it. */
function watch(world: World, work: Promise<void>): Promise<void> {
  return work.catch((error: unknown) => {
    world.failure ??= error instanceof Error ? error : new Error(String(error));
  });
}
