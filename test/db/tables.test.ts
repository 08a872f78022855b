import { is, SQL } from "drizzle-orm";
import { getTableConfig, SQLiteAsyncDialect, SQLiteColumn, SQLiteInteger, SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, it } from "vitest";
import type { Column, Index, Reference, Table } from "../../scripts/lib/schema-facts.ts";
import * as tables from "../../src/db/tables/index.ts";
import { migratedSchema } from "../support/schema.ts";

type Config = ReturnType<typeof getTableConfig>;

// No statement goes through Drizzle: the feed and triggers write them by hand, and a feed leaves them empty.
const WITHOUT_DRIZZLE = ["fresh_events", "refusals"];

const declared = Object.values(tables)
  .filter((table) => is(table, SQLiteTable))
  .map((table) => getTableConfig(table));

describe("the Drizzle tables", () => {
  it("are all tables of the migrated database and no other", async ({ expect }) => {
    const migrated = (await migratedSchema()).tables.map(({ name }) => name);

    expect([...declared.map(({ name }) => name), ...WITHOUT_DRIZZLE].sort()).toEqual(migrated);
  });

  it.for(declared)("say of $name what the migrations do", async (config, { expect }) => {
    const migrated = (await migratedSchema()).tables.find(({ name }) => name === config.name);

    expect(declaration(config)).toEqual(migrated === undefined ? undefined : withoutWhatDrizzleCannotSay(migrated));
  });
});

// What Drizzle cannot say follows rules, so that a reader of its tables knows it all the same.
describe("the migrated tables", () => {
  it("are without a rowid where the key is text or several columns", async ({ expect }) => {
    for (const { name, columns, withoutRowid } of (await migratedSchema()).tables) {
      const keys = columns.filter(({ keyPosition }) => keyPosition > 0);
      const hasTextOrPair = keys.length > 1 || keys.some(({ type }) => type !== "INTEGER");
      expect(withoutRowid, name).toBe(hasTextOrPair);
    }
  });

  it("check every reference when the transaction ends", async ({ expect }) => {
    for (const { name, references, sql } of (await migratedSchema()).tables) {
      const deferred = sql.match(/\bREFERENCES \w+ \([\w, ]+\) DEFERRABLE INITIALLY DEFERRED\b/g) ?? [];
      expect(deferred, name).toHaveLength(references.length);
    }
  });

  it("sort every key upwards but that of the newest messages", async ({ expect }) => {
    const downwards = (await migratedSchema()).tables.flatMap(({ name, descendingKey }) =>
      descendingKey.map((column) => `${name}.${column}`),
    );

    expect(downwards).toEqual(["message_group_news.newest_at"]);
  });

  it("use no other feature that neither Drizzle nor a rule here covers", async ({ expect }) => {
    for (const { name, sql } of (await migratedSchema()).tables)
      expect(sql, name).not.toMatch(/\b(COLLATE|STRICT|MATCH|ON CONFLICT)\b/);
  });
});

type Comparable = Omit<Table, "sql" | "withoutRowid" | "descendingKey">;

function withoutWhatDrizzleCannotSay({ sql: _, withoutRowid: __, descendingKey: ___, ...rest }: Table): Comparable {
  return rest;
}

/** What a Drizzle table says, in the words in which the database says it. */
function declaration(config: Config): Comparable {
  return {
    name: config.name,
    columns: config.columns.map((column) => columnOf(column, config)),
    indexes: config.indexes.map(indexOf).sort((one, other) => (one.name < other.name ? -1 : 1)),
    unique: [
      ...config.columns.filter(({ isUnique }) => isUnique).map(({ name }) => [name]),
      ...config.uniqueConstraints.map(({ columns }) => columns.map(({ name }) => name)),
    ].sort(),
    references: config.foreignKeys
      .map(referenceOf)
      .sort((one, other) => (String(one.columns) < String(other.columns) ? -1 : 1)),
    checks: config.checks.map(({ value }) => textOf(value)),
    autoIncrement: config.columns.some((column) => is(column, SQLiteInteger) && column.autoIncrement),
  };
}

function columnOf(column: SQLiteColumn, { primaryKeys }: Config): Column {
  const together = primaryKeys.flatMap(({ columns }) => columns.map(({ name }) => name));
  const generated = column.generated === undefined ? null : textOf(column.generated.as);
  return {
    name: column.name,
    type: column.getSQLType().toUpperCase(),
    notNull: column.notNull || column.primary,
    default: column.default === undefined ? null : textOf(column.default),
    keyPosition: column.primary ? 1 : together.indexOf(column.name) + 1,
    generated,
    stored: generated !== null && column.generated?.mode === "stored",
  };
}

function indexOf({ config: { name, columns, unique, where } }: Config["indexes"][number]): Index {
  return {
    name,
    columns: columns.map((column) => ({
      name: is(column, SQLiteColumn) ? column.name : textOf(column),
      descending: false,
    })),
    unique,
    where: where === undefined ? null : textOf(where),
  };
}

function referenceOf(foreignKey: Config["foreignKeys"][number]): Reference {
  const { columns, foreignColumns, foreignTable } = foreignKey.reference();
  return {
    columns: columns.map(({ name }) => name),
    table: getTableConfig(foreignTable).name,
    foreignColumns: foreignColumns.map(({ name }) => name),
    onUpdate: foreignKey.onUpdate?.toUpperCase() ?? "NO ACTION",
    onDelete: foreignKey.onDelete?.toUpperCase() ?? "NO ACTION",
  };
}

/** A default or an expression as the migrations write it. */
function textOf(value: unknown): string {
  if (typeof value === "function") return textOf(value());
  if (is(value, SQL)) return new SQLiteAsyncDialect().sqlToQuery(value).sql.replace(/\s+/g, " ").trim();
  return typeof value === "string" ? `'${value}'` : String(value);
}
