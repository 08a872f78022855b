import { createHash } from "node:crypto";
import { entriesReader, follower, newFollowingApp, opener, poller, reader } from "./actors/apps.ts";
import { ChangesFollower } from "./actors/changes.ts";
import { devices, toldDevice } from "./actors/devices.ts";
import { operator, platformFaults, retention, schedule } from "./actors/operator.ts";
import type { Stage } from "./actors/stage.ts";
import { feeder, feedUntilAnswered } from "./actors/systems.ts";
import { shop } from "./actors/tills.ts";
import { watcher } from "./actors/watcher.ts";
import { Network } from "./network.ts";
import type { Bundle } from "./platform/code.ts";
import { SimulatedProgram } from "./program.ts";
import { checkRecovery } from "./rules/recovery.ts";
import { Rules } from "./rules/rules.ts";
import { RuleBroken, World } from "./world.ts";

export { RuleBroken };

/** A run follows from its plan and from the service's code alone. */
export interface Plan {
  seed: number;
  /** How many requests and faults there are before all faults end. */
  steps: number;
}

export interface Outcome {
  steps: number;
  /** Seconds of simulated time. */
  seconds: number;
  /** How many steps have added up and deleted events. */
  retentionSteps: number;
  /** The broken rule, or any other error; null: every rule held. */
  failure: Error | null;
  /** The log's hash: equal runs have equal hashes. */
  hash: string;
  /** The log's last lines. */
  lastLines: readonly string[];
}

const LAST_LINES = 60;
const RECOVERS_WITHIN_MS = 90_000;

/** @param stackTraceLimit how many calls a stack trace has. Most errors are simulated faults, whose traces cost time. */
export async function simulate(
  plan: Plan,
  bundle: Bundle,
  onLine: (line: string) => void = () => {},
  stackTraceLimit = 0,
): Promise<Outcome> {
  const hash = createHash("sha256");
  const lastLines: string[] = [];
  let isOver = false;
  const world = new World({
    seed: plan.seed,
    bundle,
    onLine(line) {
      // Some requests of a failed run may end after the run.
      if (isOver) return;
      hash.update(line);
      lastLines.push(line);
      if (lastLines.length > LAST_LINES * 2) lastLines.splice(0, LAST_LINES);
      onLine(line);
    },
  });
  // An error that nothing catches, such as an actor's, is a mistake in the simulation or the service.
  const onRejection = (error: unknown) => {
    world.failure ??= error instanceof Error ? error : new Error(String(error));
  };
  process.on("unhandledRejection", onRejection);
  const limitBefore = Error.stackTraceLimit;
  Error.stackTraceLimit = stackTraceLimit;
  const startedAt = world.time.now;
  const rules = new Rules(world);
  let retentionSteps = 0;
  try {
    await play(plan, world, rules);
    retentionSteps = rules.retention.stored.steps;
  } finally {
    process.off("unhandledRejection", onRejection);
    Error.stackTraceLimit = limitBefore;
    world.close();
    isOver = true;
  }
  return {
    steps: world.steps,
    seconds: (world.time.now - startedAt) / 1_000,
    retentionSteps,
    failure: world.failure,
    hash: hash.digest("hex"),
    lastLines: lastLines.slice(-LAST_LINES),
  };
}

async function play({ steps }: Plan, world: World, rules: Rules): Promise<void> {
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
  const apps = numbersTo(4).map((number) => newFollowingApp(stage, number));
  const changes = new ChangesFollower(stage);
  const begin = async () => {
    const answer = await feedUntilAnswered(stage, world.random("first lines"), program.firstLines());
    if (answer?.status !== 200) throw new Error(`The first lines are refused: ${answer?.body}`);
    const actors = [
      ...[schedule, platformFaults, operator, retention, opener, entriesReader].map((act) => act(stage)),
      changes.run(),
      ...numbersTo(2).map((number) => shop(stage, number)),
      ...numbersTo(2).flatMap((number) => [devices(stage, number), toldDevice(stage, number)]),
      ...numbersTo(4).map((number) => feeder(stage, number)),
      ...numbersTo(6).map((number) => poller(stage, number)),
      ...apps.map((app, number) => follower(stage, number, app)),
      ...numbersTo(3).map((number) => reader(stage, number)),
      ...numbersTo(6).map((number) => watcher(stage, number)),
    ];
    await Promise.all(actors);
  };
  void begin();

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
  void checkRecovery(stage, { apps, changes }).then(() => {
    isChecked = true;
  });
  await world.time.passUntil(() => hasFailed() || isChecked);
  isOver = true;
  rules.checkAll();
}

function numbersTo(count: number): number[] {
  return [...Array(count).keys()];
}
