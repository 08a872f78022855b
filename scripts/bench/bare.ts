import { KINDS } from "../../src/feed/records/index.ts";
import type { Kind } from "../../src/feed/records/kind.ts";

// Bare inserts, for comparison with the feed: plain INSERT statements store the fields of the same lines in tables that
// have only a primary key. Nothing is checked, derived or indexed.

const PARAMETER_LENGTH = 900_000;

const fieldsOf = (kind: Kind) => Object.keys(kind.fields.shape).map((field) => `"${field}"`);

export function bareTables(): string[] {
  return KINDS.map((kind) => {
    const key = kind.keyFields.map((field) => `"${field}"`);
    return `CREATE TABLE "${kind.record}" (${fieldsOf(kind).join(", ")}, PRIMARY KEY (${key.join(", ")})) WITHOUT ROWID`;
  });
}

/** Stores lines of one kind in one batch. Each statement gets as many lines as one parameter holds. */
export async function insertBare(d1: D1Database, record: string, lines: readonly string[]): Promise<void> {
  const kind = KINDS.find((candidate) => candidate.record === record);
  if (kind === undefined) throw new Error(`There is no kind ${record}.`);
  const fields = fieldsOf(kind);
  const statement = d1.prepare(`
    INSERT INTO "${record}" (${fields.join(", ")})
    SELECT ${fields.map((field) => `value ->> '$.${field}'`).join(", ")} FROM json_each(?)
    WHERE true ON CONFLICT DO NOTHING`);
  const statements: D1PreparedStatement[] = [];
  for (let from = 0; from < lines.length; ) {
    let to = from;
    for (let length = 0; to < lines.length && (to === from || length < PARAMETER_LENGTH); to += 1)
      length += lines[to]?.length ?? 0;
    statements.push(statement.bind(`[${lines.slice(from, to).join(",")}]`));
    from = to;
  }
  await d1.batch(statements);
}
