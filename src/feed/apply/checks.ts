import { type SQL, sql } from "drizzle-orm";
import type { Referred } from "../../db/columns.ts";
import type { Statement } from "../../db/database.ts";
import { writtenOnce } from "../../db/dialect.ts";
import { unionAll } from "../../db/json-rows.ts";
import { type Fault, type Kind, NOT_STORED } from "../../db/kind.ts";
import { fromNow, joinWithCommas, limitTo } from "../../db/select.ts";
import { ITEM_LIMIT, NAMED_LINES } from "../../http/limits.ts";
import { account } from "../../records/account.ts";
import { messages } from "../../records/message.ts";
import { messageGroupMembers, messageGroups } from "../../records/message-group.ts";
import { programState } from "../../records/program.ts";
import { type Batch, lineFieldsAndList, namesAccount, tableName } from "../kind.ts";
import { columnValue, freshEvents, relation } from "./statements.ts";
import { selectTakenIds } from "./taken-ids.ts";

// Rules that only the database can check. A check that finds a bad line inserts a report into `refusals`. A trigger
// (migrations/0001_program.sql) then aborts the transaction with the report as the text of the error. `refusalOf` reads it.

/** What checks report, by the name of the check: a JSON array. A report is from one check. */
export interface Report {
  /** The database takes no restores. */
  unrestorable: [];
  /** How many items a request has. */
  items: [number];
  /** The horizon: events from before it are too old. */
  horizon: [string];
  /** The latest time that is taken. */
  ahead: [string];
  /** The numbers of lines. */
  foreign: number[];
  /** Lines, each with the index of its fault; or, if its id is of another event, with what `selectTakenIds` says. */
  faults: [number, number | string][];
}

/** The first part of a check: everything before its `FROM`. */
function insertReport(name: keyof Report, array: SQL): SQL {
  return sql`INSERT INTO refusals (report) SELECT json_object(${sql.raw(`'${name}'`)}, ${array})`;
}

/** Refuses a restore if the database has taken other requests: the restored clock could hide their messages. */
export function refuseUnrestorable(): Statement {
  return sql`${insertReport("unrestorable", sql`json_array()`)} FROM ${programState} WHERE ${programState.restorable} = 0`;
}

/**
 * Refuses a request with more than `ITEM_LIMIT` ids in its lists (`items`) and members of the groups that it touches: a
 * message writes a row for each member of its group, and a deleted message looks up each member.
 */
