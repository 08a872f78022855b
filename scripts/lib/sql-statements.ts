import { CommandError } from "./command-error.ts";

// What a text of SQL is made of. A comment's quote marks and semicolons are its own.
const TOKEN = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|;|\s+|[^\s;'"/-]+|[/-]/g;
const SPACE_OR_COMMENT = /^(\s|--|\/\*)/;
const UNFINISHED_TRIGGER = /^CREATE TRIGGER (?!.*\bEND ?;$)/s;

/**
 * The statements of a migration, each on one line and without comments. D1 splits a file on the server, and its splitters
 * have stumbled over comments and over triggers of several lines.
 */
export function statementsOf(text: string): string[] {
  const statements: string[] = [];
  let statement = "";
  for (const [token] of text.matchAll(TOKEN)) {
    if (!SPACE_OR_COMMENT.test(token)) statement += token;
    else if (/\S$/.test(statement)) statement += " ";
    if (token !== ";" || UNFINISHED_TRIGGER.test(statement)) continue;
    statements.push(statement);
    statement = "";
  }
  return statement.trim() === "" ? statements : [...statements, `${statement.trim()};`];
}

const MADE = /^CREATE (?:UNIQUE |VIRTUAL )?(?:TABLE|INDEX|TRIGGER|VIEW) (\w+)/;
const DROPPED = /^DROP (?:TABLE|INDEX|TRIGGER|VIEW) IF EXISTS (\w+);$/;
const ADDED = /^ALTER TABLE (\w+) ADD COLUMN (.+);$/;
const REPEATABLE = [/^INSERT INTO .+ ON CONFLICT DO NOTHING;$/, /^INSERT INTO (\w+) \(\1, rank\) VALUES /];

/** What is in a database: the name of each table, index, trigger and view, and the statement that made it. */
export type Schema = ReadonlyMap<string, string>;

/**
 * The statements that a database still lacks, where a migration may have been applied in part.
 * @throws a CommandError where this cannot be told of a statement.
 */
export function missingStatements(statements: readonly string[], schema: Schema): string[] {
  const there = new Map(schema);
  return statements.filter((statement) => {
    const [, made] = MADE.exec(statement) ?? [];
    if (made !== undefined) return !there.has(made);
    const [, dropped] = DROPPED.exec(statement) ?? [];
    // A statement that makes it anew may follow.
    if (dropped !== undefined) return there.delete(dropped) || true;
    const [, table = "", column] = ADDED.exec(statement) ?? [];
    // SQLite writes a column that is added behind a comma, as it was given.
    if (column !== undefined) return !there.get(table)?.includes(`, ${column}`);
    if (REPEATABLE.some((kind) => kind.test(statement))) return true;
    throw new CommandError(`A migration that stops at this statement could not be completed: ${statement}`);
  });
}
