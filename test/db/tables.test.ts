import { env } from "cloudflare:workers";
import { getViewName, getViewSelectedFields, is } from "drizzle-orm";
import { getTableConfig, SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, it } from "vitest";
import { KINDS } from "../../src/records/index.ts";
import * as views from "../../src/records/views.ts";

const SOURCES: Record<string, string> = import.meta.glob("../../src/**/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});

const MODULES = import.meta.glob<Record<string, unknown>>("../../src/{db,records}/**/*.ts", { eager: true });
const exported = Object.values(MODULES).flatMap((module) => Object.values(module));
const tables = [...KINDS.map(({ table }) => table), ...exported].filter((value) => is(value, SQLiteTable));
const TABLES = [...new Set(tables)].map(getTableConfig);

// A column of the table itself reads it, before the file has made the table.
const NAMED_IN_SQL = [
  "../../src/db/columns.ts: FROM program_state",
  "../../src/records/program.ts: FROM program_state",
];

// Each feed request leaves these tables empty. Only statements that are written by hand use them.
const WITHOUT_DRIZZLE = ["fresh_events", "refusals"];

const rowsOf = async <Row>(query: string) => (await env.DB.prepare(query).all<Row>()).results;

describe("the Drizzle tables", () => {
  it("are those of the migrated database", async ({ expect }) => {
    const stored = await rowsOf<{ name: string }>(
      `SELECT name FROM sqlite_schema
       WHERE sql GLOB 'CREATE TABLE *' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '*_words_*'
         AND name <> 'd1_migrations'`,
    );

    expect([...TABLES.map(({ name }) => name), ...WITHOUT_DRIZZLE].sort()).toEqual(
      stored.map(({ name }) => name).sort(),
    );
  });

  it.for(TABLES)("have the columns of the migrated database: $name", async ({ name, columns }, { expect }) => {
    const stored = await rowsOf<StoredColumn>(`PRAGMA table_xinfo(${name})`);

    const declared = columns.map(({ getSQLType, notNull, default: value, ...column }) => [
      column.name,
      getSQLType.call(column).toUpperCase(),
      notNull,
      value ?? null,
    ]);

    // A primary key is never NULL: SQLite fills an integer key, and the other tables with a key have no rowid.
    const inDatabase = stored.map((column) => [
      column.name,
      column.type,
      column.notnull === 1 || column.pk > 0,
      column.dflt_value === null ? null : JSON.parse(column.dflt_value.replaceAll("'", '"')),
    ]);
    expect(declared.sort()).toEqual(inDatabase.sort());
  });

  it.for(TABLES)(
    "have the keys of the migrated database: $name",
    async ({ name, columns, primaryKeys }, { expect }) => {
      const stored = await rowsOf<StoredColumn>(`PRAGMA table_xinfo(${name})`);
      const unique = await rowsOf<{ name: string }>(
        `SELECT info.name FROM pragma_index_list('${name}') AS list JOIN pragma_index_info(list.name) AS info
       WHERE list.origin = 'u'`,
      );

      const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
      expect(names(key)).toEqual(names(stored.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)));
      expect(names(columns.filter(({ isUnique }) => isUnique))).toEqual(names(unique));
    },
  );

  it.for(TABLES)("refer to the tables of the migrated database: $name", async ({ name, foreignKeys }, { expect }) => {
    const stored = await rowsOf<StoredReference>(`SELECT * FROM pragma_foreign_key_list('${name}') ORDER BY id, seq`);

    const declared = foreignKeys.map((foreignKey) => {
      const { columns, foreignTable, foreignColumns } = foreignKey.reference();
      return { table: getTableConfig(foreignTable).name, from: names(columns), to: names(foreignColumns) };
    });

    const inDatabase = [...Map.groupBy(stored, ({ id }) => id).values()].map((parts) => ({
      table: parts[0]?.table,
      from: parts.map(({ from }) => from),
      to: parts.map(({ to }) => to),
    }));
    expect(sorted(declared)).toEqual(sorted(inDatabase));
  });
});

describe("the Drizzle views", () => {
  it.for(Object.values(views))("have columns of the migrated database: view %#", async (view, { expect }) => {
    const stored = await rowsOf<StoredColumn>(`PRAGMA table_xinfo(${getViewName(view)})`);
    const declared = Object.values(getViewSelectedFields(view)).filter((column) => is(column, SQLiteColumn));

    const missing = declared.filter(({ name }) => !stored.some((column) => column.name === name));

    expect(names(missing)).toEqual([]);
    expect(declared.length).toBeGreaterThan(1);
  });

  it.for(Object.values(views))("have columns like those of their tables: view %#", (view, { expect }) => {
    const tableName = getViewName(view).replace(/^(visible|running)_/, "");
    const ofTable = TABLES.find(({ name }) => name === tableName)?.columns ?? [];
    const described = (column: SQLiteColumn) => [column.name, column.getSQLType(), column.notNull];

    const declared = Object.values(getViewSelectedFields(view)).filter((column) => is(column, SQLiteColumn));

    const alike = declared.map((column) => ofTable.find(({ name }) => name === column.name) ?? column);
    expect(declared.map(described)).toEqual(alike.map(described));
  });
});

describe("SQL text", () => {
  it("names tables and views through Drizzle", ({ expect }) => {
    const all = [...TABLES.map(({ name }) => name), ...Object.values(views).map(getViewName)];
    const bareName = new RegExp(`\\b(FROM|JOIN|INTO|UPDATE) (${all.join("|")})\\b`, "g");
    const found = Object.entries(SOURCES).flatMap(([path, source]) =>
      [...source.matchAll(bareName)].map(([text]) => `${path}: ${text}`),
    );

    expect(Object.keys(SOURCES).length).toBeGreaterThan(100);
    expect(found).toEqual(NAMED_IN_SQL);
  });
});

interface StoredColumn {
  name: string;
  type: string;
  notnull: 0 | 1;
  dflt_value: string | null;
  pk: number;
}

interface StoredReference {
  id: number;
  table: string;
  from: string;
  to: string;
}

const names = (columns: readonly { name: string }[]) => columns.map(({ name }) => name);
const sorted = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).sort();
