import { eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { bytesOf, untilFull } from "../../db/cut.ts";
import type { Database } from "../../db/database.ts";
import type { Kind } from "../../db/kind.ts";
import { query } from "../../db/query.ts";
import { joinWithCommas } from "../../db/select.ts";
import { requests } from "../../db/tables.ts";
import { invalid } from "../../http/errors.ts";
import { BODY_LIMIT, ITEM_LIMIT, LINE_LIMIT } from "../../http/limits.ts";
import { customers } from "../../records/customer.ts";
import { programState } from "../../records/program.ts";
import { encodeUtf8 } from "../../values/json.ts";
import { utf8Bytes } from "../../values/text.ts";
import { itemsOf, tableName } from "../kind.ts";
import { LAST_VERSION } from "../requests/queries.ts";
import type { Row } from "./fields.ts";
import { conditionOf, type ExportCursor, type ExportFilter, type ExportScan, SCANS } from "./scans.ts";

/**
 * The bytes of texts in the rows of a page. Lines are longer than their rows, so most pages end by the size of a feed request
 * (`writeLines`). But D1 should not send, nor the Worker hold, rows that no page has room for.
 */
const ROW_BYTES = BODY_LIMIT.bytes;

const LINE_LIMIT_SQL = sql.raw(String(LINE_LIMIT));

/** How many rows a page with a filter looks at. Not every kind has an index for it. */
const LOOKED_AT_ROWS = 20_000;

interface PageRequest {
  records?: readonly string[] | undefined;
  filter: ExportFilter;
  after: ExportCursor | undefined;
}

/**
 * Reads a page of an export, lines that one feed request takes: of these kinds, or of all; without a cursor, the first page.
 * It takes one round trip and one transaction.
 * @throws the failure 422 if the cursor is from an export of other kinds or about another customer, or if old events were added
 * up since the export began: they could come as lines and in summaries.
 */
export async function readPage(db: Database, { records = [], filter, after }: PageRequest) {
  const isAsked = ({ kind }: ExportScan) => records.length === 0 || records.includes(kind.record);
  const scans = SCANS.filter((scan) => isAsked(scan) && conditionOf(scan.kind, filter) !== undefined);
  const scan = scans.find((candidate) => after === undefined || candidate === after.scan);
  const isOfFilter = after?.filter.customer === filter.customer && after?.filter.request === filter.request;
  if (scan === undefined || (after !== undefined && !isOfFilter))
    throw invalid({ after: ["must be of an export of the same kinds, customer and requests"] });

  const laterScans = scans.slice(scans.indexOf(scan) + 1);
  const whereAndOrder = whereAndOrderAfter(scan, after?.lastRow);
  const { version, retention_steps } = programState;
  const isFiltered = filter.customer !== undefined || filter.request !== undefined;
  const [[program], rows = [], [lastLookedAt] = []] = await db.batch([
    query
      .select({ version, retention_steps, nextScan: indexOfFirstNonEmpty(laterScans), ...CHANGES })
      .from(programState),
    ...(isFiltered ? selectFilteredPage(scan, whereAndOrder, filter) : [selectRows(scan, whereAndOrder)]),
  ]);
  const steps = Number(program?.retention_steps);
  if (after !== undefined && after.steps !== steps)
    throw invalid({ after: ["old events were added up meanwhile: start again"] });
  const { bytes, last: lastWritten } = writeLines(scan, rows);
  const lastRow = lastWritten ?? (lastLookedAt && cursorOf(scan, lastLookedAt));
  // The next scan that has rows, so that a scan without rows costs no page. NULL: there is none.
  const nextScan = laterScans[program?.nextScan ?? -1];
  const next = lastRow === undefined ? nextScan : scan;
  return {
    bytes,
    version: Number(program?.version),
    next: next && { scan: next.name, lastRow, filter, steps },
    // A follower of the changes goes on from here, after an export that begins with this page.
    changes: { database: program?.database, version: Number(program?.last), at: program?.at },
  };
}

/** As many lines as one feed request takes; `last`: the cursor of the last row, if the scan may have more. */
function writeLines(scan: ExportScan, rows: readonly Row[]) {
  // Each row says how many rows the page may have. If the scan ends with a full page, an empty page follows.
  const hasMore = rows.length === rows[0]?.most_lines;
  const lines: string[] = [];
  let [size, items] = [0, 0];
  let last = hasMore ? cursorOf(scan, rows.at(-1)) : undefined;
  for (const [index, row] of rows.entries()) {
    if (row.left_out === 1) continue;
    const fields = scan.reader.toLine(row);
    const line = `${JSON.stringify(fields)}\n`;
    size += utf8Bytes(line);
    items += itemsOf(scan.kind.list?.field, fields).length;
    if (size > BODY_LIMIT.bytes || items > ITEM_LIMIT) {
      last = cursorOf(scan, rows[index - 1]);
      break;
    }
    lines.push(line);
  }
  return { bytes: encodeUtf8(lines.join("")), last };
}

function cursorOf({ order }: ExportScan, row: Row | undefined): (string | number)[] {
  if (row === undefined) throw new Error("A line alone is more than a page has room for.");
  return order.map((_, index) => row[`cursor_${index}`] as string | number);
}

function whereAndOrderAfter(scan: ExportScan, after: ExportCursor["lastRow"]): SQL {
  const values = after?.map((value) => sql`${value}`);
  const isAfter = values === undefined ? sql`` : sql`AND (${orderOf(scan)}) > (${joinWithCommas(values)})`;
  return sql`WHERE ${scan.when ?? sql`true`} ${isAfter} ORDER BY ${orderOf(scan)}`;
}

/** The cursor of the changes after the last row of the journal. */
const CHANGES = {
  database: programState.database_id,
  last: LAST_VERSION,
  at: sql<string>`coalesce((SELECT ${requests.at} FROM ${requests} ORDER BY ${requests.version} DESC LIMIT 1), '')`,
};

/** The rows that a filter leaves of the next rows of a scan; and the cursor of the last of these, if there are more. */
function selectFilteredPage(scan: ExportScan, whereAndOrder: SQL, filter: ExportFilter): SQL[] {
  const table = sql.raw(tableName(scan));
  const last = sql.raw(`LIMIT 1 OFFSET ${LOOKED_AT_ROWS - 1}`);
  const isWanted = conditionOf(scan.kind, filter) ?? sql`false`;
  // The subquery has the name of the table, because the expressions of lines name its columns.
  const from = sql`(SELECT * FROM ${table} ${whereAndOrder} LIMIT ${sql.raw(String(LOOKED_AT_ROWS))}) AS ${table}`;
  const customer = query
    .select({ key: customers.key })
    .from(customers)
    .where(eq(customers.id, filter.customer ?? ""));
  const asked = sql`asked(key) AS ${customer},`;
  return [
    selectRows(scan, sql`WHERE ${isWanted} ORDER BY ${orderOf(scan)}`, from, asked),
    sql`SELECT ${joinWithCommas(cursorColumns(scan))} FROM ${table} ${whereAndOrder} ${last}`,
  ];
}

/** Selects the rows that become lines. `whereAndOrder`: `WHERE … ORDER BY …`; `tables`: common table expressions. */
function selectRows(scan: ExportScan, whereAndOrder: SQL, table = sql.raw(tableName(scan)), tables = sql``): SQL {
  const from = sql`FROM ${table} ${scan.join ?? sql``} ${whereAndOrder}`;
  const sizes = sql`SELECT ${bytesOfRow(scan.kind)} AS bytes ${from} LIMIT ${LINE_LIMIT_SQL}`;
  const mostLines = scan.hasLongRows
    ? sql`SELECT count(*) FROM ${untilFull(sizes, sql`bytes`, ROW_BYTES)}`
    : sql`SELECT ${LINE_LIMIT_SQL}`;
  return sql`
    WITH ${tables} page(most_lines) AS MATERIALIZED (${mostLines})
    SELECT ${joinWithCommas([...columnsOfRow(scan), ...cursorColumns(scan)])}, (SELECT most_lines FROM page) AS most_lines
    ${from} LIMIT (SELECT most_lines FROM page)`;
}

/** The bytes of the texts in a row. */
function bytesOfRow({ table, columns, read }: Kind): SQL {
  const texts = Object.values(getTableColumns(table)).filter(
    ({ dataType, name }) => dataType === "string" && name in columns,
  );
  return sql`${bytesOf(...texts)} + ${read?.moreBytes ?? sql`0`}`;
}

/** The columns of a row; a row that makes no line has only NULLs. */
function columnsOfRow({ reader, leftOut = sql`false` }: ExportScan): SQL[] {
  const columns = Object.entries(reader.columns);
  const values = columns.map(([name, value]) => sql`iif(${leftOut}, NULL, ${value}) AS ${sql.identifier(name)}`);
  return [sql`${leftOut} AS left_out`, ...values];
}

function orderOf(scan: ExportScan): SQL {
  return sql.raw(scan.order.map((column) => `${tableName(scan)}.${column}`).join(", "));
}

function cursorColumns(scan: ExportScan): SQL[] {
  return scan.order.map((column, index) => sql.raw(`${tableName(scan)}.${column} AS cursor_${index}`));
}

/** The index of the first scan that has rows; NULL if none has. */
function indexOfFirstNonEmpty(scans: readonly ExportScan[]): SQL<number | null> {
  const cases = scans.map(
    ({ table, when = sql`true` }, index) =>
      sql`WHEN EXISTS (SELECT 1 FROM ${table} WHERE ${when}) THEN ${sql.raw(String(index))}`,
  );
  // `WHEN false` is for an empty list of scans, because a CASE needs at least one WHEN.
  return sql<number | null>`(CASE WHEN false THEN 0 ${sql.join(cases, sql` `)} END)`;
}
