import type { FeedToken } from "../auth/token.ts";
import type { Database } from "../db/database.ts";
import { joinRows } from "../db/json-rows.ts";
import { invalid } from "../http/errors.ts";
import { ITEM_LIMIT, LINE_LIMIT, NAMED_LINES } from "../http/limits.ts";
import type { FeedChanges } from "../inbox/notify.ts";
import type { FieldMessages } from "../values/messages.ts";
import { checkLine, type GoodLine, splitLines } from "./lines.ts";
import { applyFeed, type Batch } from "./queries.ts";
import { KINDS, RESTORED_KINDS } from "./records/index.ts";
import { columnTypes, identityOf, isGlobal, type Kind, type Line } from "./records/kind.ts";
import { foreignLines, lineField, tooMany, tooManyItems } from "./refusals.ts";
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

  const { ignored, ...applied } = await applyFeed(db, { batches, accounts, restores, items });
  return { items: { accepted: count - ignored, ignored }, ...applied };
}

/** In a function of its own: one that waits would hold the texts of all lines beside their parameters, 8 MB. */
function readBatches(body: Uint8Array, kinds: readonly Kind[], horizon: string | null) {
  const lines = checkLines(body, kinds, horizon);
  const items = lines.reduce((sum, { line }) => sum + line.items, 0);
  return { batches: toBatches(lines, kinds), count: lines.length, items };
}

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
      if (badLines > NAMED_LINES) continue;
      for (const [field, texts] of Object.entries(checked.messages)) bad[lineField(text.number, field)] = texts;
    }
  }
  if (lines > LINE_LIMIT) throw tooMany(lines, "lines", LINE_LIMIT);
  if (items > ITEM_LIMIT) throw tooManyItems(items);
  if (badLines > 0) throw invalid(bad);
  return good;
}

function refuseGlobal(batches: readonly Batch[]): void {
  const global = batches.flatMap(({ kind, all }) => (isGlobal(kind) ? all.map(({ number }) => number) : []));
  if (global.length > 0) throw foreignLines(global.toSorted((one, other) => one - other).slice(0, NAMED_LINES));
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
    const key = `${kind.type === "event" && line.deleted} ${identityOf(kind, line.checked)}`;
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
  return writes.sort(({ checked: one }, { checked: other }) => (String(one.id) < String(other.id) ? -1 : 1));
}
