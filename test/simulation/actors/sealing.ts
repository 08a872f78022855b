import { LOCATIONS } from "../world.ts";
import type { Stage } from "./actor.ts";

/** The cron of `wrangler.toml` that moves old events to R2. */
const CRON = "*/10 7-10 * * *";
const MONTH_MS = { from: 30_000, to: 150_000 };
// A month ends hours before the night's first run. By then nothing is under way any more that was checked before.
const UNTIL_NIGHT_MS = 120_000;
const RUNS_A_NIGHT = 6;
const BETWEEN_RUNS_MS = { from: 2_000, to: 40_000 };

/** Months pass, and after each there is a night in which old events leave. */
export async function sealing(stage: Stage): Promise<void> {
  const { world } = stage;
  const random = world.random("sealing");
  while (!stage.isEnding()) {
    await world.time.wait(random.integer(MONTH_MS.from, MONTH_MS.to));
    if (stage.isEnding()) return;
    world.history?.passMonths(1);
    world.step(`a month passes: what is older than ${world.history?.horizon} leaves`);
    await world.time.wait(UNTIL_NIGHT_MS);
    for (let run = 0; run < RUNS_A_NIGHT && !stage.isEnding(); run += 1) {
      // Some runs meet the one before.
      void seal(stage);
      await world.time.wait(random.integer(BETWEEN_RUNS_MS.from, BETWEEN_RUNS_MS.to));
    }
    stage.rules.history?.check();
  }
}

/** One run of the schedule. */
export async function seal({ world }: Pick<Stage, "world">): Promise<void> {
  const { isolate, env } = world.isolateAt(world.random(`seal ${world.steps}`).pick(LOCATIONS));
  world.step(`schedule ${CRON}`);
  await isolate.runSchedule(CRON, env).catch((error: Error) => world.log(`schedule ${CRON} fails: ${error.message}`));
}
