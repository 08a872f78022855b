import { type SQL, sql } from "drizzle-orm";
import type { Database, Statement } from "../db/database.ts";
import { unionAll } from "../db/json-rows.ts";
import { limitTo } from "../db/limit.ts";
import { NAMED_LINES } from "../http/limits.ts";
import { type Changes, countFeed, selectChanges, toChanges } from "../inbox/queries.ts";
import { collectFreshEvents, dropFreshEvents, freshEvents } from "./records/fresh-events.ts";
import type { EventKind, Fault, Kind, Line, StateKind } from "./records/kind.ts";
import { byId } from "./records/line-texts.ts";
import {
  allRelations,
  deduplicatedRelations,
  faultsOf,
  insert,
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

/** The field of events that adds to each total whose size a `CHECK` of this name bounds. */
const LIMITED_TOTALS: Readonly<Record<string, { record: string; field: string }>> = {
  customer_balance: { record: "balance_entry", field: "amount" },
  store_balance: { record: "balance_entry", field: "amount" },
  campaign_earnings: { record: "balance_entry", field: "amount" },
  member_tokens: { record: "token_earning", field: "tokens" },
  play_runs: { record: "play", field: "runs" },
  play_hits: { record: "play", field: "hits" },
  play_doubles: { record: "play", field: "doubles" },
  play_triples: { record: "play", field: "triples" },
};
const BEYOND_LIMIT = "takes a total beyond 70,000,000,000,000, the largest that can be stored";

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
    return readRefusal(error, { faults: checks.faults, batches });
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

/** What a check says of the request that it undoes. */
interface Report {
  live?: [number];
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
  const total = LIMITED_TOTALS[/CHECK constraint failed: (\w+)/.exec(message)?.[1] ?? ""];
  if (total !== undefined) return { applied: false, faults: linesAddingTo(total, batches) };
  const text = /\{"(?:live|foreign|faults)":.*\]\}/s.exec(message)?.[0];
  if (text === undefined) throw error;
  const { live, foreign, faults: found = [] } = JSON.parse(text) as Report;
  if (live !== undefined) return { applied: false, isLive: true };
  if (foreign !== undefined) return { applied: false, foreign };
  const named = found.flatMap(([line, index]) => {
    const fault = faults[index];
    return fault === undefined ? [] : [{ line, field: fault.field, text: fault.text }];
  });
  return { applied: false, faults: named };
}

/** The lines that add to totals by a field: which of them is beyond its limit is not known, because nobody gets there. */
function linesAddingTo({ record, field }: { record: string; field: string }, batches: readonly Batch[]) {
  return batches
    .filter(({ kind }) => kind.record === record)
    .flatMap(({ writes }) => writes.filter(({ fields }) => Number(fields[field]) !== 0))
    .sort((one, other) => one.number - other.number)
    .slice(0, NAMED_LINES)
    .map(({ number }) => ({ line: number, field, text: BEYOND_LIMIT }));
}

function commas(parts: readonly SQL[]): SQL {
  return sql.join([...parts], sql`, `);
}
