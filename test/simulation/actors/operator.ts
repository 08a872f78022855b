import type { Random } from "../../../scripts/program/random.ts";
import { LOCATIONS, type World } from "../world.ts";
import type { Stage } from "./stage.ts";

const MINUTE_MS = 60_000;
const TWICE_WITHIN_MS = 2_000;
const FAULTS_EVERY_MS = 1_000;
const DAY_MS = 86_400_000;
// On half of the days, D1's daily rows are used up. This happens at most this long before the day ends.
const USED_UP_MS = 360_000;
// After midnight, D1 may go on to refuse writes for this long.
const LIMIT_LATE_MS = 1_500;
const LONGEST_STALL_MS = 60_000;
const MONTH_MS = { from: 30_000, to: 150_000 };
// In reality, the job runs for the first time hours after a month has ended. By then, all requests of that month are answered.
const UNTIL_NIGHT_MS = 120_000;
const RUNS_A_NIGHT = 6;
const BETWEEN_RUNS_MS = { from: 2_000, to: 40_000 };

/** Cloudflare runs the Worker's schedule each minute. */
export async function schedule({ world, isOver }: Pick<Stage, "world" | "isOver">): Promise<void> {
  const random = world.random("schedule");
  while (!isOver()) {
    await world.time.wait(MINUTE_MS);
    if (world.weather.happens("the schedule skips a minute")) {
      world.step("the schedule skips a minute");
      continue;
    }
    void runMinute(world, random);
    if (!world.weather.happens("a minute of the schedule comes twice")) continue;
    await world.time.wait(random.integer(0, TWICE_WITHIN_MS));
    void runMinute(world, random);
  }
}

/** One minute of the schedule, at a random location. */
export async function runMinute(world: World, random: Random): Promise<void> {
  const isolate = world.isolateAt(random.pick(LOCATIONS));
  world.step("schedule");
  await isolate.runSchedule().catch((error: Error) => world.log(`schedule fails: ${error.message}`));
}

/** Faults that happen to the platform at any time, not because of a request. */
export async function platformFaults({ world, isEnding }: Stage): Promise<void> {
  const random = world.random("platform faults");
  const { weather, time, database } = world;
  let [dayEndsAt, rowsEndAt] = [0, 0];
  while (!isEnding()) {
    await world.time.wait(FAULTS_EVERY_MS);
    if (isEnding()) return;
    if (time.now >= dayEndsAt) {
      dayEndsAt = Math.ceil((time.now + 1) / DAY_MS) * DAY_MS;
      rowsEndAt = dayEndsAt - random.integer(-USED_UP_MS, USED_UP_MS);
    }
    if (time.now >= rowsEndAt && database.usedUpUntil < dayEndsAt) {
      database.usedUpUntil = dayEndsAt + random.integer(0, LIMIT_LATE_MS);
      world.step("the rows of the day are used up");
    }
    for (const copy of [database.primary, random.pick(database.replicas)])
      if (weather.happens(`D1's ${copy.name} stalls`) && copy.stalledUntil < time.now) {
        copy.stalledUntil = time.now + random.integer(1_000, LONGEST_STALL_MS);
        world.step(`${copy.name} stalls for ${copy.stalledUntil - time.now} ms`);
      }
    if (weather.happens("D1 is reset")) database.primary.generation += 1;
    if (weather.happens("an isolate ends") && random.next() < 0.1) world.endIsolate(random.pick(LOCATIONS));
    if (weather.happens("an object is evicted")) world.objects.evict();
    if (weather.happens("a socket breaks")) {
      const { sockets } = world.objects;
      if (sockets.length > 0) random.pick(sockets).break();
    }
  }
}

/** Deploys, moves clocks, and restores the database from a backup. */
export async function operator({ world, rules, isEnding }: Stage): Promise<void> {
  const random = world.random("operator");
  while (!isEnding()) {
    await world.time.wait(random.integer(60_000, 900_000));
    if (isEnding()) return;
    const action = random.pick(["deploy", "deploy", "deploy", "clock", "clock", "clock", "set back"]);
    if (action === "deploy") {
      world.deploy();
    } else if (action === "clock") {
      world.jumpClock(random);
    } else {
      const { database } = world;
      const moment = rules.model.last;
      const { version } = moment;
      world.step(`sets the database back to feed version ${version}, in a while`);
      const file = world.file(`backup of feed version ${version}`);
      database.primary.backUp(file);
      await world.time.wait(random.integer(1_000, 300_000));
      if (isEnding()) return;
      const isNew = random.next() < 0.5;
      world.step(`sets the database back to feed version ${version}${isNew ? ", as a new database" : ""}`);
      world.setBackAt = world.time.now;
      rules.forget(moment);
      database.setBackTo(file, { isNew });
    }
  }
}

/** Months pass. After each, old events are added up in the night, with the months that the operator has set then. */
export async function retention(stage: Stage): Promise<void> {
  const { world } = stage;
  const random = world.random("retention");
  while (!stage.isEnding()) {
    await world.time.wait(random.integer(MONTH_MS.from, MONTH_MS.to));
    if (stage.isEnding()) return;
    world.passMonths(1);
    world.monthsAdded = random.pick([0, 0, 0, 2, 5, null]);
    world.step(
      `a month passes: events from before ${world.horizon} are old, and ${world.monthsAdded} months are added`,
    );
    await world.time.wait(UNTIL_NIGHT_MS);
    for (let run = 0; run < RUNS_A_NIGHT && !stage.isEnding(); run += 1) {
      // Not awaited: a run may begin while the run before still works.
      void addUp(stage);
      await world.time.wait(random.integer(BETWEEN_RUNS_MS.from, BETWEEN_RUNS_MS.to));
    }
    stage.rules.model.checkStored();
  }
}

/** A minute of the schedule that adds up old events. */
export async function addUp({ world }: Pick<Stage, "world">): Promise<void> {
  world.database.primary.read("UPDATE jobs SET due_at = '', lease_until = '' WHERE name = 'add up old events'");
  await runMinute(world, world.random(`add up ${world.steps}`));
}
