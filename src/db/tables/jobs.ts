import { sqliteTable, text } from "drizzle-orm/sqlite-core";

export const jobs = sqliteTable("jobs", {
  name: text().primaryKey(),
  due_at: text().notNull(),
  lease_until: text().notNull(),
});
