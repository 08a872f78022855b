import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Selection } from "./query.ts";
import { identifiers, joinWithCommas, type SelectedRow, selectList } from "./select.ts";

/** A list that is read row by row. `fields`, `joins` and `shared` get the values of an entry from `entryValue`. */
interface Stepwise<F extends Selection> {
  /** Common table expressions that the list uses: `name AS (…), …`. */
  tables?: SQL;
  /** The list in its order. It is a query in parentheses, because SQLite would copy a common table expression into a table. */
  list: SQL;
  /** Columns of the list, for `entryValue`. */
  entry: SQL;
  /** How many entries become rows; left out: all. Later entries only count in `entries_left`. */
  limit?: SQLWrapper;
  /** No more rows follow once the rows have this many bytes. It is at least the limit of the answer. */
  bytes: number;
  /** Values that are looked up once. Each row has them as `step.name`. */
  constants?: Selection;
  fields: F;
  /** Joins the records of an entry: `CROSS JOIN …`. */
  joins: SQL;
  /** The fields that can be long. They are JSON, in which a control character takes six bytes, as in the answer. */
  long: readonly (keyof F & string)[];
  /** A record that several rows share. Only the first of them has its fields, but its bytes count for each row. */
  shared?: { key: SQLWrapper; bytes: SQL };
}

/** The value of a column of `entry`, by its index. */
export function entryValue(index: number): SQL {
  return sql`(step.entry ->> ${sql.raw(String(index))})`;
}

/** Whether no earlier row shares the record with this key. */
export function isFirst(key: SQLWrapper): SQL {
  return sql`instr(step.keys, ${keyText(key)}) = 0`;
}

/** How `step.keys` names a record. It has `k1:500,` for key 1 and 500 bytes. The `k` and the colon tell key 1 from key 11. */
function keyText(key: SQLWrapper): SQL {
  return sql`'k' || ${key} || ':'`;
}

/**
 * The rows of a list until they have `bytes`; `entries_left`: how many entries follow a row. Each row is made only after the
 * rows before it were counted, because a running sum over all rows would first hold all their texts in D1's memory. The
 * entries are one JSON text in the order of `list`: a table of entries would cost three more rows read for each.
 */
export function selectStepwise<F extends Selection>(read: Stepwise<F>): SQL<SelectedRow<F> & { entries_left: number }> {
  const { tables, list, entry, limit, bytes, constants = {}, fields, joins, long, shared } = read;
  const constantNames = Object.keys(constants);
  const names = Object.keys(fields);
  const longBytes = long.map((name) => sql`coalesce(octet_length(step.${sql.identifier(name)}), 0)`);
  const sentBytes = sql.join([sql`step.sent_bytes`, sql`step.shared_bytes`, ...longBytes], sql` + `);
  const withinLimit = limit === undefined ? sql`` : sql`AND step.number < ${limit}`;
  const columns = [...constantNames.map((name) => sql`step.${sql.identifier(name)}`), selectList(fields)];
  return sql<SelectedRow<F> & { entries_left: number }>`
    WITH RECURSIVE ${tables === undefined ? sql`` : sql`${tables},`}
    listed(entries) AS MATERIALIZED (SELECT json_group_array(json_array(${entry})) FROM ${list}),
    step(number, entries_left, entry, sent_bytes, shared_bytes, keys, ${identifiers([...constantNames, ...names])}) AS (
      SELECT 0, json_array_length(entries), entries -> 0, 0, 0, '',
        ${joinWithCommas([...Object.values(constants), ...names.map(() => sql`NULL`)])} FROM listed
      UNION ALL
      SELECT step.number + 1, step.entries_left - 1, (SELECT entries FROM listed) -> (step.number + 1), ${sentBytes},
        ${shared === undefined ? sql`0, ''` : addShared(shared)}, ${joinWithCommas(columns)}
      FROM step ${joins}
      WHERE step.entries_left > 0 AND ${sentBytes} < ${sql.raw(String(bytes))} ${withinLimit}
    )
    SELECT ${identifiers(names)}, entries_left FROM step WHERE number > 0`;
}

/** The columns `shared_bytes` and `keys`: the bytes of the shared record, unless this row has its fields; and its key. */
function addShared({ key, bytes }: NonNullable<Stepwise<Selection>["shared"]>): SQL {
  const entryStart = keyText(key);
  // A number of bytes has at most nine digits. If it has fewer, the CAST stops at the comma.
  const sharedBytes = sql`CAST(substr(step.keys, instr(step.keys, ${entryStart}) + length(${entryStart}), 9) AS INTEGER)`;
  return sql`iif(${isFirst(key)}, 0, ${sharedBytes}), step.keys || iif(${isFirst(key)}, ${entryStart} || ${bytes} || ',', '')`;
}
