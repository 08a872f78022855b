import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { compilePer, type Database, type Statement, type Value } from "../../db/database.ts";
import { limitTo } from "../../db/select.ts";
import { programState } from "../../db/tables.ts";
import { BODY_LIMIT } from "../../http/limits.ts";
import { tableName } from "../records/kind.ts";
import { isSmall, type KnownIds, type Reader, type Row } from "./fields.ts";
import { type Cursor, type ExportWalk, WALKS } from "./walks.ts";

/** What a page of an export is made of. */
export interface PageRows {
  version: number;
  rows: readonly Row[];
  /** Whether the walk may have more rows after these. */
  hasMore: boolean;
  /** Where the rows end that were looked at, if there are more: of an export about a customer. */
  examined: Cursor["after"];
  ids: KnownIds;
  /** The walks after this one that have rows. */
  later: readonly ExportWalk[];
}

/** The bytes of rows, by their sizes, of which a page is made at most, where a walk says these. */
const LOOKED_AT_BYTES = 2 * BODY_LIMIT.bytes;

/** The bytes of rows as D1 sends them, after which no more of them are sent. */
const SENT_BYTES = BODY_LIMIT.bytes;

/** Reads a page's rows, at most as many as fit into memory, in one round trip and one transaction. */
export async function findPage(
  db: Database,
  { walk, after, customer = "" }: Cursor,
  walks: readonly ExportWalk[],
): Promise<PageRows> {
  const later = walks.slice(walks.indexOf(walk) + 1);
  const afterValues = Object.fromEntries((after ?? []).map((value, index) => [`after_${index}`, value]));
  const [shape, values] = [
    { walk: walk.name, isFirst: after === undefined },
    { ...afterValues, customer },
  ];
  const [versions, rows = [], ends, withRows, ...ids] = await db.batch([
    sql`SELECT ${programState.version} FROM ${programState}`,
    ...(customer === ""
      ? [selectRows(shape, values), sql`SELECT 1 WHERE false`]
      : [selectRowsAbout(shape, values), selectExamined(shape, values)]),
    haveRows(later),
    ...selectIds(walk.reader),
  ]);
  return {
    version: Number(versions?.[0]?.version),
    rows,
    hasMore: hasMore(rows),
    examined: ends?.[0] && cursorOf(walk, ends[0]),
    ids: toIds(walk.reader, ids),
    later: later.filter((_, index) => withRows?.[0]?.[`walk_${index}`] === 1),
  };
}

export function cursorOf({ order }: ExportWalk, row: Row | undefined): (string | number)[] {
  if (row === undefined) throw new Error("A line alone is more than a page has room for.");
  return order.map((_, index) => row[`cursor_${index}`] as string | number);
}

/** Whether rows of `selectLines` may not be all. */
export function hasMore(rows: readonly Row[]): boolean {
  return rows.length > 0 && (rows.length === rows[0]?.most_lines || Number(rows.at(-1)?.sent) >= SENT_BYTES);
}

/** The ids that lines name of small tables. Of one that is not small, each row looks up what it names. */
export function selectIds({ smallTables }: Reader): Statement[] {
  return smallTables.map((target) => sql.raw(`SELECT key, id FROM ${tableName(target)} WHERE ${isSmall(target)}`));
}

export function toIds({ smallTables }: Reader, rows: readonly (readonly Row[])[]): KnownIds {
  const idsIn = (found: readonly Row[] = []) => new Map(found.map(({ key, id }) => [Number(key), String(id)]));
  return Object.fromEntries(smallTables.map((target, index) => [tableName(target), idsIn(rows[index])]));
}

// Three limits end a page. `selectMostLines` looks at sizes, which SQLite knows without reading the rows: `firstOf` reads
// all that it adds up. `firstOf` ends what D1 sends, which the Worker holds. `writeLines` ends the lines, which are longer
// than their rows, by what one feed request takes.
const selectRows = compilePer<Shape, string>((shape, value) => {
  const { walk, inOrder } = rowsAfter(shape, value);
  return sql`WITH page(most_lines) AS MATERIALIZED (${selectMostLines(walk, inOrder)}) ${selectLines(walk, inOrder, sql`(SELECT most_lines FROM page)`)}`;
});

interface Shape {
  walk: string;
  isFirst: boolean;
}

/** The rows of a walk after a cursor, in its order. */
function rowsAfter({ walk: name, isFirst }: Shape, value: Value<string>) {
  const walk = WALKS.find((one) => one.name === name);
  if (walk === undefined) throw new Error(`There is no walk ${name}.`);
  const columns = sql.raw(walk.order.map((column) => `${tableName(walk)}.${column}`).join(", "));
  const after = walk.order.map((_, index) => sql`${value(`after_${index}`)}`);
  const isAfter = isFirst ? sql`` : sql`AND (${columns}) > (${sql.join(after, sql`, `)})`;
  return { walk, inOrder: sql`WHERE ${sql.raw(walk.when ?? "true")} ${isAfter} ORDER BY ${columns}` };
}

/** How many rows a page about a customer looks at, because not every kind has an index by customer. */
const EXAMINED_ROWS = 20_000;

