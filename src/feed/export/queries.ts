import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Database } from "../../db/database.ts";
import { joinWithCommas, select } from "../../db/select.ts";
import { programState } from "../../db/tables.ts";
import { BODY_LIMIT, LINE_LIMIT } from "../../http/limits.ts";
import { historySegment } from "../records/history-segment.ts";
import { tableName } from "../records/kind.ts";
import type { Row } from "./fields.ts";
import type { ExportCursor, ExportScan } from "./scans.ts";

// Three limits end a page. `selectMostLines` limits the rows by the sizes of their texts, which SQLite knows without reading
// the texts. `limitSent` limits the bytes that D1 sends, because the Worker holds them: it reads the texts. `writeLines`
// limits the lines, which are longer than their rows, by the size of a feed request.

/** The limit of `selectMostLines`: the bytes of texts in the rows of a page. */
const TEXT_BYTES = sql.raw(String(2 * BODY_LIMIT.bytes));
/** The limit of `limitSent`. */
export const SENT_BYTES = BODY_LIMIT.bytes;

const LINE_LIMIT_SQL = sql.raw(String(LINE_LIMIT));

/** How many rows a page about a customer looks at. Not every kind has an index by customer. */
const LOOKED_AT_ROWS = 20_000;

/** Reads the rows of a page in one round trip and one transaction. */
export async function findPage(
  db: Database,
  { scan, after, customer }: ExportCursor,
  laterScans: readonly ExportScan[],
) {
  const whereAndOrder = whereAndOrderAfter(scan, after);
  const [[program], rows, lastRows] = await db.batch([
    select({ version: programState.version, nextScan: indexOfFirstNonEmpty(laterScans) }, sql`FROM ${programState}`),
    ...(customer === undefined ? [selectPage(scan, whereAndOrder)] : selectPageAbout(scan, whereAndOrder, customer)),
  ]);
  return {
    version: Number(program?.version),
    rows: rows ?? [],
    /** In an export about a customer: the cursor of the last row that was looked at, if there are more. */
    lastScanned: lastRows?.[0] && cursorOf(scan, lastRows[0]),
    /** The next scan that has rows, so that a scan without rows costs no page. */
    nextScan: laterScans[program?.nextScan ?? laterScans.length],
  };
}

export function cursorOf({ order }: ExportScan, row: Row | undefined): (string | number)[] {
  if (row === undefined) throw new Error("A line alone is more than a page has room for.");
  return order.map((_, index) => row[`cursor_${index}`] as string | number);
}

function selectPage(scan: ExportScan, whereAndOrder: SQL): SQL {
  return sql`
    WITH page(most_lines) AS MATERIALIZED (${selectMostLines(scan, whereAndOrder)})
    ${selectRows(scan, whereAndOrder, sql`(SELECT most_lines FROM page)`)}`;
}

function whereAndOrderAfter(scan: ExportScan, after: ExportCursor["after"]): SQL {
  const values = after?.map((value) => sql`${value}`);
  const isAfter = values === undefined ? sql`` : sql`AND (${orderOf(scan)}) > (${joinWithCommas(values)})`;
  return sql`WHERE ${sql.raw(scan.when ?? "true")} ${isAfter} ORDER BY ${orderOf(scan)}`;
}

/** The rows about a customer among the next rows of a scan; and the cursor of the last of these, if there are more. */
function selectPageAbout(scan: ExportScan, whereAndOrder: SQL, customer: string): SQL[] {
  const table = sql.raw(tableName(scan));
  // A page about a customer reads the object of a segment from R2, so it looks at one segment.
  const rowCount = scan.kind === historySegment ? 1 : LOOKED_AT_ROWS;
  const last = sql.raw(`LIMIT 1 OFFSET ${rowCount - 1}`);
  const isAboutCustomer = sql.raw(scan.kind.isAboutCustomer?.("(SELECT key FROM asked)") ?? "true");
  // The subquery has the name of the table, because the expressions of lines name its columns.
  const from = sql`(SELECT * FROM ${table} ${whereAndOrder} LIMIT ${sql.raw(String(rowCount))}) AS ${table}`;
  return [
    sql`
      WITH asked(key) AS (SELECT key FROM customers WHERE id = ${customer})
      ${selectRows(scan, sql`WHERE ${isAboutCustomer} ORDER BY ${orderOf(scan)}`, LINE_LIMIT_SQL, from)}`,
    sql`SELECT ${sql.raw(cursorColumns(scan).join(", "))} FROM ${table} ${whereAndOrder} ${last}`,
  ];
}

