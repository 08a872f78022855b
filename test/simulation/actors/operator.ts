import { rmSync } from "node:fs";
import type { Random } from "../../../scripts/program/random.ts";
import { LOCATIONS, type World } from "../world.ts";
import type { Stage } from "./actor.ts";

const MINUTE_MS = 60_000;
const TWICE_WITHIN_MS = 2_000;
const WEATHER_EVERY_MS = 1_000;
const DAY_MS = 86_400_000;
// On every other day the rows are used up, this long before it ends at most.
const USED_UP_MS = 360_000;
// Statements that run for longer than D1's limit do not come back.
const LONGEST_STALL_MS = 60_000;

/** Cloudflare's schedule. */
export async function schedule({ world, isOver }: Stage): Promise<void> {
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

/** One minute of the schedule, at one of the places. */
export async function runMinute(world: World, random: Random): Promise<void> {
  const { isolate, env } = world.isolateAt(random.pick(LOCATIONS));
  world.step("schedule");
  await isolate.runSchedule(env).catch((error: Error) => world.log(`schedule fails: ${error.message}`));
}

/** What happens to the platform as a whole, while the weather has it. */
export async function platformFaults({ world, isEnding }: Stage): Promise<void> {
  const random = world.random("platform faults");
  let [dayEndsAt, isUsedUpAt] = [0, 0];
  while (!isEnding()) {
    await world.time.wait(WEATHER_EVERY_MS);
    if (isEnding()) return;
    const { weather, time, database } = world;
    const { primary, replicas } = database;
    if (time.now >= dayEndsAt) {
      dayEndsAt = Math.ceil((time.now + 1) / DAY_MS) * DAY_MS;
      isUsedUpAt = dayEndsAt - random.integer(-USED_UP_MS, USED_UP_MS);
    }
    if (
      time.now >= isUsedUpAt &&
      database.usedUpUntil < dayEndsAt &&
      world.faults.has("D1's rows of the day are used up")
    ) {
      database.usedUpUntil = dayEndsAt;
      world.step("the rows of the day are used up");
    }
    if (weather.happens("D1's primary stalls") && primary.stalledUntil < time.now) {
      primary.stalledUntil = time.now + random.integer(1_000, LONGEST_STALL_MS);
      world.step(`the primary stalls for ${primary.stalledUntil - time.now} ms`);
    }
    const replica = random.pick(replicas);
    if (weather.happens("D1's replicas stall") && replica.stalledUntil < time.now) {
      replica.stalledUntil = time.now + random.integer(1_000, LONGEST_STALL_MS);
      world.step(`${replica.name} stalls for ${replica.stalledUntil - time.now} ms`);
    }
    if (weather.happens("D1 is reset")) primary.generation += 1;
    if (weather.happens("an isolate ends") && random.next() < 0.1) endIsolate(world, random);
    if (weather.happens("an object is evicted")) world.objects.evict();
    if (weather.happens("a socket breaks")) {
      const { sockets } = world.objects;
      if (sockets.length > 0) random.pick(sockets).break();
    }
  }
}

function endIsolate(world: World, random: Random): void {
  const location = random.pick(LOCATIONS);
  world.step(`the isolate of ${location} ends`);
  world.endIsolate(location);
}

/** Deploys, moves clocks, and sets a database back to what it was. */
export async function operator({ world, rules, isEnding }: Stage): Promise<void> {
  const random = world.random("operator");
  while (!isEnding()) {
    await world.time.wait(random.integer(60_000, 900_000));
    if (isEnding()) return;
    const deed = random.pick(["deploy", "deploy", "deploy", "clock", "clock", "clock", "back up", "set back"]);
    if (deed === "deploy") {
      world.deploy(random);
    } else if (deed === "clock") {
      world.jumpClock(random);
    } else {
      const { database } = world;
      const moment = rules.model.last;
      const { version } = moment;
      world.step(`sets the database back to feed version ${version}, in a while`);
      const file = world.file("backup");
      database.primary.backUp(file);
      await world.time.wait(deed === "back up" ? 100 : random.integer(1_000, 300_000));
      if (!isEnding() && deed === "set back") {
        world.step(`sets the database back to feed version ${version}`);
        world.setBackAt = world.time.now;
        rules.forget(moment);
        database.setBackTo(file);
      }
      rmSync(file);
    }
  }
}