/** What a page about a customer looks at: of segments one, because each is an object to read. */
const examinedRows = ({ about }: ExportWalk) => (about === undefined ? 1 : EXAMINED_ROWS);

/** Of the next rows of a walk those about a customer. */
const selectRowsAbout = compilePer<Shape, string>((shape, value) => {
  const { walk, inOrder } = rowsAfter(shape, value);
  const table = tableName(walk);
  const customerKey = "(SELECT key FROM asked)";
  const isAbout = sql.raw(walk.about?.(customerKey) ?? "true");
  const order = sql.raw(walk.order.map((column) => `${table}.${column}`).join(", "));
  // Named like the table, whose columns the lines are made of.
  const from = sql`(SELECT * FROM ${sql.raw(table)} ${inOrder} LIMIT ${sql.raw(String(examinedRows(walk)))}) AS ${sql.raw(table)}`;
  return sql`WITH asked(key) AS (SELECT key FROM customers WHERE id = ${value("customer")})
    ${selectLines(walk, sql`WHERE ${isAbout} ORDER BY ${order}`, sql.raw(String(walk.mostLines)), from)}`;
});

/** Where these rows end, if they are as many as a page looks at. */
const selectExamined = compilePer<Shape, string>((shape, value) => {
  const { walk, inOrder } = rowsAfter(shape, value);
  const columns = walk.order.map((column, index) => `${tableName(walk)}.${column} AS cursor_${index}`);
  return sql`SELECT ${sql.raw(columns.join(", "))} FROM ${sql.raw(tableName(walk))} ${inOrder}
    LIMIT 1 OFFSET ${sql.raw(String(examinedRows(walk) - 1))}`;
});

/** The rows of lines: those of a `WHERE`, in its order, up to a limit, and of large ones no more than D1 should send. */
export function selectLines(walk: ExportWalk, inOrder: SQL, limit: SQL, from = sql.raw(tableName(walk))): SQL<Row> {
  const cursor = walk.order.map((column, index) => `${tableName(walk)}.${column} AS cursor_${index}`);
  const found = sql<Row>`
    SELECT ${sql.raw([...columnsOf(walk), ...cursor].join(", "))}, ${limit} AS most_lines
    FROM ${from} ${sql.raw(walk.join ?? "")} ${inOrder}
    LIMIT ${limit}`;
  return walk.large !== undefined ? firstOf(walk, found) : found;
}

/** What is selected of a row; of one that makes no line, nothing. */
function columnsOf({ reader, leftOut }: ExportWalk): string[] {
  const columns = Object.entries(reader.select);
  if (leftOut === undefined) return columns.map(([name, value]) => `${value} AS ${name}`);
  const given = columns.map(([name, value]) => `iif(${leftOut}, NULL, ${value}) AS ${name}`);
  return [`iif(${leftOut}, 1, 0) AS left_out`, ...given];
}

/** Of rows in the order of the walk the first, up to that with which they come to `SENT_BYTES`. */
function firstOf({ order, reader }: ExportWalk, found: SQL): SQL<Row> {
  const cursor = order.map((_, index) => `cursor_${index}`);
  // As JSON, because that is how they are sent: a control character takes six bytes.
  const size = Object.keys(reader.select).map((name) => `octet_length(json_quote(${name}))`);
  return sql<Row>`
    SELECT * FROM (
      SELECT *, sum(size) OVER (ORDER BY ${sql.raw(cursor.join(", "))} ROWS UNBOUNDED PRECEDING) AS sent
      FROM (SELECT *, ${sql.raw(size.join(" + "))} AS size FROM (${found}))
    ) WHERE sent - size < ${sql.raw(String(SENT_BYTES))}`;
}

/** The most lines of a page: where they differ much, as many as fit if each were as large as the largest of them. */
function selectMostLines(walk: ExportWalk, inOrder: SQL): SQL {
  const { mostLines, large, moreBytes = "0" } = walk;
  if (large !== "sizes") return sql.raw(`SELECT ${mostLines}`);
  const bytes = sql.raw([...octetsOf(walk), moreBytes].join(" + "));
  return sql`
    SELECT max(1, min(${sql.raw(String(mostLines))}, ${sql.raw(String(LOOKED_AT_BYTES))} / coalesce(max(bytes), 1)))
    FROM (SELECT ${bytes} AS bytes FROM ${sql.raw(tableName(walk))} ${inOrder} ${limitTo(mostLines)})`;
}

/** The bytes of the texts in a row, as expressions. SQLite knows them without reading the texts. */
function octetsOf({ table }: ExportWalk): string[] {
  const texts = Object.values(getTableColumns(table)).filter(
    ({ dataType, hasDefault }) => dataType === "string" && !hasDefault,
  );
  return texts.map(({ name }) => `coalesce(octet_length(${tableName({ table })}.${name}), 0)`);
}

/** Which of the walks have rows, so that no page leads to one that is empty. */
function haveRows(walks: readonly ExportWalk[]): Statement {
  if (walks.length === 0) return sql`SELECT 0 AS walk_0`;
  const columns = walks.map(
    (walk, index) => `EXISTS (SELECT 1 FROM ${tableName(walk)} WHERE ${walk.when ?? "true"}) AS walk_${index}`,
  );
  return sql.raw(`SELECT ${columns.join(", ")}`);
}
