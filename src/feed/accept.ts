import type { FeedToken } from "../auth/token.ts";
import type { Database } from "../db/database.ts";
import { joinRows } from "../db/json-rows.ts";
import { forbidden, invalid, payloadTooLarge } from "../http/errors.ts";
import { ITEM_LIMIT, LINE_LIMIT, NAMED_LINES } from "../http/limits.ts";
import type { FeedChanges } from "../inbox/notify.ts";
import { addMessage, type FieldMessages } from "../values/messages.ts";
import { checkLine, type GoodLine } from "./lines.ts";
import { splitLines } from "./ndjson.ts";
import { applyFeed, type Batch } from "./queries.ts";
import { KINDS, RESTORED_KINDS } from "./records/index.ts";
import { columnTypes, identityOf, isGlobal, type Kind, type Line } from "./records/kind.ts";
import type { Accepted } from "./schema.ts";

/** An accepted request. */
export interface AcceptedFeed {
  items: Accepted;
  /** How many requests have been committed, with this one. */
  version: number;
  /** What it changed for listeners. */
  changes: FeedChanges;
}

/**
 * Takes a request whole or refuses it whole (docs/contract/feed.md, 1). The body is emptied as soon as its lines are
 * checked, because whoever read it still holds it. `horizon`: events of before this time are bad lines; left out: none.
 * @throws the failures 413 for too many lines or items, 422 for bad lines, 403 for lines that touch another account.
 */
export async function acceptFeed(
  db: Database,
  { body, token, horizon = null }: { body: Uint8Array; token: FeedToken; horizon?: string | null },
): Promise<AcceptedFeed> {
  const { accounts, restores } = token;
  const kinds = restores ? RESTORED_KINDS : KINDS;
  // What is older may not have left yet where it was exported.
  const { batches, count } = await readBatches(body, kinds, restores ? null : horizon);
  if (accounts !== "*") refuseGlobal(batches);

  const outcome = await applyFeed(db, { batches, accounts, restores });
  if (outcome.applied) {
    const { ignored, version, changes } = outcome;
    // Not the batches: inboxes are notified when the request has left its turn, and these hold all its texts.
    return { items: { accepted: count - ignored, ignored }, version, changes };
  }
  if ("isUnrestorable" in outcome) throw forbidden(NOT_RESTORABLE);
  if ("hasTotalTooLarge" in outcome) throw invalid({ body: ["a total would be too large"] });
  if ("foreign" in outcome) throw foreignLines(outcome.foreign);
  throw invalid(faultMessages(outcome.faults));
}

/** In a function of its own, because one that goes on waiting would hold the texts of all lines beside their parameters. */
async function readBatches(
  body: Uint8Array,
  kinds: readonly Kind[],
  horizon: string | null,
): Promise<{ batches: Batch[]; count: number }> {
  return toBatches(await checkLines(body, kinds, horizon), kinds);
}

const NOT_RESTORABLE = "A restore token feeds only a database that has been fed by nothing but restores.";

// After so much text, other requests of this isolate get a turn.
const TEXT_A_TURN = 256 * 1024;

/**
 * @throws the failure 413 for too many lines or items, else 422 that names the bad fields of the first hundred bad
 * lines.
 */
async function checkLines(body: Uint8Array, kinds: readonly Kind[], horizon: string | null): Promise<GoodLine[]> {
  const good: GoodLine[] = [];
  const bad: FieldMessages = {};
  let [lines, items, badLines, length] = [0, 0, 0, 0];
  for (const text of splitLines(body)) {
    lines += 1;
    if (lines > LINE_LIMIT) throw payloadTooLarge(`A request of at most ${LINE_LIMIT} lines is taken here.`);
    const checked = checkLine(text, kinds, horizon);
    if ("line" in checked) {
      items += checked.line.items;
      if (items > ITEM_LIMIT) throw payloadTooLarge(TOO_MANY_ITEMS);
      if (badLines === 0) good.push(checked);
    } else {
      badLines += 1;
      if (badLines <= NAMED_LINES) addLine(bad, text.number, checked.messages);
    }
    length += text.text?.length ?? 0;
    if (length > TEXT_A_TURN) {
      length = 0;
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
  if (body.buffer instanceof ArrayBuffer) body.buffer.transfer(0);
  if (badLines > 0) throw invalid(bad);
  return good;
}

const TOO_MANY_ITEMS = `A request of at most ${ITEM_LIMIT} items of store_ids and member_ids is taken here.`;

function addLine(messages: FieldMessages, line: number, ofLine: FieldMessages): void {
  for (const [field, texts] of Object.entries(ofLine)) messages[lineField(line, field)] = texts;
}

function faultMessages(faults: readonly { line: number; field: string; text: string }[]): FieldMessages {
  const messages: FieldMessages = {};
  for (const { line, field, text } of faults) addMessage(messages, lineField(line, field), text);
  return messages;
}

function lineField(line: number, field: string): string {
  return field === "" ? `line ${line}` : `line ${line}.${field}`;
}

function refuseGlobal(batches: readonly Batch[]): void {
  const global = batches.flatMap(({ kind, all }) => (isGlobal(kind) ? all.map(({ number }) => number) : []));
  if (global.length > 0) throw foreignLines(global.toSorted((one, other) => one - other).slice(0, NAMED_LINES));
}

function foreignLines(lines: readonly number[]) {
  const which = lines.length === 1 ? `Line ${lines[0]} touches` : `Lines ${lines.join(", ")} touch`;
  return forbidden(`${which} an account that the token does not cover.`);
}

/** The lines by kind, in the order in which kinds refer to each other; and how many there are. */
function toBatches(lines: readonly GoodLine[], kinds: readonly Kind[]): { batches: Batch[]; count: number } {
  const batches = kinds.flatMap((kind) => {
    const texts = new Map(lines.filter((one) => one.kind === kind).map(({ line, text }) => [line, text]));
    if (texts.size === 0) return [];
    const all = [...texts.keys()];
    const { writes, deletes } = deduplicate(kind, all);
    return [{ kind, all, writes, deletes, texts: joinRows(writes.map((line) => texts.get(line) ?? "")) }];
  });
  return { batches, count: lines.length };
}

/**
 * Of lines with one key, the last counts of a state and the first of an event. New records are stored in the order of
 * their first lines, as if the lines had come one by one.
 */
function deduplicate(kind: Kind, all: readonly Line[]): Pick<Batch, "writes" | "deletes"> {
  const byKey = new Map<string, Line>();
  const orders = new Map<string, number>();
  for (const line of all) {
    const key = identityOf(kind, line.used);
    if (kind.type === "state" || !byKey.has(key)) byKey.set(key, line);
    if (!line.deleted && !orders.has(key)) orders.set(key, line.number);
  }
  for (const [key, line] of byKey) line.order = orders.get(key) ?? line.number;
  const lines = [...byKey.values()];
  const writes = lines.filter(({ deleted }) => !deleted).sort((one, other) => one.order - other.order);
  return { writes: arrange(kind, writes), deletes: lines.filter(({ deleted }) => deleted) };
}

/** A table whose rows lie in the order of their ids is written in that order: each of its pages once. */
function arrange(kind: Kind, writes: Line[]): Line[] {
  if (kind.arrange !== undefined) return kind.arrange(writes);
  if (kind.keyFields[0] !== "id" || columnTypes(kind).has("key")) return writes;
  return writes.sort(({ used: one }, { used: other }) => (String(one.id) < String(other.id) ? -1 : 1));
}
