/** Asks a migrated database, D1 or node:sqlite, and answers its rows by name. */
export type Ask = <Row>(query: string) => Promise<Row[]>;

export interface Column {
  name: string;
  type: string;
  notNull: boolean;
  default: string | null;
  /** From 1 in the order of the primary key; 0 outside it. */
  keyPosition: number;
  /** The expression of a generated column. */
  generated: string | null;
  /** Whether the expression is worked out when the row is written, not when it is read. */
  stored: boolean;
}

export interface Index {
  name: string;
  columns: { name: string; descending: boolean }[];
  unique: boolean;
  where: string | null;
}

export interface Reference {
  columns: string[];
  table: string;
  foreignColumns: string[];
  onUpdate: string;
  onDelete: string;
}

export interface Table {
  name: string;
  sql: string;
  columns: Column[];
  /** Without those that SQLite makes for keys. */
  indexes: Index[];
  /** The columns of each UNIQUE constraint. */
  unique: string[][];
  references: Reference[];
  checks: string[];
  autoIncrement: boolean;
  withoutRowid: boolean;
  /** The columns of the primary key that are sorted in descending order. */
  descendingKey: string[];
}

export interface VirtualTable {
  name: string;
  module: string;
}

export interface View {
  name: string;
  /** The tables and views that it reads. */
  reads: string[];
}

export interface Trigger {
  name: string;
  table: string;
  /** When it fires, such as `after an update`. */
  fires: string;
  /** The columns whose update it waits for; none: all. */
  of: string[];
  /** The tables that its statements write. */
  writes: string[];
}

export interface Schema {
  tables: Table[];
  virtualTables: VirtualTable[];
  views: View[];
  triggers: Trigger[];
}

// What SQLite, D1 and wrangler keep for themselves.
const OURS = String.raw`name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE '\_cf\_%' ESCAPE '\' AND name <> 'd1_migrations'`;
const TABLES = `(SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND ${OURS})`;

/** What a migrated database says of itself. Everything is sorted by name; expressions are without comments, on one line. */
export async function readSchema(ask: Ask): Promise<Schema> {
  const objects = await ask<{ type: string; name: string; table: string; sql: string }>(
    `SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema WHERE sql IS NOT NULL AND ${OURS} ORDER BY name`,
  );
  const ofType = (type: string) => objects.filter((object) => object.type === type);
  const virtualTables = ofType("table").flatMap(({ name, sql }) => {
    const module = /^CREATE VIRTUAL TABLE \w+ USING (\w+)/.exec(sql)?.[1];
    return module === undefined ? [] : [{ name, module }];
  });
  return {
    tables: await readTables(ask, new Map(objects.map(({ name, sql }) => [name, onOneLine(sql)]))),
    virtualTables,
    views: ofType("view").map(({ name, sql }) => ({
      name,
      reads: named(onOneLine(sql), /\b(?:FROM|JOIN) (?!json_each\b)(\w+)/g),
    })),
    triggers: ofType("trigger").map(({ name, table, sql }) => readTrigger(name, table, onOneLine(sql))),
  };
}

