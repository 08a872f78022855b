import type { SQL } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { joinRows } from "../../src/db/json-rows.ts";
import { deduplicate } from "../../src/feed/deduplicate.ts";
import { checkLine } from "../../src/feed/lines.ts";
import { KINDS } from "../../src/feed/records/index.ts";
import type { Kind } from "../../src/feed/records/kind.ts";
import { write } from "../../src/feed/records/statements.ts";

// What the feed is measured against: the same rows stored by nothing but `INSERT … SELECT … FROM json_each(?)`, with
// the ids of other records turned into their keys. No line is parsed or checked; no account or total is looked at.

const PARAMETER_LENGTH = 900_000;
const dialect = new SQLiteAsyncDialect();

/**
 * Statements as they are sent to the benchmark's Worker: the SQL on the first line, then each parameter on a line of
 * its own.
 */
type Packed = string;

/** The statements that store the lines' rows in tables as the service has them: with their indexes and triggers. */
export function intoSameTables(record: string, texts: readonly string[]): Packed {
  const kind = kindOf(record);
  const lines = texts.map((text, index) => {
    const checked = checkLine({ number: index + 1, text });
    if ("messages" in checked) throw new Error(`A bad line: ${JSON.stringify(checked.messages)}`);
    return checked;
  });
  const rows = new Map(lines.map(({ line, text }) => [line, text]));
  const { writes } = deduplicate(kind, [...rows.keys()]);
  const statements = write(kind, joinRows(writes.map((line) => rows.get(line) ?? "")));
  return packed(statements.map((statement) => dialect.sqlToQuery(statement as SQL)));
}

/** The statements that store the lines' fields in tables with nothing but a key. */
export function intoBareTables(record: string, texts: readonly string[]): Packed {
  const fields = fieldsOf(kindOf(record));
  const sql = `
    INSERT INTO ${bareName(record)} (${fields.map((field) => `"${field}"`).join(", ")})
    SELECT ${fields.map((field) => `value ->> '${field}'`).join(", ")} FROM json_each(?)
    WHERE true ON CONFLICT DO NOTHING`;
  return packed(jsonArrays(texts).map((rows) => ({ sql, params: [rows] })));
}

/** Makes the table of a kind with nothing but a key. */
export function bareTables(): string[] {
  return KINDS.map((kind) => {
    const columns = fieldsOf(kind).map((field) => `"${field}"`);
    const key = kind.keyFields.map((field) => `"${field}"`);
    return `CREATE TABLE ${bareName(kind.record)} (${columns.join(", ")}, PRIMARY KEY (${key.join(", ")})) WITHOUT ROWID`;
  });
}

/** Runs the statements, in one batch. */
export async function runPacked(d1: D1Database, text: Packed): Promise<void> {
  const [head = "[]", ...parameters] = text.split("\n");
  let next = 0;
  const statements = (JSON.parse(head) as { sql: string; count: number }[]).map(({ sql, count }) => {
    next += count;
    return d1.prepare(sql).bind(...parameters.slice(next - count, next));
  });
  if (statements.length > 0) await d1.batch(statements);
}

function packed(queries: readonly { sql: string; params: unknown[] }[]): Packed {
  const head = queries.map(({ sql, params }) => ({ sql, count: params.length }));
  return [JSON.stringify(head), ...queries.flatMap(({ params }) => params.map(String))].join("\n");
}

function kindOf(record: string): Kind {
  const kind = KINDS.find((one) => one.record === record);
  if (kind === undefined) throw new Error(`There is no kind ${record}.`);
  return kind;
}

function bareName(record: string): string {
  return `"bare_${record}"`;
}

function fieldsOf(kind: Kind): string[] {
  return Object.keys(kind.fields.shape);
}

function jsonArrays(texts: readonly string[]): string[] {
  const arrays: string[][] = [[]];
  let length = 0;
  for (const text of texts) {
    if (length + text.length > PARAMETER_LENGTH) {
      arrays.push([]);
      length = 0;
    }
    arrays.at(-1)?.push(text);
    length += text.length + 1;
  }
  return arrays.map((rows) => `[${rows.join(",")}]`);
}
