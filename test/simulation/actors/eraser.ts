import { dropFromSegments, dropStoredTexts, mergeSearchIndex, TEXT_KINDS } from "../../../scripts/lib/drop-texts.ts";
import type { Random } from "../../../scripts/program/random.ts";
import type { Row } from "../../model/kinds.ts";
import { groupLine } from "../program.ts";
import type { Stage } from "./stage.ts";
import { feedUntilAnswered, timeOfOldEvent } from "./systems.ts";

const STAYS_MS = { from: 30_000, to: 400_000 };
const AGAIN_MS = 1_000;
const LETTERS = 16;
const OLD_SHARE = 0.35;

/** A customer, and a word that is only in this customer's texts. */
export interface ErasedCustomer {
  id: string;
  word: string;
}

/** Customers come, write messages, earn points, and are erased after a while. */
export async function eraser(stage: Stage, erased: ErasedCustomer[]): Promise<void> {
  const { world, isEnding } = stage;
  const random = world.random("eraser");
  for (let number = 1; !isEnding(); number += 1) {
    const customer = { id: `x${number}`, word: wordOf(random) };
    await feedUntilAnswered(stage, random, linesOf(stage, random, customer));
    await world.time.wait(random.integer(STAYS_MS.from, STAYS_MS.to));
    if (isEnding()) return;
    erased.push(customer);
    // If all faults end meanwhile, this erasure stops. `checkErased` erases everybody again.
    await erase({ ...stage, isOver: isEnding }, random, customer);
  }
}

function wordOf(random: Random): string {
  const letters = Array.from({ length: LETTERS }, () => random.pick([..."abcdefghijklmnopqrstuvwxyz"]));
  return letters.join("");
}

/** A customer with events. Some events are new, and others leave for history in one of the next months. */
function linesOf(stage: Stage, random: Random, { id, word }: ErasedCustomer): Row[] {
  const { customers, firstStore } = stage.program;
  const events = [1, 2, 3].flatMap((number): Row[] => {
    const time = timeOfOldEvent(stage, random, OLD_SHARE);
    const event = { id: `${id} ${number}`, customer_id: id };
    return [
      { record: "message", ...event, group_id: `g${id}`, body: `${word} said`, sent_at: time },
      {
        record: "balance_entry",
        ...event,
        store_id: firstStore,
        amount: "1.00",
        description: `${word} bought`,
        created_at: time,
      },
    ];
  });
  const customer = { record: "customer", id, first_name: word, last_name: "Erased", scan_id: word };
  return [customer, groupLine(`g${id}`, [id, customers[0] ?? ""]), ...events];
}

/** Does what `npm run customer -- erase` does, and repeats it whenever a fault interrupts it. */
export async function erase(stage: Stage, random: Random, { id }: ErasedCustomer): Promise<void> {
  const { world, rules, isOver } = stage;
  world.step(`erases ${id}`);
  await feedUntilAnswered(stage, random, [{ record: "customer", id, deleted: true }]);
  const database = { ask: (statements: readonly string[]) => world.database.ask(statements) };
  const bucket = world.history.bucket.open();
  rules.isErasing = true;
  for (let isDone = false; !isDone && !isOver(); ) {
    try {
      for (const kind of TEXT_KINDS) await dropStoredTexts(kind, id, database);
      await dropFromSegments(TEXT_KINDS, { customer: id }, { database, bucket, segments: 0 });
      await mergeSearchIndex(database);
      isDone = true;
    } catch (error) {
      world.log(`the erasure of ${id} is interrupted: ${error}`);
      await world.time.wait(AGAIN_MS);
    }
  }
  if (!isOver()) rules.isErasing = false;
}