export function refuseLargeGroups(batches: readonly Batch[], items: number): Statement[] {
  const groups = batches.flatMap(({ kind, all }) => all.flatMap(({ values }) => values[kind.groupField ?? ""] ?? []));
  // Messages are the only events that a line may delete.
  const emptied = batches.flatMap(({ kind, deletes }) =>
    kind.type === "event" ? deletes.map(({ values }) => values.id) : [],
  );
  if (groups.length + emptied.length === 0) return [];
  const members = messageGroupMembers;
  const among = (ids: readonly unknown[]) => sql`IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  return [
    sql`${insertReport("items", sql`json_array(${items} + count(*))`)}
      FROM ${members} WHERE ${members.group_key} IN (
        SELECT ${messageGroups.key} FROM ${messageGroups} WHERE ${messageGroups.id} ${among(groups)}
        UNION SELECT ${messages.group_key} FROM ${messages} WHERE ${messages.id} ${among(emptied)}
      )
      HAVING ${items} + count(*) > ${ITEM_LIMIT}`,
  ];
}

/** Refuses a request with an event from before the stored horizon. It reports the horizon, and `refusalOf` finds the lines. */
export function refuseTooOld(batches: readonly Batch[]): Statement[] {
  const [oldest] = batches
    .filter(({ kind }) => kind.retention !== undefined)
    .flatMap(({ all }) => all.flatMap(({ time }) => time ?? []))
    .sort();
  if (oldest === undefined) return [];
  const { horizon } = programState;
  return [
    sql`${insertReport("horizon", sql`json_array(${horizon})`)} FROM ${programState} WHERE ${horizon} > ${oldest}`,
  ];
}

/** Refuses a request with a time that is more than a day ahead. It reports the latest time, and `refusalOf` finds the lines. */
export function refuseAhead(batches: readonly Batch[]): Statement[] {
  const newest = batches
    .flatMap(({ all }) => all.flatMap(({ time }) => time ?? []))
    .sort()
    .at(-1);
  if (newest === undefined) return [];
  const latest = fromNow("+1 day");
  return [sql`${insertReport("ahead", sql`json_array(${latest})`)} WHERE ${latest} < ${newest}`];
}

/** Refuses a request if a line, even a line that a later one replaces, touches an account that the token does not cover. */
export function refuseForeign(batches: readonly Batch[], accounts: readonly string[] | "*"): Statement[] {
  if (accounts === "*" || batches.length === 0) return [];
  const relations = batches.map(({ kind, all }) => relation(kind, all, lineFieldsAndList(kind)));
  return [
    sql`WITH ${joinWithCommas(relations)},
      touched(number, account) AS (${unionAll(batches.flatMap(({ kind }) => touchedAccounts(kind)))}),
      foreign_line(number) AS (
        SELECT DISTINCT number FROM touched
        WHERE account NOT IN (SELECT value FROM json_each(${JSON.stringify(accounts)}))
        ORDER BY number ${limitTo(NAMED_LINES)}
      )
      ${insertReport("foreign", sql`json_group_array(number)`)} FROM foreign_line HAVING count(*) > 0`,
  ];
}

/**
 * Refuses a request if a line that counts breaks a rule. Of an event whose id is stored already, only the id is checked.
 */
export function refuseFaults(
  batches: readonly Batch[],
  accounts: readonly string[] | "*",
): { statements: Statement[]; faults: readonly Fault[] } {
  const checked = batches.filter(({ kind, writes }) => writes.length > 0 && faultsOf(kind).length > 0);
  if (checked.length === 0) return { statements: [], faults: [] };
  const relations = checked.map(({ kind, writes }) =>
    kind.type === "event" ? freshEvents(kind, writes, "MATERIALIZED") : relation(kind, writes),
  );
  const faults = checked.flatMap(({ kind }) =>
    faultsOf(kind).map((fault) => ({ from: sql.raw(kind.record), ...fault })),
  );
  const found = faults.map(
    ({ from, when }, index) =>
      sql`SELECT number, ${sql.raw(String(index))} AS fault FROM ${from} AS line WHERE ${writtenOnce(when)}`,
  );
  const taken = checked.filter(({ kind }) => kind.type === "event").flatMap((batch) => selectTakenIds(batch, accounts));
  const statement = sql`
    WITH ${joinWithCommas(relations)},
      found(number, fault) AS MATERIALIZED (${unionAll([...found, ...taken])}),
      named(number) AS (SELECT DISTINCT number FROM found ORDER BY number ${limitTo(NAMED_LINES)})
    ${insertReport("faults", sql`json_group_array(json_array(number, fault))`)}
    FROM (SELECT * FROM found WHERE number IN named ORDER BY number, fault)
    HAVING count(*) > 0`;
  return { statements: [statement], faults };
}

/** The rules of a kind: references name stored records, fixed columns do not change, and the rules in its file. */
function faultsOf(kind: Kind): Fault[] {
  const missing = kind.references.map(({ field, key }) => ({
    field,
    text: NOT_STORED,
    when: sql.raw(`${field} IS NOT NULL AND ${key} IS NULL`),
  }));
  const sameKeys = kind.key.map((column) => sql`${sql.raw(`stored.${column}`)} = ${columnValue(kind, column)}`);
  const isSameRecord = sql.join(sameKeys, sql` AND `);
  const changed = kind.fixed.map(({ field, key }) => {
    // A field that is left out stays as it is.
    const when = sql`${sql.raw(`line.${field}`)} IS NOT NULL AND EXISTS (
      SELECT 1 FROM ${sql.raw(tableName(kind))} AS stored
      WHERE ${isSameRecord} AND ${sql.raw(`stored.${key} IS NOT line.${key}`)}
    )`;
    return { field, text: FIXED, when };
  });
  const own = (kind.check ?? []).map(({ unlessChanged, when, ...fault }): Fault => {
    const change = changed.find(({ field }) => field === unlessChanged)?.when;
    return { ...fault, when: change === undefined ? when : sql`(${when}) AND NOT (${change})` };
  });
  return [...missing, ...changed, ...own];
}

const FIXED = "is fixed once written";

/** Queries for the accounts that the lines of a kind touch: the number of the line, and the id of the account. */
function touchedAccounts({ record, table, type, owner, references, list, keyFields }: Kind): SQL[] {
  // The account of an `account_id` is read from the line, because this account need not be stored.
  const ownAccount = namesAccount(owner) ? [`SELECT number, ${owner.field} FROM ${record}`] : [];
  const accountsOfReferences = references.flatMap(({ key, to }) =>
    accountOf(record, to, `${to.keyColumn ?? "key"} = ${record}.${key}`),
  );
  const itemRows = `${record} CROSS JOIN json_each(${record}.${list?.field}) AS item`;
  const accountsOfList = list === undefined ? [] : accountOf(itemRows, list.of, "id = item.value");
  // The stored row still names the account before the request, because fixed columns are not overwritten. An event with a
  // taken id is a bad line instead.
  const stored = `${record} JOIN ${tableName({ table })} AS stored ON stored.id = ${record}.id`;
  const storedAccount =
    type === "state" && owner?.to !== undefined && keyFields[0] === "id"
      ? accountOf(stored, owner.to, `key = stored.${owner.column}`)
      : [];
  return [...ownAccount, ...accountsOfReferences, ...accountsOfList, ...storedAccount].map((query) => sql.raw(query));
}

/** A query for the accounts of records of a kind; none if they belong to no account. */
function accountOf(from: string, { table, owner }: Referred, on: string): string[] {
  if (owner === undefined) return [];
  const records = `SELECT number, account.id FROM ${from} JOIN ${tableName({ table })} AS target ON target.${on}`;
  const accountOn = (key: string) => `JOIN ${tableName(account)} AS account ON account.key = ${key}`;
  const { to, column } = owner;
  if (namesAccount(owner)) return [`${records} ${accountOn(`target.${column}`)}`];
  // An issued coupon belongs to the account of its coupon.
  if (to === undefined || !namesAccount(to.owner)) return [];
  const owning = `JOIN ${tableName(to)} AS owning ON owning.key = target.${column}`;
  return [`${records} ${owning} ${accountOn(`owning.${to.owner.column}`)}`];
}
