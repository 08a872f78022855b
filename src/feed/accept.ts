import type { FeedToken } from "../auth/token.ts";
import type { Database } from "../db/database.ts";
import { joinRows } from "../db/json-rows.ts";
import { invalid } from "../http/errors.ts";
import { ITEM_LIMIT, LINE_LIMIT, NAMED_LINES } from "../http/limits.ts";
import type { FeedChanges } from "../inbox/notify.ts";
import type { FieldMessages } from "../values/messages.ts";
import { checkLine, type GoodLine, splitLines } from "./lines.ts";
import { applyFeed } from "./queries.ts";
import { KINDS, RESTORED_KINDS } from "./records/index.ts";
import { type Batch, hasKeyColumn, identityOf, isGlobal, type Kind, type Line } from "./records/kind.ts";
import { foreignLines, lineField, tooManyItems, tooMuch } from "./refusals.ts";
import type { Accepted } from "./schema.ts";

/**
 * Takes a request whole or refuses it whole (docs/contract/feed.md, 1). Resolves with the answer, the number of requests
 * that have been committed, and what this one changed for listeners. `horizon`: events from before this time are bad lines.
 * @throws the failures 413 for too many lines or items, or more than D1 can do, 422 for bad lines, 403 for lines that touch another account.
 */
export async function acceptFeed(
  db: Database,
  { body, token, horizon = null }: { body: Uint8Array; token: FeedToken; horizon?: string | null },
): Promise<{ answer: Accepted; version: number; forListeners: FeedChanges }> {
  const { accounts, restores } = token;
  // An export may have older events, which have not left the database that it is from.
  const { batches, count, items } = readBatches(body, restores ? RESTORED_KINDS : KINDS, restores ? null : horizon);
  if (accounts !== "*") refuseGlobal(batches);

  const { ignored, ...applied } = await applyFeed(db, { batches, accounts, restores, items });
  return { answer: { accepted: count - ignored, ignored }, ...applied };
}

/**
 * The lines by kind, in the order in which kinds refer to each other. A function of its own, because `acceptFeed` would
 * hold the texts of all lines while it waits, 8 MB.
 */
function readBatches(body: Uint8Array, kinds: readonly Kind[], horizon: string | null) {
  const { lines, items } = checkLines(body, kinds, horizon);
  const batches = kinds.flatMap((kind): Batch[] => {
    const rows = new Map(lines.filter((one) => one.kind === kind).map(({ line, row }) => [line, row]));
    if (rows.size === 0) return [];
    const all = [...rows.keys()];
    const { writes, deletes } = deduplicate(kind, all);
    const written = writes.map((line) => {
      const row = rows.get(line);
      if (row === undefined) throw new Error(`Line ${line.number} has no row.`);
      return row;
    });
    return [{ kind, all, writes, deletes, rowChunks: joinRows(written) }];
  });
  return { batches, count: lines.length, items };
}

/** @throws the failure 413 for too many lines or items, else 422 for the bad fields of the first bad lines. */
function checkLines(body: Uint8Array, kinds: readonly Kind[], horizon: string | null) {
  const lines: GoodLine[] = [];
  const bad: FieldMessages = {};
  let [count, items, badLines] = [0, 0, 0];
  for (const given of splitLines(body)) {
    count += 1;
    if (count > LINE_LIMIT) continue;
    const result = checkLine(given, kinds, horizon);
    if ("line" in result) {
      items += result.line.items;
      lines.push(result);
    } else {
      badLines += 1;
      if (badLines > NAMED_LINES) continue;
      for (const [field, messages] of Object.entries(result.messages)) bad[lineField(given.number, field)] = messages;
    }
  }
  if (count > LINE_LIMIT) throw tooMuch(count, "lines", LINE_LIMIT);
  if (items > ITEM_LIMIT) throw tooManyItems(items);
  if (badLines > 0) throw invalid(bad);
  return { lines, items };
}

function refuseGlobal(batches: readonly Batch[]): void {
  const global = batches.flatMap(({ kind, all }) => (isGlobal(kind) ? all.map(({ number }) => number) : []));
  if (global.length > 0) throw foreignLines(global);
}

/**
 * The last line of each key counts; of an event, the first line, and the first that deletes it. New records are stored in
 * the order of their first lines, as if the lines had come one by one.
 */
function deduplicate(kind: Kind, all: readonly Line[]): Pick<Batch, "writes" | "deletes"> {
  const byKey = new Map<string, Line>();
  const orders = new Map<string, number>();
  for (const line of all) {
    const deletesEvent = kind.type === "event" && line.deleted;
    const key = `${deletesEvent} ${identityOf(kind, line.forChecks)}`;
    if (kind.type === "state" || !byKey.has(key)) byKey.set(key, line);
    if (!line.deleted && !orders.has(key)) orders.set(key, line.number);
  }
  for (const [key, line] of byKey) line.order = orders.get(key) ?? line.number;
  const lines = [...byKey.values()];
  const writes = lines.filter(({ deleted }) => !deleted).sort((one, other) => one.order - other.order);
  return { writes: arrange(kind, writes), deletes: lines.filter(({ deleted }) => deleted) };
}

/** Sorts the lines of a table that is stored by id, so that SQLite writes each page of the table only once. */
function arrange(kind: Kind, writes: Line[]): Line[] {
  if (kind.arrange !== undefined) return kind.arrange(writes);
  if (kind.keyFields[0] !== "id" || hasKeyColumn(kind)) return writes;
  return writes.sort(({ forChecks: one }, { forChecks: other }) => (String(one.id) < String(other.id) ? -1 : 1));
}
