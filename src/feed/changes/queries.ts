import { type SQL, sql } from "drizzle-orm";
import { bytesOf, untilFull } from "../../db/cut.ts";
import type { Database } from "../../db/database.ts";
import { query } from "../../db/query.ts";
import { limitTo, pick, select } from "../../db/select.ts";
import { requests } from "../../db/tables.ts";
import { startAgain } from "../../http/errors.ts";
import { BODY_LIMIT, LINE_LIMIT } from "../../http/limits.ts";
import { account } from "../../records/account.ts";
import { programState } from "../../records/program.ts";
import { stores } from "../../records/store.ts";
import { utf8Bytes } from "../../values/text.ts";
import { LAST_VERSION, lookedAt } from "../requests/queries.ts";
import type { ChangesCursor } from "./schema.ts";

interface ChangesQuery {
  /** Left out: now. */
  after: ChangesCursor | "first" | undefined;
  /** Only what touches these accounts. What customers write touches none. */
  accounts: readonly string[] | "*";
}

/**
 * What tills and customers wrote after a cursor, in the order of the versions, as NDJSON (docs/contract/requests.md, 2); and
 * the cursor of the next page. One round trip.
 * @throws the failure 410 if lines after the cursor may be missing: it is of another database, of a row that is not there as it
 * was, or from before the lines that are kept.
 */
export async function readChanges(
  db: Database,
  { after, accounts }: ChangesQuery,
): Promise<{ text: string; next: ChangesCursor }> {
  const { database_id, changes_removed } = programState;
  const start = after === "first" ? sql`(SELECT ${changes_removed} FROM ${programState})` : LAST_VERSION;
  const from = typeof after === "object" ? sql`${after.version}` : start;
  const [[state], begins, rows, ends] = await db.batch([
    query.select({ database_id, changes_removed }).from(programState),
    selectRow(from),
    selectLines(from, accounts),
    selectRow(sql`(SELECT max(version) FROM ${lookedAt(from)})`),
  ]);
  if (state === undefined) throw new Error("The program has no state.");
  const begin = begins[0] ?? BEGINNING;
  if (typeof after === "object") {
    const isThere = after.database === state.database_id && after.version === begin.version && after.at === begin.at;
    if (!isThere || after.version < state.changes_removed) throw startAgain();
  }
  const text = rows
    .map(({ line, ...row }) => `${JSON.stringify(row).slice(0, -1)},"${nameOf(line)}":${line}}\n`)
    .join("");
  const isFull = rows.length === LINE_LIMIT || utf8Bytes(text) >= BODY_LIMIT.bytes;
  const last = (isFull && rows.at(-1)) || (ends[0] ?? begin);
  return { text, next: { database: state.database_id, version: last.version, at: last.at } };
}

/** A text is what a customer asked of the operator. */
const nameOf = (line: string | null) => (line?.startsWith('"') ? "request" : "line");

/** Where a journal without rows begins. */
const BEGINNING = { version: 0, at: "" };

function selectRow(version: SQL) {
  return query
    .select(pick(requests, "version", "at"))
    .from(requests)
    .where(sql`${requests.version} = ${version}`);
}

/** The lines among the next rows. Most rows of the journal have none. */
function selectLines(from: SQL, accounts: readonly string[] | "*") {
  const { version, at, source, subject, line } = requests;
  const isCovered = accounts === "*" ? sql`true` : touchesAccounts(line, accounts);
  const lines = sql`
    SELECT * FROM ${lookedAt(from)} WHERE ${line} IS NOT NULL AND ${isCovered} ${limitTo(LINE_LIMIT)}`;
  return select(
    { version, at, source, subject, line },
    sql`FROM ${untilFull(lines, bytesOf(sql`line`), BODY_LIMIT.bytes)} AS ${requests}`,
  );
}

/** Whether a line names a store of these accounts. */
function touchesAccounts(line: typeof requests.line, accounts: readonly string[]): SQL {
  return sql`EXISTS (
    SELECT 1 FROM ${stores} JOIN ${account.table} ON ${account.table.key} = ${stores.account_key}
    WHERE ${stores.id} = ${line} ->> 'store_id' AND ${account.table.id} IN (SELECT value FROM json_each(${JSON.stringify(accounts)}))
  )`;
}
