import { type SQL, sql } from "drizzle-orm";
import type { Database, Statement } from "../db/database.ts";
import { unionAll } from "../db/json-rows.ts";
import { limitTo } from "../db/limit.ts";
import { type Changes, countFeed, selectChanges, toChanges } from "../live/queries.ts";
import { NAMED_LINES } from "./limits.ts";
import { collectFreshEvents, dropFreshEvents, freshEvents } from "./records/fresh-events.ts";
import { type EventKind, type Fault, type Kind, type Line, type StateKind, tableName } from "./records/kind.ts";
import { byId } from "./records/line-texts.ts";
import {
  allRelations,
  deduplicatedRelations,
  faultsOf,
  insert,
  prepare,
  remove,
  touchedAccounts,
  upsert,
} from "./records/statements.ts";

/** The lines of one kind, sorted by what becomes of them. */
export interface Batch {
  kind: Kind;
  /** Every line of the kind: each touches accounts, whether it counts or not. */
  all: readonly Line[];
  /** The lines to write: the last of each key, the first of each event. */
  writes: readonly Line[];
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
}

/** The outcome of a request: all of it is committed, or none. */
export type Outcome =
  | { applied: true; ignored: number; version: number; changes: Changes }
  | { applied: false; isLive: true }
  | { applied: false; foreign: readonly number[] }
  | { applied: false; faults: readonly { line: number; field: string; text: string }[] };

/** The largest total on either side of zero. Triggers in the migrations check it. */
const LARGEST_TOTAL = "70,000,000,000,000";

/**
 * Applies a request in one transaction and one round trip: the upserts, the deletes, the checks, and the events with
 * their totals. A check that finds a line aborts the transaction, so a refused request leaves nothing behind. What it
 * changed for listeners comes with the answer.
 */
export async function applyFeed(db: Database, { batches, accounts, restores }: FeedRequest): Promise<Outcome> {
  const states = batches.filter((batch): batch is Batch & { kind: StateKind } => batch.kind.type === "state");
  const events = batches
    .filter((batch): batch is Batch & { kind: EventKind } => batch.kind.type === "event")
    .map((batch) => ({ ...batch, writes: byId(batch.writes) }));
  const checks = findFaults(batches);
  // Before the writes, which take out of the lines what they write.
  const foreign = findForeign(batches, accounts);

  const upserts = states.flatMap(({ kind, writes }) => upsert(kind, writes));
  const prepared = events.flatMap(({ kind, writes }) => prepare(kind, writes));
  // What refers comes before what it refers to, so that no delete takes away what another is to count.
  const deletes = states.toReversed().flatMap(({ kind, deletes }) => remove(kind, deletes));
  const fresh = events.flatMap(({ kind, writes }) => collectFreshEvents(kind, writes));
  // Not materialized, so that SQLite takes out of the JSON only what a total looks at.
  const totals = events.flatMap(({ kind, writes }) => kind.totals(sql`WITH ${freshEvents(kind, writes, "")}`));
  const inserts = events.flatMap(({ kind, writes }) => insert(kind, writes));

  try {
    // Accounts are looked at before references, so that a request with both kinds of fault answers 403; and before the
    // deletes, because a record that is removed can no longer say whose it was.
    const { counted, removed, inserted, changed } = await db.steps({
      counted: [countFeed(restores)],
      live: restores ? [refuseLive()] : [],
      upserts,
      foreign,
      removed: deletes,
      prepared,
      fresh,
      checks: checks.statements,
      totals,
      inserted: inserts,
      dropped: fresh.length > 0 ? [dropFreshEvents()] : [],
      changed: [selectChanges()],
    });
    const nothingToDelete = countLines(states, "deletes") - removed.length;
    const repeated = countLines(events, "all") - inserted.length;
    return {
      applied: true,
      ignored: nothingToDelete + repeated,
      version: Number(counted[0]?.version),
      changes: toChanges(changed),
    };
  } catch (error) {
    return readRefusal(db, error, { faults: checks.faults, batches });
  }
}

function countLines(batches: readonly Batch[], which: "all" | "deletes"): number {
  return batches.reduce((sum, batch) => sum + batch[which].length, 0);
}

/** Refuses a restore of a database that was fed by anything else: there it could hide messages. */
function refuseLive(): Statement {
  return sql`INSERT INTO refusals (report)
    SELECT json_object('live', json_array(version)) FROM feed_version WHERE restorable = 0`;
}

