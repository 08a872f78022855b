import { sql } from "drizzle-orm";
import { textOf } from "../../src/db/dialect.ts";
import type { Derived, KeyRange } from "./definition.ts";

/** A stored value that is not the expected value; null: nothing is stored, or expected. */
export interface Difference {
  what: string;
  stored: string | number | null;
  expected: string | number | null;
}

/** All keys, even those of rows whose record is gone. */
export const ALL_KEYS = rangeOfKeys(0, Number.MAX_SAFE_INTEGER);

/** The keys from one to another, both included. */
export function rangeOfKeys(from: number, to: number): KeyRange {
  return sql.raw(`BETWEEN ${from} AND ${to}`);
}

/** A query for the differences in a range of keys; each row is a `Difference`. */
export function findDifferences(derived: Derived, range: KeyRange): string {
  const names = derived.key.flatMap((column) => shownKey(column, derived) ?? []);
  return `
    SELECT ${names.join(" || ' ' || ")} AS what, ${shownValues(derived, "stored")} AS stored,
      ${shownValues(derived, "expected")} AS expected
    FROM (${selectDifferent(derived, range)}) AS different`;
}

/** Statements that repair a range of keys. Each computes and writes in one transaction, so the service may go on running. */
export function repair(derived: Derived, range: KeyRange): string[] {
  const { table, storedAs, absent, key, values = [] } = derived;
  const different = selectDifferent(derived, range);
  if (storedAs === "columns") {
    return [
      `UPDATE ${table} SET ${values.map((column) => `${column} = different.expected_${column}`).join(", ")}
       FROM (${different}) AS different
       WHERE ${key.map((column) => `${table}.${column} = different.${column}`).join(" AND ")}`,
    ];
  }
  if (storedAs === "search index") {
    return [
      `DELETE FROM ${table} WHERE rowid IN (SELECT key FROM (${different}))`,
      `INSERT INTO ${table} (rowid, words) SELECT key, words FROM expected_words
       WHERE search_index = '${table}' AND key ${textOf(range)} AND key IN (SELECT key FROM (${different}))`,
    ];
  }
  const columns = [...key, ...values].join(", ");
  const expected = [...key, ...values.map((column) => `expected_${column}`)].join(", ");
  const toValues = values.map((column) => `${column} = excluded.${column}`).join(", ");
  const onConflict = values.length > 0 ? `ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${toValues}` : "";
  const isLeftOver = absent === "a difference" ? "NOT is_expected" : "false";
  return [
    `DELETE FROM ${table} WHERE (${key.join(", ")}) IN (
       SELECT ${key.join(", ")} FROM (${different}) WHERE ${isLeftOver}
     )`,
    `INSERT INTO ${table} (${columns}) SELECT ${expected} FROM (${different}) WHERE NOT (${isLeftOver}) ${onConflict}`,
  ];
}

export function toText({ what, stored, expected }: Difference): string {
  return `${what}: stored ${stored ?? "nothing"}, expected ${expected ?? "nothing"}`;
}

/** A query for the rows that differ: the key, whether the row is stored and expected, and the values of both. */
function selectDifferent(derived: Derived, range: KeyRange): string {
  const { table, key, values = [], absent, stored, expected } = derived;
  const columns = [...key, ...values].join(", ");
  const storedRows = stored
    ? textOf(stored(range))
    : `SELECT ${columns} FROM ${table} WHERE ${key[0]} ${textOf(range)}`;
  const differences = [
    ...(absent === "a difference" ? ["is_stored <> is_expected"] : []),
    ...(values.length > 0
      ? [`(${values.map((column) => `stored_${column}`)}) IS NOT (${values.map((column) => `expected_${column}`)})`]
      : []),
  ];
  // Grouping sorts both sides by the key, once. A full join would be slow, because SQLite makes no index for it.
  return `
    SELECT * FROM (
      SELECT ${[...key, ...columnsOfSide("stored", derived), ...columnsOfSide("expected", derived)].join(", ")}
      FROM (
        SELECT 'stored' AS side, ${columns} FROM (${storedRows})
        UNION ALL
        SELECT 'expected', ${columns} FROM (${textOf(expected(range))})
      )
      GROUP BY ${key.join(", ")}
    )
    WHERE ${differences.join(" OR ")}`;
}

type Side = "stored" | "expected";

function columnsOfSide(side: Side, { values = [], absent }: Derived): string[] {
  const ofSide = `FILTER (WHERE side = '${side}')`;
  const otherwise = absent === undefined ? "0" : "NULL";
  const sideValues = values.map((column) => `coalesce(max(${column}) ${ofSide}, ${otherwise}) AS ${side}_${column}`);
  return [`count(*) ${ofSide} > 0 AS is_${side}`, ...sideValues];
}

/** The values of one side as a text, in parentheses if there are several. */
function shownValues({ values = [], absent }: Derived, side: Side): string {
  const columns = values.map((column) => `${side}_${column}`);
  const inParentheses = `'(' || ${columns.map((column) => `coalesce(${column}, 'nothing')`).join(" || ', ' || ")} || ')'`;
  const valuesText = columns.length > 1 ? inParentheses : columns[0];
  return absent === "a difference" ? `iif(is_${side}, ${valuesText ?? "'there'"}, NULL)` : (valuesText ?? "NULL");
}

const TABLE_OF_KEY: Readonly<Record<string, string>> = {
  account_key: "accounts",
  store_key: "stores",
  location_key: "stores",
  campaign_key: "campaigns",
  customer_key: "customers",
  ancestor_key: "customers",
  employee_key: "employees",
  eip_campaign_key: "eip_campaigns",
};
const TEXT_KEYS = ["id", "descendant_id", "group_id", "term", "word"];

/** How a difference shows a column of the key: the key of a record as its id; undefined: it does not show the column. */
function shownKey(column: string, { over }: Derived): string | undefined {
  const referenced = column === "key" ? over : TABLE_OF_KEY[column];
  if (!referenced) return TEXT_KEYS.find((name) => name === column);
  return `coalesce((SELECT id FROM ${referenced} AS record WHERE record.key = different.${column}), '(no longer stored)')`;
}
