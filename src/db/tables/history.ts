import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const historySegments = sqliteTable(
  "history_segments",
  {
    kind: text().notNull(),
    month: text().notNull(),
    number: integer().notNull(),
    name: text().notNull(),
    lines: integer().notNull(),
    bytes: integer().notNull(),
    sha256: text().notNull(),
    oldest: text().notNull(),
    newest: text().notNull(),
    sums: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.month, table.number] })],
);

export const historyWalks = sqliteTable("history_walks", {
  kind: text().primaryKey(),
  month: text().notNull(),
  last_id: text().notNull(),
  is_over: integer().notNull(),
  moved_at: text().notNull(),
});