/** Refuses the request when a line touches an account that the token does not cover. */
function findForeign(batches: readonly Batch[], accounts: FeedRequest["accounts"]): Statement[] {
  if (accounts === "*") return [];
  const touching = batches.filter(({ kind }) => touchedAccounts(kind).length > 0);
  if (touching.length === 0) return [];
  return [
    sql`WITH ${commas(touching.flatMap(({ kind, all, writes }) => allRelations(kind, all, writes)))},
      touched(line, account) AS (${unionAll(touching.flatMap(({ kind }) => touchedAccounts(kind)))}),
      foreign_line(line) AS (
        SELECT DISTINCT line FROM touched
        WHERE account NOT IN (SELECT value FROM json_each(${JSON.stringify(accounts)}))
        ORDER BY line ${limitTo(NAMED_LINES)}
      )
      INSERT INTO refusals (report)
      SELECT json_object('foreign', json_group_array(line)) FROM foreign_line HAVING count(*) > 0`,
  ];
}

/** Refuses the request when a line breaks a rule that only the database can check. */
function findFaults(batches: readonly Batch[]): { statements: Statement[]; faults: readonly Fault[] } {
  const written = batches
    .filter(({ writes }) => writes.length > 0)
    .map((batch) => ({ ...batch, own: faultsOf(batch.kind) }));
  const checked = written.filter(({ own }) => own.length > 0);
  if (checked.length === 0) return { statements: [], faults: [] };
  const faults = checked.flatMap(({ kind, own }) => own.map((fault) => ({ from: kind.record, ...fault })));
  const found = faults.map(
    ({ from, when }, index) => sql`SELECT line, ${sql.raw(String(index))} AS fault FROM ${sql.raw(from)} WHERE ${when}`,
  );
  const statement = sql`
    WITH ${commas(checked.flatMap(({ kind, writes }) => deduplicatedRelations(kind, writes)))},
      found(line, fault) AS MATERIALIZED (SELECT DISTINCT * FROM (${unionAll(found)})),
      named(line) AS (SELECT DISTINCT line FROM found ORDER BY line ${limitTo(NAMED_LINES)})
    INSERT INTO refusals (report)
    SELECT json_object('faults', json_group_array(json_array(line, fault)))
    FROM (SELECT * FROM found WHERE line IN named ORDER BY line, fault)
    HAVING count(*) > 0`;
  return { statements: [statement], faults };
}

/** What a check, or the limit of a total, says of the request that it undoes. */
interface Report {
  live?: [number];
  foreign?: number[];
  /** Lines, each with the index of its fault. */
  faults?: [number, number][];
  /** The total that would go beyond its limit. */
  beyond?: [BeyondLimit];
}

/** A total that events of a kind add to by a field, and the fields that say which of them do. */
interface BeyondLimit {
  record: string;
  field: string;
  total: number;
  of: Readonly<Record<string, unknown>>;
}

/** Reads the report of a check out of the error with which it undid the request; any other error stays one. */
async function readRefusal(
  db: Database,
  error: unknown,
  { faults, batches }: { faults: readonly Fault[]; batches: readonly Batch[] },
): Promise<Outcome> {
  const text =
    error instanceof Error ? /\{"(?:live|foreign|faults|beyond)":.*\]\}/s.exec(error.message)?.[0] : undefined;
  if (text === undefined) throw error;
  const { live, foreign, faults: found = [], beyond } = JSON.parse(text) as Report;
  if (live !== undefined) return { applied: false, isLive: true };
  if (foreign !== undefined) return { applied: false, foreign };
  if (beyond !== undefined) return { applied: false, faults: await linesBeyond(db, beyond[0], batches) };
  const named = found.flatMap(([line, index]) => {
    const fault = faults[index];
    return fault === undefined ? [] : [{ line, field: fault.field, text: fault.text }];
  });
  return { applied: false, faults: named };
}

/** The lines that take a total towards the limit that it would pass: not those that are stored, which add nothing. */
async function linesBeyond(db: Database, { record, field, total, of }: BeyondLimit, batches: readonly Batch[]) {
  const adding = batches
    .filter(({ kind }) => kind.record === record)
    .flatMap(({ kind, writes }) => writes.map((line) => ({ ...line, table: tableName(kind) })))
    .filter(({ fields }) => Object.entries(of).every(([name, value]) => fields[name] === value))
    .filter(({ fields }) => Math.sign(Number(fields[field])) === Math.sign(total));
  const ids = JSON.stringify(adding.map(({ fields }) => fields.id));
  const stored = await db.all<{ id: unknown }>(
    sql`SELECT id FROM ${sql.raw(adding[0]?.table ?? "")} WHERE id IN (SELECT value FROM json_each(${ids}))`,
  );
  const isStored = new Set(stored.map(({ id }) => id));
  const text = `takes a total beyond ${LARGEST_TOTAL}, the largest that can be stored`;
  return adding
    .filter(({ fields }) => !isStored.has(fields.id))
    .slice(0, NAMED_LINES)
    .map(({ number }) => ({ line: number, field, text }));
}

function commas(parts: readonly SQL[]): SQL {
  return sql.join([...parts], sql`, `);
}
