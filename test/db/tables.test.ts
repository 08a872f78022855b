import { env } from "cloudflare:workers";
import { getTableColumns, getTableName, getViewName, getViewSelectedFields } from "drizzle-orm";
import { describe, it } from "vitest";
import * as tables from "../../src/db/tables.ts";
import * as views from "../../src/db/views.ts";

const SOURCES: Record<string, string> = import.meta.glob("../../src/**/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});

// Each feed request leaves these tables empty. Only statements that are written by hand use them.
const WITHOUT_DRIZZLE = ["fresh_events", "refusals"];

describe("the Drizzle tables", () => {
  it("are those of the migrated database", async ({ expect }) => {
    const { results } = await env.DB.prepare(
      `SELECT name FROM sqlite_schema
       WHERE sql GLOB 'CREATE TABLE *' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '*_words_*'
         AND name <> 'd1_migrations'`,
    ).all<{ name: string }>();

    expect(Object.values(tables).map(getTableName).sort()).toEqual(
      results
        .map(({ name }) => name)
        .filter((name) => !WITHOUT_DRIZZLE.includes(name))
        .sort(),
    );
  });

  it.for(Object.values(tables))("have the columns of the migrated database: table %#", async (table, { expect }) => {
    const { results } = await env.DB.prepare(`PRAGMA table_xinfo(${getTableName(table)})`).all<Column>();

    const declared = Object.values(getTableColumns(table)).map(
      ({ name, getSQLType, notNull, hasDefault, ...column }) => [
        name,
        getSQLType.call(column).toUpperCase(),
        hasDefault || notNull,
        hasDefault,
      ],
    );

    expect(declared.sort()).toEqual(results.map(toDeclared).sort());
  });
});

describe("the Drizzle views", () => {
  it.for(Object.values(views))("have the columns of the migrated database: view %#", async (view, { expect }) => {
    const { results } = await env.DB.prepare(`PRAGMA table_xinfo(${getViewName(view)})`).all<Column>();

    expect(Object.keys(getViewSelectedFields(view)).sort()).toEqual(results.map(({ name }) => name).sort());
  });
});

describe("SQL text", () => {
  it("names tables and views through Drizzle", ({ expect }) => {
    const names = [...Object.values(tables).map(getTableName), ...Object.values(views).map(getViewName)];
    const bareName = new RegExp(`\\b(FROM|JOIN|INTO|UPDATE) (${names.join("|")})\\b`, "g");
    const found = Object.entries(SOURCES)
      .filter(([path]) => !path.includes("/feed/records/"))
      .flatMap(([path, source]) => [...source.matchAll(bareName)].map(([text]) => `${path}: ${text}`));

    expect(Object.keys(SOURCES).length).toBeGreaterThan(100);
    expect(found).toEqual([]);
  });
});

interface Column {
  name: string;
  type: string;
  notnull: 0 | 1;
  dflt_value: string | null;
  pk: number;
  /** 2: a generated column. */
  hidden: number;
}

/** A column as Drizzle declares it: with a default if the database fills it itself, as it fills integer keys. */
function toDeclared({ name, type, notnull, dflt_value, pk, hidden }: Column) {
  const isFilled = dflt_value !== null || hidden === 2 || (pk === 1 && name === "key");
  return [name, type, isFilled || notnull === 1 || pk > 0, isFilled];
}
