import { dropFromSegments, dropStoredTexts, mergeSearchIndex, TEXT_KINDS } from "../../../scripts/lib/drop-texts.ts";
import type { Random } from "../../../scripts/program/random.ts";
import { ACCOUNT, group, type Line } from "../lines.ts";
import type { Stage } from "./actor.ts";
import { feedUntilAnswered, timeOfOldEvent } from "./feeder.ts";

const STAYS_MS = { from: 30_000, to: 400_000 };
const AGAIN_MS = 1_000;
const LETTERS = 16;

/** A customer who was erased, and a word of theirs that nobody else has said. */
export interface Erased {
  id: string;
  word: string;
}

/** Customers come, write messages, earn points, and are erased after a while. */
export async function eraser(stage: Stage, erased: Erased[]): Promise<void> {
  const { world, isEnding } = stage;
  const random = world.random("eraser");
  for (let number = 1; !isEnding(); number += 1) {
    const one = { id: `x${number}`, word: wordOf(random) };
    await feedUntilAnswered(stage, random, linesOf(stage, random, one));
    await world.time.wait(random.integer(STAYS_MS.from, STAYS_MS.to));
    if (isEnding()) return;
    erased.push(one);
    // What is left to do once faults end is done by the rule, which erases everybody again.
    await erase({ ...stage, isOver: isEnding }, random, one);
  }
}

function wordOf(random: Random): string {
  const letters = Array.from({ length: LETTERS }, () => random.pick([..."abcdefghijklmnopqrstuvwxyz"]));
  return letters.join("");
}

/** Some of the events are new, and some leave in one of the next months. */
function linesOf(stage: Stage, random: Random, { id, word }: Erased): Line[] {
  const events = [1, 2, 3].flatMap((number): Line[] => {
    const at = timeOfOldEvent(stage, random);
    const of = { customer_id: id, id: `${id} ${number}` };
    return [
      { record: "message", ...of, group_id: `g${id}`, body: `${word} said`, sent_at: at },
      { record: "balance_entry", ...of, store_id: "s1", amount: "1.00", description: `${word} bought`, created_at: at },
    ];
  });
  const customer = { record: "customer", id, first_name: word, last_name: `of ${ACCOUNT}`, scan_id: word };
  return [customer, group(`g${id}`, [id, "c1"]), ...events];
}

/** What `npm run customer -- erase` does. It is cut off now and then, and run again. */
export async function erase(stage: Stage, random: Random, { id }: Erased): Promise<void> {
  const { world, rules, isOver } = stage;
  world.step(`erases ${id}`);
  await feedUntilAnswered(stage, random, [{ record: "customer", id, deleted: true }]);
  const where = { ask: (statements: readonly string[]) => world.database.ask(statements) };
  const bucket = world.history?.bucket.open();
  rules.beginErasure();
  for (let isDone = false; !isDone && !isOver(); ) {
    try {
      for (const kind of TEXT_KINDS) await dropStoredTexts(kind, id, where);
      if (bucket) await dropFromSegments(TEXT_KINDS, { customer: id }, { where, bucket, segments: 0 });
      await mergeSearchIndex(where);
      isDone = true;
    } catch (error) {
      world.log(`the erasure of ${id} is cut off: ${error}`);
      await world.time.wait(AGAIN_MS);
    }
  }
  if (!isOver()) rules.endErasure();
}
