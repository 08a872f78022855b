import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type Fields, type Row, selectList } from "./select.ts";

/** A list that is read row by row. `fields`, `joins` and `shared` name their row's entry with `entryValue`. */
interface Stepwise<F extends Fields> {
  /** Common table expressions that the list uses: `name AS (…), …`. */
  tables?: SQL;
  /** The list in its order: a query in parentheses. SQLite would make a table of a common table expression. */
  list: SQL;
  /** Columns of the list: the values that `entryValue` gives, by index. */
  entry: SQL;
  /** How many of the entries become rows; left out: all. Entries beyond only count in `following`. */
  limit?: SQLWrapper;
  /** No more rows come once the rows before have this many bytes: at least as many as their answer may have. */
  bytes: number;
  /** Values that are looked up once: `step.name` in every row. */
  constants?: Fields;
  fields: F;
  /** Joins the records of an entry: `CROSS JOIN …`. */
  joins: SQL;
  /** The fields that can be long, all of them JSON: a control character takes six bytes in it, as in the answer. */
  long: readonly (keyof F & string)[];
  /** A record that rows share, by its key. Its fields come with the first row only; each item shows its bytes. */
  shared?: { key: SQLWrapper; bytes: SQL };
}

export function entryValue(index: number): SQL {
  return sql`(step.entry ->> ${sql.raw(String(index))})`;
}

/** Whether no row before shares the record with this key. */
export function isFirst(key: SQLWrapper): SQL {
  return sql`instr(step.keys, ${keyText(key)}) = 0`;
}

/** A key in `step.keys`, which has `k1:bytes,` for each record: between signs, so that 1 is not found in 11. */
function keyText(key: SQLWrapper): SQL {
  return sql`'k' || ${key} || ':'`;
}

/**
 * The rows of a list until they come to `bytes`; each says how many entries follow it. A row is made only after the rows
 * before it were counted: a running sum over all rows would first hold all their texts in D1's memory. The entries are one
 * JSON text, in the order of `list`, which `json_group_array` keeps; a table of them would be three more rows read for each.
 */
export function selectStepwise<F extends Fields>(read: Stepwise<F>): SQL<Row<F> & { following: number }> {
  const { tables, list, entry, limit, bytes, constants = {}, fields, joins, long, shared } = read;
  const constantNames = Object.keys(constants);
  const names = Object.keys(fields);
  const sentBytes = sql.join([sql`step.sent_bytes`, sql`step.shared_bytes`, ...bytesOf(long)], sql` + `);
  const withinLimit = limit === undefined ? sql`` : sql`AND step.number < ${limit}`;
  const columns = [...constantNames.map((name) => sql`step.${sql.identifier(name)}`), selectList(fields)];
  return sql<Row<F> & { following: number }>`
    WITH RECURSIVE ${tables === undefined ? sql`` : sql`${tables},`}
    listed(entries) AS MATERIALIZED (SELECT json_group_array(json_array(${entry})) FROM ${list}),
    step(number, following, entry, sent_bytes, shared_bytes, keys, ${identifiers([...constantNames, ...names])}) AS (
      SELECT 0, json_array_length(entries), entries -> 0, 0, 0, '',
        ${join([...Object.values(constants), ...names.map(() => sql`NULL`)])} FROM listed
      UNION ALL
      SELECT step.number + 1, step.following - 1, (SELECT entries FROM listed) -> (step.number + 1), ${sentBytes},
        ${shared === undefined ? sql`0, ''` : addShared(shared)}, ${join(columns)}
      FROM step ${joins}
      WHERE step.following > 0 AND ${sentBytes} < ${sql.raw(String(bytes))} ${withinLimit}
    )
    SELECT ${identifiers(names)}, following FROM step WHERE number > 0`;
}

function bytesOf(names: readonly string[]): SQL[] {
  return names.map((name) => sql`coalesce(octet_length(step.${sql.identifier(name)}), 0)`);
}

/** The bytes of the shared record, unless this row has its fields; and the keys with this one. */
function addShared({ key, bytes }: NonNullable<Stepwise<Fields>["shared"]>): SQL {
  const text = keyText(key);
  const known = sql`CAST(substr(step.keys, instr(step.keys, ${text}) + length(${text}), 9) AS INTEGER)`;
  return sql`iif(${isFirst(key)}, 0, ${known}), step.keys || iif(${isFirst(key)}, ${text} || ${bytes} || ',', '')`;
}

function identifiers(names: readonly string[]): SQL {
  return join(names.map((name) => sql`${sql.identifier(name)}`));
}

function join(parts: readonly SQLWrapper[]): SQL {
  return sql.join([...parts], sql`, `);
}

/** Whether the list goes on after these rows. */
export function hasMoreAfter(rows: readonly { following: number }[]): boolean {
  return (rows.at(-1)?.following ?? 0) > 0;
}
