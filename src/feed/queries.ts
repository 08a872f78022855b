import { sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { NAMED_LINES } from "../http/limits.ts";
import type { FeedChanges } from "../inbox/notify.ts";
import { selectChanges, toChanges } from "../inbox/outbox/queries.ts";
import { countFeed, selectUnshown, toUnshown } from "../inbox/queries.ts";
import { findFaults, findForeign, refuseLargeGroups, refuseSealed, refuseUnrestorable } from "./records/checks.ts";
import { type Fault, TOO_OLD } from "./records/faults.ts";
import type { Kind, Line } from "./records/kind.ts";
import { message } from "./records/message.ts";
import { messageGroup } from "./records/message-group.ts";
import { collectFreshEvents, dropFreshEvents, freshEvents, remove, write } from "./records/statements.ts";

/** The lines of one kind, sorted by what becomes of them. */
export interface Batch {
  kind: Kind;
  /** Every line of the kind: each touches accounts, whether it counts or not. */
  all: readonly Line[];
  /** The lines to write: the last of each key, the first of each event. */
  writes: readonly Line[];
  /** What they write, as JSON texts of a parameter each. */
  texts: readonly string[];
  /** The lines that delete. */
  deletes: readonly Line[];
}

export interface FeedRequest {
  /** In the order in which kinds refer to each other. */
  batches: readonly Batch[];
  /** The accounts that may be touched. */
  accounts: readonly string[] | "*";
  /** Whether it restores what an export has given. */
  restores: boolean;
  /** How many ids its lists have. */
  items: number;
}

/** The outcome of a request: all of it is committed, or none. */
export type Outcome =
  | { applied: true; ignored: number; version: number; changes: FeedChanges }
  | { applied: false; isUnrestorable: true }
  | { applied: false; hasTotalTooLarge: true }
  | { applied: false; items: number }
  | { applied: false; foreign: readonly number[] }
  | { applied: false; faults: readonly { line: number; field: string; text: string }[] };

/** A total would leave its `CHECK`, or a sum of a restore's summaries would leave 64 bits. */
const TOTAL_TOO_LARGE = /CHECK constraint failed|integer overflow/;

/**
 * Applies a request in one transaction and one round trip: the upserts, the deletes, the checks, and the events with
 * their totals. A check that finds a line aborts the transaction, so a refused request leaves nothing behind. What it
 * changed for listeners comes with the answer.
 */
export async function applyFeed(db: Database, { batches, accounts, restores, items }: FeedRequest): Promise<Outcome> {
  const states = batches.filter(({ kind }) => kind.type === "state");
  const ofEvents = batches.filter(({ kind }) => kind.type === "event");
  const events = ofEvents.filter(({ writes }) => writes.length > 0);
  const checks = findFaults(batches);
  // Messages of an earlier request concern whoever this one adds to their group.
  const mayHaveUnshown = !restores && batches.some(({ kind }) => kind === message || kind === messageGroup);
  const fresh = events.flatMap(({ kind, writes }) => collectFreshEvents(kind, writes));
  try {
    // Accounts are looked at before references, so that a request with both kinds of fault answers 403; and before the
    // deletes, because a record that is removed can no longer say whose it was.
    const { counted, removed, inserted, emptied, changed, unshown } = await db.steps({
      counted: [countFeed(restores)],
      unrestorable: restores ? [refuseUnrestorable()] : [],
      // Before anything is written, because whoever is a member then may be removed.
      tooManyItems: restores ? [] : refuseLargeGroups(batches, items),
      // Before accounts, as with any field that is wrong by itself.
      sealed: restores ? [] : refuseSealed(batches),
      upserts: states.flatMap(({ kind, texts }) => write(kind, texts)),
      foreign: findForeign(batches, accounts),
      // What refers comes before what it refers to, so that no delete takes away what another is to count.
      removed: states.toReversed().flatMap(({ kind, deletes }) => remove(kind, deletes)),
      fresh,
      checks: checks.statements,
      // Not materialized, so that SQLite takes out of the JSON only what a total looks at.
      totals: events.flatMap(({ kind, writes }) => {
        const withFresh = sql`WITH ${freshEvents(kind, writes, "")}`;
        return (kind.totals ?? []).map((addTo) => addTo(withFresh));
      }),
      inserted: events.flatMap(({ kind, texts }) => write(kind, texts)),
      emptied: ofEvents.flatMap(({ kind, deletes }) => remove(kind, deletes)),
      dropped: fresh.length > 0 ? [dropFreshEvents()] : [],
      changed: [selectChanges()],
      unshown: mayHaveUnshown ? [selectUnshown()] : [],
    });
    const nothingToDelete = countLines(states, "deletes") - removed.length;
    const repeated = countLines(ofEvents, "all") - inserted.length - emptied.length;
    return {
      applied: true,
      ignored: nothingToDelete + repeated,
      version: Number(counted[0]?.version),
      changes: { changes: toChanges(changed), unshown: unshown[0] === undefined ? null : toUnshown(unshown[0]) },
    };
  } catch (error) {
    return readRefusal(error, { faults: checks.faults, batches });
  }
}

function countLines(batches: readonly Batch[], which: "all" | "deletes"): number {
  return batches.reduce((sum, batch) => sum + batch[which].length, 0);
}

/** What a check says of the request that it undoes. */
interface Report {
  unrestorable?: [number];
  items?: [number];
  /** Kinds, each with the month before which their events have left. */
  sealed?: [string, string][];
  foreign?: number[];
  /** Lines, each with the index of its fault. */
  faults?: [number, number][];
}

/** Reads out of the error why the request was undone; any other error stays one. */
function readRefusal(
  error: unknown,
  { faults, batches }: { faults: readonly Fault[]; batches: readonly Batch[] },
): Outcome {
  const message = error instanceof Error ? error.message : "";
  if (TOTAL_TOO_LARGE.test(message)) return { applied: false, hasTotalTooLarge: true };
  const text = /\{"(?:unrestorable|items|sealed|foreign|faults)":.*\]\}/s.exec(message)?.[0];
  if (text === undefined) throw error;
  const { unrestorable, items, sealed, foreign, faults: found = [] } = JSON.parse(text) as Report;
  if (unrestorable !== undefined) return { applied: false, isUnrestorable: true };
  if (items !== undefined) return { applied: false, items: items[0] };
  if (sealed !== undefined) return { applied: false, faults: linesBefore(new Map(sealed), batches) };
  if (foreign !== undefined) return { applied: false, foreign };
  const named = found.flatMap(([line, index]) => {
    const fault = faults[index];
    return fault === undefined ? [] : [{ line, field: fault.field, text: fault.text }];
  });
  return { applied: false, faults: named };
}

/** The first lines with events of before a month of their kind. */
function linesBefore(months: ReadonlyMap<string, string>, batches: readonly Batch[]) {
  return batches
    .flatMap(({ kind, all }) => {
      const { record, timeField: field = "" } = kind;
      const old = all.filter(({ time }) => time !== null && time < (months.get(record) ?? ""));
      return old.map(({ number }) => ({ line: number, field, text: TOO_OLD }));
    })
    .sort((one, other) => one.line - other.line)
    .slice(0, NAMED_LINES);
}
