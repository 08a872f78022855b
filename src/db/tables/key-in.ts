import { integer, type SQLiteColumn } from "drizzle-orm/sqlite-core";

/** A column with the key of a row in another table. */
export const keyIn = (table: { key: SQLiteColumn }) =>
  integer()
    .notNull()
    .references(() => table.key);
