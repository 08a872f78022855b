import type { Derived, KeyRange } from "./index.ts";

/** A stored value that is not as expected; null: nothing is stored, or expected. */
export interface Difference {
  what: string;
  stored: string | number | null;
  expected: string | number | null;
}

const SHOWN_CHARACTERS = 40;

/** Every key, even of a row whose record is gone. */
export const ALL_KEYS = rangeOfKeys(0, Number.MAX_SAFE_INTEGER);

/** The keys from one to another, both included. */
export function rangeOfKeys(from: number, to: number): KeyRange {
  return `BETWEEN ${from} AND ${to}`;
}

/** A query that finds each `Difference` among the records in a range. */
export function findDifferences(derived: Derived, range: KeyRange): string {
  const names = derived.key.flatMap((column) => shownKey(column, derived) ?? []);
  return `
    SELECT ${names.join(" || ' ' || ")} AS what, ${shown(derived, "stored")} AS stored,
      ${shown(derived, "expected")} AS expected
    FROM (${compare(derived, range)}) AS different`;
}

/** Statements that repair a range. Each computes and writes in one transaction, so the service may go on running. */
export function repair(derived: Derived, range: KeyRange): string[] {
  const { table, storedAs, absent, key, values } = derived;
  const differencesSql = compare(derived, range);
  if (storedAs === "columns") {
    return [
      `UPDATE ${table} SET ${values.map((one) => `${one} = different.expected_${one}`).join(", ")}
       FROM (${differencesSql}) AS different
       WHERE ${key.map((one) => `${table}.${one} = different.${one}`).join(" AND ")}`,
    ];
  }
  if (storedAs === "search index") {
    return [
      `DELETE FROM ${table} WHERE rowid IN (SELECT key FROM (${differencesSql}))`,
      `INSERT INTO ${table} (rowid, words) SELECT key, words FROM expected_words
       WHERE search_index = '${table}' AND key ${range} AND key IN (SELECT key FROM (${differencesSql}))`,
    ];
  }
  const columns = [...key, ...values].join(", ");
  const news = [...key, ...values.map((one) => `expected_${one}`)].join(", ");
  const toValues = values.map((one) => `${one} = excluded.${one}`).join(", ");
  const onConflict = values.length > 0 ? `ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${toValues}` : "";
  const isLeftOver = absent === "a difference" ? "NOT is_expected" : "false";
  return [
    `DELETE FROM ${table} WHERE (${key.join(", ")}) IN (
       SELECT ${key.join(", ")} FROM (${differencesSql}) WHERE ${isLeftOver}
     )`,
    `INSERT INTO ${table} (${columns}) SELECT ${news} FROM (${differencesSql}) WHERE NOT (${isLeftOver}) ${onConflict}`,
  ];
}

/** A difference in words. */
export function toText({ what, stored, expected }: Difference): string {
  return `${what}: stored ${stored ?? "nothing"}, expected ${expected ?? "nothing"}`;
}

/** The rows that differ: their key, whether they are stored and expected, and the values of both. */
function compare(derived: Derived, range: KeyRange): string {
  const { table, key, values, absent, stored } = derived;
  const columns = [...key, ...values].join(", ");
  const storedRows =
    typeof stored === "string" ? `SELECT ${columns} FROM ${table} WHERE ${stored} ${range}` : stored(range);
  const unlike = [
    ...(absent === "a difference" ? ["is_stored <> is_expected"] : []),
    ...(values.length > 0 ? [`(${prefixed("stored", values)}) IS NOT (${prefixed("expected", values)})`] : []),
  ];
  // One pass over both, sorted by the key: SQLite makes no index for a full join.
  return `
    SELECT * FROM (
      SELECT ${[...key, ...columnsOfSide("stored", derived), ...columnsOfSide("expected", derived)].join(", ")}
      FROM (
        SELECT 'stored' AS side, ${columns} FROM (${storedRows})
        UNION ALL
        SELECT 'expected', ${columns} FROM (${derived.expected(range)})
      )
      GROUP BY ${key.join(", ")}
    )
    WHERE ${unlike.join(" OR ")}`;
}

type Side = "stored" | "expected";

function prefixed(side: Side, values: readonly string[]): string {
  return values.map((one) => `${side}_${one}`).join(", ");
}

function columnsOfSide(side: Side, { values, absent }: Derived): string[] {
  const ofSide = `FILTER (WHERE side = '${side}')`;
  const value = (one: string) => (absent === "0" ? `coalesce(max(${one}) ${ofSide}, 0)` : `max(${one}) ${ofSide}`);
  return [`count(*) ${ofSide} > 0 AS is_${side}`, ...values.map((one) => `${value(one)} AS ${side}_${one}`)];
}

/** The values of one side, in parentheses if there are several; a long text is shown as its length. */
function shown({ values, absent }: Derived, side: Side): string {
  const short = values.map((one) => {
    const value = `${side}_${one}`;
    return `iif(length(${value}) > ${SHOWN_CHARACTERS}, length(${value}) || ' characters', ${value})`;
  });
  const several = `'(' || ${short.map((one) => `coalesce(${one}, 'nothing')`).join(" || ', ' || ")} || ')'`;
  const all = short.length > 1 ? several : short[0];
  return absent === "a difference" ? `iif(is_${side}, ${all ?? "'there'"}, NULL)` : (all ?? "NULL");
}

const RECORDS: Readonly<Record<string, string>> = {
  store_key: "stores",
  location_key: "stores",
  campaign_key: "campaigns",
  customer_key: "customers",
  ancestor_key: "customers",
  employee_key: "employees",
  eip_campaign_key: "eip_campaigns",
};
const SHOWN = ["descendant_id", "group_id", "term", "word"];

/** How a column of a key is shown in a difference, if it is: a record's key by its public id, unless the record is gone. */
function shownKey(column: string, { over }: Derived): string | undefined {
  const records = column === "key" ? over : RECORDS[column];
  if (!records) return SHOWN.find((one) => one === column);
  return `coalesce((SELECT id FROM ${records} AS record WHERE record.key = different.${column}), '(no longer stored)')`;
}
