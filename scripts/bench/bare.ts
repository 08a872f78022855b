import type { Kind } from "../../src/db/kind.ts";
import { KINDS } from "../../src/records/index.ts";

// Bare inserts, for comparison with the feed: plain INSERT statements store the fields of the same lines in tables that
// have only a primary key. Nothing is checked, derived or indexed.

/** The table of the bare write, in the service's own database. */
export const BARE_WRITES = "CREATE TABLE bare_writes (id TEXT PRIMARY KEY) WITHOUT ROWID";

const fieldsOf = (kind: Kind) => Object.keys(kind.fields.shape).map((field) => `"${field}"`);

export function bareTables(): string[] {
  return KINDS.map((kind) => {
    const key = kind.keyFields.map((field) => `"${field}"`);
    return `CREATE TABLE "${kind.record}" (${fieldsOf(kind).join(", ")}, PRIMARY KEY (${key.join(", ")})) WITHOUT ROWID`;
  });
}

/** Stores lines of one kind in one statement. */
export async function insertBare(d1: D1Database, record: string, lines: readonly string[]): Promise<void> {
  const kind = KINDS.find((candidate) => candidate.record === record);
  if (kind === undefined) throw new Error(`There is no kind ${record}.`);
  const fields = fieldsOf(kind);
  const insert = `
    INSERT INTO "${record}" (${fields.join(", ")})
    SELECT ${fields.map((field) => `value ->> '$.${field}'`).join(", ")} FROM json_each(?)
    WHERE true ON CONFLICT DO NOTHING`;
  await d1
    .prepare(insert)
    .bind(`[${lines.join(",")}]`)
    .run();
}
