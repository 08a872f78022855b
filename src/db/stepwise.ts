import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { ANSWER_BYTES } from "../values/answer-bytes.ts";
import { columnsOf, type Fields, type Row } from "./select.ts";

/** A list that is read row by row. `fields`, `joins` and `shared` name with `entryValue` the entry that their row is about. */
interface Stepwise<F extends Fields> {
  /** Common table expressions that the list uses: `name AS (…), …`. */
  tables?: SQL;
  /** The list in its order: a query in parentheses, not a common table expression, of which SQLite would make a table. */
  list: SQL;
  /** What `entryValue` gives, by index: columns of the list. */
  entry: SQL;
  /** How many of the entries become rows; left out, all. Those beyond only count in `following`. */
  limit?: SQLWrapper;
  /** No more rows come once those before have so many bytes: no fewer than the answer may have, which shows them. */
  bytes?: number;
  /** What is looked up once, and in every row is `step.name`. */
  constants?: Fields;
  fields: F;
  /** Joins what an entry names: `CROSS JOIN …`. */
  joins: SQL;
  /** The fields that can be long, all of them JSON: a control character takes six bytes in it, as in the answer. */
  long: readonly (keyof F & string)[];
  /** What rows share, so that only the first of them brings it. */
  shared?: readonly Shared[];
}

interface Shared {
  /** As of `keyOf`: `isFirst` says whether a row is the first with it. */
  key: SQL;
  /** The fewest bytes that it adds to each item; NULL in every row but the first, whose fields have them. */
  bytes: SQL;
}

export function entryValue(index: number): SQL {
  return sql`(step.entry ->> ${sql.raw(String(index))})`;
}

/** A key as `step.keys` has it: between signs that no key has, so that 1 is not found in 11. */
export function keyOf(key: SQL): SQL {
  return sql`'k' || ${key} || ':'`;
}

/** Whether no row before has this key. */
export function isFirst(key: SQL): SQL {
  return sql`instr(step.keys, ${key}) = 0`;
}

/**
 * The rows of a list until they come to 2 MiB, or `bytes`; each says how many entries follow it. A row is made only after
 * the rows before it were counted: a running sum over all rows would first hold all their texts in D1's memory. The entries
 * are one JSON text, because a table of them would be three more rows read for each.
 */
export function selectStepwise<F extends Fields>(read: Stepwise<F>): SQL<Row<F> & { following: number }> {
  const { tables, list, entry, limit, bytes = ANSWER_BYTES, constants = {}, fields, joins, long, shared = [] } = read;
  const steady = Object.keys(constants);
  const names = Object.keys(fields);
  const sent = sum([sql`step.sent`, sql`step.shared`, ...bytesOf(long)]);
  const withinLimit = limit === undefined ? sql`` : sql`AND step.number < ${limit}`;
  const columns = [...steady.map((name) => sql`step.${sql.identifier(name)}`), columnsOf(fields)];
  return sql<Row<F> & { following: number }>`
    WITH RECURSIVE ${tables === undefined ? sql`` : sql`${tables},`}
    listed(entries) AS MATERIALIZED (SELECT json_group_array(json_array(${entry})) FROM ${list}),
    step(number, following, entry, sent, shared, keys, ${identifiers([...steady, ...names])}) AS (
      SELECT 0, json_array_length(entries), entries -> 0, 0, 0, '',
        ${join([...Object.values(constants), ...names.map(() => sql`NULL`)])} FROM listed
      UNION ALL
      SELECT step.number + 1, step.following - 1, (SELECT entries FROM listed) -> (step.number + 1), ${sent},
        ${sum(shared.map(bytesOfFirst))}, ${sql.join([sql`step.keys`, ...shared.map(toEntry)], sql` || `)}, ${join(columns)}
      FROM step ${joins}
      WHERE step.following > 0 AND ${sent} < ${sql.raw(String(bytes))} ${withinLimit}
    )
    SELECT ${identifiers(names)}, following FROM step WHERE number > 0`;
}

function bytesOf(names: readonly string[]): SQL[] {
  return names.map((name) => sql`coalesce(octet_length(step.${sql.identifier(name)}), 0)`);
}

/** What the first row with the key has said. */
function bytesOfFirst({ key, bytes }: Shared): SQL {
  const behindKey = sql`substr(step.keys, instr(step.keys, ${key}) + length(${key}), 9)`;
  return sql`iif(${bytes} IS NULL, CAST(${behindKey} AS INTEGER), 0)`;
}

/** Of a row that is the first with its key, `key:bytes,`; of others nothing. */
function toEntry({ key, bytes }: Shared): SQL {
  return sql`coalesce(${key} || (${bytes}) || ',', '')`;
}

function sum(numbers: readonly SQL[]): SQL {
  return sql.join([sql`0`, ...numbers], sql` + `);
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
