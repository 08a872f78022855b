import { env } from "cloudflare:workers";
import { is, SQL } from "drizzle-orm";
import {
  type ForeignKey,
  getTableConfig,
  SQLiteAsyncDialect,
  SQLiteColumn,
  SQLiteTable,
} from "drizzle-orm/sqlite-core";
import { describe, it } from "vitest";
import { SCHEMA_QUERY } from "../../scripts/lib/schema-dump.ts";
import * as tables from "../../src/db/tables/index.ts";

type Config = ReturnType<typeof getTableConfig>;

// No statement goes through Drizzle: the feed and triggers write them by hand, and a feed leaves them empty.
const WITHOUT_DRIZZLE = /^CREATE TABLE (fresh_events|refusals) /;

describe("the Drizzle tables", () => {
  it("are the tables and indexes of the migrated database and no others", async ({ expect }) => {
    const { results } = await env.DB.prepare(SCHEMA_QUERY).all<{ sql: string }>();
    const migrated = results
      .map(({ sql }) => onOneLine(sql))
      .filter((sql) => /^CREATE (TABLE|(UNIQUE )?INDEX)/.test(sql));

    const declared = Object.values(tables)
      .filter((table) => is(table, SQLiteTable))
      .map(getTableConfig);

    expect(declared.flatMap((config) => [createTable(config), ...config.indexes.map(createIndex)]).sort()).toEqual(
      migrated.filter((sql) => !WITHOUT_DRIZZLE.test(sql)).sort(),
    );
  });
});

function onOneLine(sql: string): string {
  return sql
    .replace(/--.*$/gm, "")
    .replace(/\s+/g, " ")
    .replace(/(?<=\() | (?=\))/g, "");
}

// Drizzle cannot say that a key is sorted downwards.
const NEWEST_FIRST = "customer_key, newest_at DESC, group_id";

/** A table as the migrations write it. A key of text or of several columns is what its rows are stored by. */
function createTable({ name, columns, primaryKeys, foreignKeys, checks }: Config): string {
  const references = new Map(foreignKeys.map((key) => [namesOf(key.reference().columns), key]));
  const keys = primaryKeys.map((key) => namesOf(key.columns));
  const parts = [
    ...columns.map((column) => createColumn(column, references.get(column.name))),
    ...keys.map((key) => `PRIMARY KEY (${key === NEWEST_FIRST.replace(" DESC", "") ? NEWEST_FIRST : key})`),
    ...[...references]
      .filter(([names]) => names.includes(", "))
      .map(([names, key]) => `FOREIGN KEY (${names}) ${target(key)}`),
    ...checks.map((check) => `CONSTRAINT ${check.name} CHECK (${textOf(check.value)})`),
  ];
  const hasTextKey = columns.some((column) => column.primary && column.getSQLType() === "text");
  return `CREATE TABLE ${name} (${parts.join(", ")})${keys.length > 0 || hasTextKey ? " WITHOUT ROWID" : ""}`;
}

function namesOf(columns: readonly { name: string }[]): string {
  return columns.map(({ name }) => name).join(", ");
}

function createColumn(column: SQLiteColumn, reference: ForeignKey | undefined): string {
  return [
    column.name,
    column.getSQLType().toUpperCase(),
    ...(column.primary ? ["PRIMARY KEY"] : column.notNull ? ["NOT NULL"] : []),
    ...(column.isUnique ? ["UNIQUE"] : []),
    ...(column.default === undefined ? [] : [`DEFAULT ${textOf(column.default)}`]),
    ...(reference === undefined ? [] : [target(reference)]),
    ...(column.generated === undefined ? [] : [`GENERATED ALWAYS AS (${textOf(column.generated.as)}) VIRTUAL`]),
  ].join(" ");
}

/** References are checked when the transaction ends, because the lines of a feed come in any order. */
function target(key: ForeignKey): string {
  const { foreignTable, foreignColumns } = key.reference();
  return `REFERENCES ${getTableConfig(foreignTable).name} (${namesOf(foreignColumns)}) DEFERRABLE INITIALLY DEFERRED`;
}

function createIndex({ config: { name, table, columns, unique, where } }: Config["indexes"][number]): string {
  const on = columns.map((column) => (is(column, SQLiteColumn) ? column.name : textOf(column))).join(", ");
  const only = where === undefined ? "" : ` WHERE ${textOf(where)}`;
  return `CREATE ${unique ? "UNIQUE " : ""}INDEX ${name} ON ${getTableConfig(table).name} (${on})${only}`;
}

function textOf(value: unknown): string {
  if (typeof value === "function") return textOf(value());
  if (is(value, SQL)) return new SQLiteAsyncDialect().sqlToQuery(value).sql.replace(/\s+/g, " ").trim();
  return typeof value === "string" ? `'${value}'` : String(value);
}
