import type { Stage } from "./actor.ts";
import { runMinute } from "./operator.ts";

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
      // Some runs meet the one before, as if its lease were over.
      void seal(stage);
      await world.time.wait(random.integer(BETWEEN_RUNS_MS.from, BETWEEN_RUNS_MS.to));
    }
    stage.rules.history?.check();
  }
}

/** A minute of the schedule that moves old events to R2. */
export async function seal({ world }: Pick<Stage, "world">): Promise<void> {
  world.database.primary.read("UPDATE jobs SET due_at = '', lease_until = '' WHERE name = 'seal history'");
  await runMinute(world, world.random(`seal ${world.steps}`));
}
