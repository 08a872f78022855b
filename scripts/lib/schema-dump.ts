// Leaves out the tables of SQLite, D1 and wrangler, and the tables inside a search index.
export const SCHEMA_QUERY = String.raw`
  SELECT sql FROM sqlite_schema
  WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE '\_cf\_%' ESCAPE '\'
    AND name <> 'd1_migrations' AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
  ORDER BY rowid`;

/** The text of docs/schema.sql from the rows of the query. */
export function schemaDump(rows: readonly Record<string, unknown>[]): string {
  const head = "-- The database after all migrations. npm run edge -- schema writes this file, and a test compares it.";
  return `${[head, ...rows.map(({ sql }) => `${String(sql)};`)].join("\n\n")}\n`;
}

/** A statement on one line without comments. A deployed database has no comments, so this can be compared with it. */
export function withoutComments(sql: string): string {
  return sql.replaceAll(/--.*/g, "").replaceAll(/\s+/g, " ").trim();
}
