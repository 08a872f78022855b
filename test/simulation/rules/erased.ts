import { readFileSync, rmSync } from "node:fs";
import type { Stage } from "../actors/actor.ts";
import { type Erased, erase } from "../actors/eraser.ts";
import { runMinute } from "../actors/operator.ts";

const MERGE_RUNS = 20;
const DUE = "SELECT 1 FROM jobs WHERE name = 'merge the search indexes' AND due_at <= (SELECT now FROM clock)";

/** What an erased customer was called, wrote and bought is nowhere: docs/incidents.md, about a customer who must be erased. */
export async function checkErased(stage: Stage, erased: readonly Erased[]): Promise<void> {
  const { world } = stage;
  const random = world.random("erased");
  // The database may have been set back since.
  for (const one of erased) await erase(stage, random, one);
  for (let run = 0; run < MERGE_RUNS && world.database.primary.read(DUE).length > 0; run += 1) {
    await runMinute(world, random);
    await world.time.wait(1_000);
  }
  const file = world.file("erased");
  world.database.primary.backUp(file);
  const places = {
    "the database": readFileSync(file),
    R2: Buffer.from(world.history?.bucket.texts().join("\n") ?? ""),
    "an inbox": Buffer.from(world.objects.stored()),
    KV: Buffer.from(world.stored()),
  };
  rmSync(file);
  for (const { id, word } of erased)
    for (const [place, bytes] of Object.entries(places))
      if (bytes.includes(word)) world.fail("of an erased customer no text is left", `${id}, ${word}, is in ${place}`);
}