/** Selects the rows that become lines, in at most about `SENT_BYTES`. `whereAndOrder`: `WHERE … ORDER BY …`. */
export function selectRows(scan: ExportScan, whereAndOrder: SQL, limit: SQL, from = sql.raw(tableName(scan))): SQL {
  const found = sql`
    SELECT ${sql.raw([...columnsOfRow(scan), ...cursorColumns(scan)].join(", "))}, ${limit} AS most_lines
    FROM ${from} ${sql.raw(scan.join ?? "")} ${whereAndOrder}
    LIMIT ${limit}`;
  return scan.exportPageLimit === undefined ? found : limitSent(scan, found);
}

/** The columns of a row; a row that makes no line has only NULLs. */
function columnsOfRow({ reader, leftOut = "false" }: ExportScan): string[] {
  const columns = Object.entries(reader.select);
  return [`${leftOut} AS left_out`, ...columns.map(([name, value]) => `iif(${leftOut}, NULL, ${value}) AS ${name}`)];
}

/** The first rows of the query `found`, up to the row with which they reach `SENT_BYTES`. */
function limitSent({ order, reader }: ExportScan, found: SQL): SQL {
  const cursor = order.map((_, index) => `cursor_${index}`);
  // D1 sends JSON, in which a control character takes six bytes.
  const size = Object.keys(reader.select).map((name) => `octet_length(json_quote(${name}))`);
  return sql`
    SELECT * FROM (
      SELECT *, sum(size) OVER (ORDER BY ${sql.raw(cursor.join(", "))} ROWS UNBOUNDED PRECEDING) AS sent_bytes
      FROM (SELECT *, ${sql.raw(size.join(" + "))} AS size FROM (${found}))
    ) WHERE sent_bytes - size < ${sql.raw(String(SENT_BYTES))}`;
}

/** The most lines of a page. If sizes differ much: how many would fit if each row were as large as the largest. */
function selectMostLines(scan: ExportScan, whereAndOrder: SQL): SQL {
  if (scan.exportPageLimit !== "largestRow") return sql`SELECT ${LINE_LIMIT_SQL}`;
  const texts = Object.values(getTableColumns(scan.table)).filter(
    ({ dataType, hasDefault }) => dataType === "string" && !hasDefault,
  );
  const bytes = texts.map(({ name }) => `coalesce(octet_length(${tableName(scan)}.${name}), 0)`);
  return sql`
    SELECT max(1, min(${LINE_LIMIT_SQL}, ${TEXT_BYTES} / coalesce(max(bytes), 1)))
    FROM (
      SELECT ${sql.raw([...bytes, scan.kind.moreBytes ?? "0"].join(" + "))} AS bytes
      FROM ${sql.raw(tableName(scan))} ${whereAndOrder} LIMIT ${LINE_LIMIT_SQL}
    )`;
}

function orderOf(scan: ExportScan): SQL {
  return sql.raw(scan.order.map((column) => `${tableName(scan)}.${column}`).join(", "));
}

function cursorColumns(scan: ExportScan): string[] {
  return scan.order.map((column, index) => `${tableName(scan)}.${column} AS cursor_${index}`);
}

/** The index of the first scan that has rows; NULL if none has. */
function indexOfFirstNonEmpty(scans: readonly ExportScan[]): SQL<number | null> {
  const cases = scans.map(
    (scan, index) => `WHEN EXISTS (SELECT 1 FROM ${tableName(scan)} WHERE ${scan.when ?? "true"}) THEN ${index}`,
  );
  // `WHEN false` is for an empty list of scans, because a CASE needs at least one WHEN.
  return sql<number | null>`(${sql.raw(`CASE WHEN false THEN 0 ${cases.join(" ")} END`)})`;
}
