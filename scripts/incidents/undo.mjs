// Reads events, as they were fed or as an export gives them, and prints lines that undo them. The line of an event has
// the opposite amounts, and the event's id behind `undo-`. The line of a message deletes it.
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";

const OPPOSITES = {
  balance_entry: ({ amount }) => ({ amount: negated(amount) }),
  token_earning: ({ tokens }) => ({ tokens: negated(tokens) }),
  play: ({ runs = "0", hits = 0, doubles = 0, triples = 0 }) => ({
    ...{ runs: negated(runs), hits: -hits, doubles: -doubles, triples: -triples },
  }),
};

/** The amount with the opposite sign. It is a text, because a number would not be exact. */
function negated(amount) {
  return amount.startsWith("-") ? amount.slice(1) : `-${amount}`;
}

/**
 * The id of the line that undoes an event: always the same, so that it counts once. An id has at most 64 characters.
 */
function undoIdOf(id) {
  const undoId = `undo-${id}`;
  return [...undoId].length <= 64 ? undoId : `undo-${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text || "{}");
  const { record, id } = line;
  // The line of a summary has no id. No line can undo a summary: a new event has to correct it.
  if (id === undefined) continue;
  if (record === "message") console.log(JSON.stringify({ record, id, deleted: true }));
  else if (record in OPPOSITES) console.log(JSON.stringify({ ...line, ...OPPOSITES[record](line), id: undoIdOf(id) }));
}
