import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { compilePer, type Database, type Statement } from "../../db/database.ts";
import { limitTo } from "../../db/limit.ts";
import { feedVersion } from "../../db/tables/index.ts";
import { tableName } from "../records/kind.ts";
import { idsOf, type KnownIds } from "../records/read-back.ts";
import type { Cursor } from "./cursor.ts";
import { type ExportWalk, WALKS } from "./walks.ts";

/** What a page of an export is made of. */
export interface PageRows {
  version: number;
  rows: readonly Readonly<Record<string, unknown>>[];
  /** Whether the walk may have more rows after these. */
  hasMore: boolean;
  ids: KnownIds;
  /** The walks after this one that have rows. */
  later: readonly ExportWalk[];
}

/** The memory that the rows of a page may take, by their sizes, where a walk says these. */
const PAGE_BYTES = 16 * 1024 * 1024;

/** Reads a page's rows, at most as many as fit into memory, in one round trip and one transaction. */
export async function findPage(db: Database, { walk, after }: Cursor, walks: readonly ExportWalk[]): Promise<PageRows> {
  const later = walks.slice(walks.indexOf(walk) + 1);
  const few = walk.reader.few.map((target) => ({ target, statement: idsOf(target) }));
  const values = Object.fromEntries((after ?? []).map((value, index) => [`after_${index}`, value]));
  const [versions, rows = [], withRows, ...ids] = await db.batch([
    sql`SELECT ${feedVersion.version} FROM ${feedVersion}`,
    selectRows({ walk: walk.name, isFirst: after === undefined }, values),
    haveRows(later),
    ...few.map(({ statement }) => statement),
  ]);
  return {
    version: Number(versions?.[0]?.version),
    rows,
    hasMore: rows.length > 0 && rows.length === rows[0]?.most_lines,
    ids: Object.fromEntries(few.map(({ target }, index) => [tableName(target), toMap(ids[index] ?? [])])),
    later: later.filter((_, index) => withRows?.[0]?.[`walk_${index}`] === 1),
  };
}

interface Shape {
  walk: string;
  isFirst: boolean;
}

const selectRows = compilePer<Shape, string>(({ walk: name, isFirst }, value) => {
  const walk = WALKS.find((one) => one.name === name);
  if (walk === undefined) throw new Error(`There is no walk ${name}.`);
  const table = sql.raw(walk.table);
  const order = walk.order.map(({ column }) => `${walk.table}.${column}`);
  const isAfter = isFirst ? sql`` : sql`AND (${sql.raw(order.join(", "))}) > (${placeholders(order.length, value)})`;
  const inOrder = sql`WHERE ${sql.raw(walk.when)} ${isAfter} ORDER BY ${sql.raw(order.join(", "))}`;
  const ends = order.map((column, index) => `${column} AS end_${index}`);
  return sql`
    WITH page(lines) AS MATERIALIZED (${linesOf(walk, inOrder)})
    SELECT ${sql.raw(walk.reader.columns)}, ${sql.raw(ends.join(", "))}, (SELECT lines FROM page) AS most_lines
    FROM ${table} ${sql.raw(walk.join)} ${inOrder}
    LIMIT (SELECT lines FROM page)`;
});

/** How many lines a page has: where they differ much, as many as fit if each were as large as the largest of them. */
function linesOf({ table, lines, bytes }: ExportWalk, inOrder: SQL): SQL {
  if (bytes === undefined) return sql.raw(`SELECT ${lines}`);
  return sql`
    SELECT max(1, min(${sql.raw(String(lines))}, ${sql.raw(String(PAGE_BYTES))} / coalesce(max(bytes), 1)))
    FROM (SELECT ${sql.raw(bytes)} AS bytes FROM ${sql.raw(table)} ${inOrder} ${limitTo(lines)})`;
}

function placeholders(count: number, value: (name: string) => Placeholder): SQL {
  return sql.join(
    Array.from({ length: count }, (_, index) => sql`${value(`after_${index}`)}`),
    sql`, `,
  );
}

/** Which of the walks have rows, so that no page leads to one that is empty. */
function haveRows(walks: readonly ExportWalk[]): Statement {
  if (walks.length === 0) return sql`SELECT 0 AS walk_0`;
  const columns = walks.map(
    ({ table, when }, index) => `EXISTS (SELECT 1 FROM ${table} WHERE ${when}) AS walk_${index}`,
  );
  return sql.raw(`SELECT ${columns.join(", ")}`);
}

function toMap(rows: readonly Record<string, unknown>[]): ReadonlyMap<number, string> {
  return new Map(rows.map(({ key, id }) => [Number(key), String(id)]));
}
