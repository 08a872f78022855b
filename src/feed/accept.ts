import type { FeedToken } from "../auth/token.ts";
import type { Database } from "../db/database.ts";
import { databaseFaultOf } from "../db/errors.ts";
import { joinRows } from "../db/json-rows.ts";
import { forbidden, invalid, payloadTooLarge, tooMuchForDatabase } from "../http/errors.ts";
import { ITEM_LIMIT, LINE_LIMIT, NAMED_LINES } from "../http/limits.ts";
import type { FeedChanges } from "../inbox/notify.ts";
import { addMessage, type FieldMessages } from "../values/messages.ts";
import { withCommas } from "../values/number.ts";
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
 * Takes a request whole or refuses it whole (docs/contract/feed.md, 1). `horizon`: events of before this time are bad
 * lines; left out: none.
 * @throws the failures 413 for too many lines or items, or more than D1 can do, 422 for bad lines, 403 for lines that touch another account.
 */
export async function acceptFeed(
  db: Database,
  { body, token, horizon = null }: { body: Uint8Array; token: FeedToken; horizon?: string | null },
): Promise<AcceptedFeed> {
  const { accounts, restores } = token;
  const kinds = restores ? RESTORED_KINDS : KINDS;
  // What is older may not have left yet where it was exported.
  const { batches, count, items } = readBatches(body, kinds, restores ? null : horizon);
  if (accounts !== "*") refuseGlobal(batches);

  const outcome = await applyFeed(db, { batches, accounts, restores, items }).catch((error: unknown) => {
    throw databaseFaultOf(error) === "exceeded" ? tooMuchForDatabase(error) : error;
  });
  if (outcome.applied) {
    const { ignored, version, changes } = outcome;
    return { items: { accepted: count - ignored, ignored }, version, changes };
  }
  if ("items" in outcome) throw tooMuch(outcome.items, ITEMS, ITEM_LIMIT);
  if ("isUnrestorable" in outcome) throw forbidden(NOT_RESTORABLE);
  if ("hasTotalTooLarge" in outcome) throw invalid({ body: ["a total would be too large"] });
  if ("foreign" in outcome) throw foreignLines(outcome.foreign);
  throw invalid(faultMessages(outcome.faults));
}

/** In a function of its own: one that waits would hold the texts of all lines beside their parameters, 8 MB. */
function readBatches(body: Uint8Array, kinds: readonly Kind[], horizon: string | null) {
  const lines = checkLines(body, kinds, horizon);
  const items = lines.reduce((sum, { line }) => sum + line.items, 0);
  return { batches: toBatches(lines, kinds), count: lines.length, items };
}

const NOT_RESTORABLE = "A restore token feeds only a database that has been fed by nothing but restores.";

const ITEMS = "ids in lists and members of the groups that it touches";

/**
 * @throws the failure 413 for too many lines or ids, else 422 that names the bad fields of the first hundred bad lines.
 */
function checkLines(body: Uint8Array, kinds: readonly Kind[], horizon: string | null): GoodLine[] {
  const good: GoodLine[] = [];
  const bad: FieldMessages = {};
  let [lines, items, badLines] = [0, 0, 0];
  for (const text of splitLines(body)) {
    lines += 1;
    if (lines > LINE_LIMIT) continue;
    const checked = checkLine(text, kinds, horizon);
    if ("line" in checked) {
      items += checked.line.items;
      good.push(checked);
    } else {
      badLines += 1;
      if (badLines <= NAMED_LINES) addLine(bad, text.number, checked.messages);
    }
  }
  if (lines > LINE_LIMIT) throw tooMuch(lines, "lines", LINE_LIMIT);
  if (items > ITEM_LIMIT) throw tooMuch(items, ITEMS, ITEM_LIMIT);
  if (badLines > 0) throw invalid(bad);
  return good;
}

function tooMuch(count: number, what: string, limit: number) {
  return payloadTooLarge(`This request holds ${withCommas(count)} ${what}: at most ${withCommas(limit)} are taken.`);
}

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

/** The lines by kind, in the order in which kinds refer to each other. */
function toBatches(lines: readonly GoodLine[], kinds: readonly Kind[]): Batch[] {
  return kinds.flatMap((kind) => {
    const texts = new Map(lines.filter((one) => one.kind === kind).map(({ line, text }) => [line, text]));
    if (texts.size === 0) return [];
    const all = [...texts.keys()];
    const { writes, deletes } = deduplicate(kind, all);
    return [{ kind, all, writes, deletes, texts: joinRows(writes.map((line) => texts.get(line) ?? "")) }];
  });
}

/**
 * Of lines with one key, the last counts of a state. Of an event the first counts, and the first that deletes it. New
 * records are stored in the order of their first lines, as if the lines had come one by one.
 */
function deduplicate(kind: Kind, all: readonly Line[]): Pick<Batch, "writes" | "deletes"> {
  const byKey = new Map<string, Line>();
  const orders = new Map<string, number>();
  for (const line of all) {
    const key = `${kind.type === "event" && line.deleted} ${identityOf(kind, line.used)}`;
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