async function readTables(ask: Ask, statements: ReadonlyMap<string, string>): Promise<Table[]> {
  const tables = await ask<{ name: string; wr: number }>(
    `SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND name IN ${TABLES} ORDER BY name`,
  );
  const columns = await ask<ColumnRow>(
    `SELECT tables.name AS "table", made.* FROM ${TABLES} AS tables JOIN pragma_table_xinfo(tables.name) AS made
    ORDER BY tables.name, made.cid`,
  );
  const indexes = await ask<IndexRow>(
    `SELECT tables.name AS "table", made.*, parts.name AS "column", parts."desc"
    FROM ${TABLES} AS tables
    JOIN pragma_index_list(tables.name) AS made
    JOIN pragma_index_xinfo(made.name) AS parts ON parts.key = 1
    ORDER BY tables.name, made.name, parts.seqno`,
  );
  const references = await ask<ReferenceRow>(
    `SELECT tables.name AS "of", made.* FROM ${TABLES} AS tables JOIN pragma_foreign_key_list(tables.name) AS made
    ORDER BY tables.name, made.id, made.seq`,
  );
  return tables.map(({ name, wr }) => {
    const sql = statements.get(name) ?? "";
    const own = indexes.filter(({ table }) => table === name);
    return {
      name,
      sql,
      columns: readColumns(
        columns.filter(({ table }) => table === name),
        sql,
      ),
      indexes: grouped(own.filter(({ origin }) => origin === "c")).map((parts) => ({
        ...readIndex(parts),
        where: / WHERE (.*)$/.exec(statements.get(parts[0].name) ?? "")?.[1] ?? null,
      })),
      unique: grouped(own.filter(({ origin }) => origin === "u"))
        .map((parts) => parts.map(({ column }) => column))
        .sort(),
      references: readReferences(references.filter(({ of }) => of === name)),
      checks: allInBrackets(sql, /\bCHECK \(/g),
      autoIncrement: /\bAUTOINCREMENT\b/.test(sql),
      withoutRowid: wr === 1,
      descendingKey: own.filter(({ origin, desc }) => origin === "pk" && desc === 1).map(({ column }) => column),
    };
  });
}

interface ColumnRow {
  table: string;
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
  pk: number;
  hidden: number;
}

function readColumns(rows: readonly ColumnRow[], sql: string): Column[] {
  const keys = rows.filter(({ pk }) => pk > 0);
  return rows.map(({ name, type, notnull, dflt_value, pk, hidden }) => ({
    name,
    type,
    // SQLite does not say so of an INTEGER PRIMARY KEY, which is the rowid and never NULL.
    notNull: notnull === 1 || (pk === 1 && keys.length === 1 && type === "INTEGER"),
    default: dflt_value,
    keyPosition: pk,
    generated: allInBrackets(sql, new RegExp(`[(,] ${name} \\w+ GENERATED ALWAYS AS \\(`, "g"))[0] ?? null,
    stored: hidden === 3,
  }));
}

interface IndexRow {
  table: string;
  name: string;
  unique: number;
  /** c: by CREATE INDEX, u: by UNIQUE, pk: by PRIMARY KEY. */
  origin: string;
  column: string;
  desc: number;
}

type Parts = readonly [IndexRow, ...IndexRow[]];

function grouped(rows: readonly IndexRow[]): Parts[] {
  return [...Map.groupBy(rows, ({ name }) => name).values()].flatMap(([first, ...rest]) =>
    first === undefined ? [] : [[first, ...rest] as const],
  );
}

function readIndex(parts: Parts): Omit<Index, "where"> {
  return {
    name: parts[0].name,
    columns: parts.map(({ column, desc }) => ({ name: column, descending: desc === 1 })),
    unique: parts[0].unique === 1,
  };
}

interface ReferenceRow {
  of: string;
  id: number;
  table: string;
  from: string;
  to: string;
  on_update: string;
  on_delete: string;
}

function readReferences(rows: readonly ReferenceRow[]): Reference[] {
  return [...Map.groupBy(rows, ({ id }) => id).values()]
    .map((parts) => ({
      columns: parts.map(({ from }) => from),
      table: parts[0]?.table ?? "",
      foreignColumns: parts.map(({ to }) => to),
      onUpdate: parts[0]?.on_update ?? "",
      onDelete: parts[0]?.on_delete ?? "",
    }))
    .sort((one, other) => (String(one.columns) < String(other.columns) ? -1 : 1));
}

function readTrigger(name: string, table: string, sql: string): Trigger {
  const [, time = "", event = "", columns = ""] =
    /^CREATE TRIGGER \w+ (BEFORE|AFTER) (INSERT|UPDATE|DELETE)(?: OF ([\w, ]+?))? ON \w+ /.exec(sql) ?? [];
  const article = event === "DELETE" ? "a" : "an";
  return {
    name,
    table,
    fires: `${time.toLowerCase()} ${article} ${event.toLowerCase()}`,
    of: columns === "" ? [] : columns.split(", "),
    writes: named(sql.slice(sql.indexOf(" BEGIN ")), /\b(?:INSERT INTO|DELETE FROM|UPDATE(?! SET)) (\w+)/g),
  };
}

function onOneLine(sql: string): string {
  return sql.replace(/--.*$/gm, "").replace(/\s+/g, " ").trim();
}

function named(sql: string, pattern: RegExp): string[] {
  return [...new Set([...sql.matchAll(pattern)].map(([, name = ""]) => name))].sort();
}

/** What stands in the brackets that each match of the pattern opens. */
function allInBrackets(sql: string, pattern: RegExp): string[] {
  return [...sql.matchAll(pattern)].map((match) => {
    const from = match.index + match[0].length;
    let depth = 1;
    let to = from;
    for (; depth > 0 && to < sql.length; to += 1) {
      if (sql[to] === "(") depth += 1;
      if (sql[to] === ")") depth -= 1;
    }
    return sql.slice(from, to - 1);
  });
}
