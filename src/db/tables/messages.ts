import { sql } from "drizzle-orm";
import { check, foreignKey, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { customers } from "./customers.ts";
import { keyIn } from "./key-in.ts";

export const messageClock = sqliteTable(
  "message_clock",
  {
    id: integer().notNull(),
    stamp: text().notNull(),
    clock_said: text().notNull(),
    is_open: integer().notNull(),
  },
  // As a key of its own an integer would have a default, and this one is written.
  (table) => [primaryKey({ columns: [table.id] }), check("message_clock_has_one_row", sql`id = 1`)],
);

export const messageGroups = sqliteTable("message_groups", {
  key: integer().primaryKey(),
  id: text().unique(),
  initial_customer_key: keyIn(customers),
  group_image: text(),
  created_at: text().notNull(),
  newest_id: text().default(sql`NULL`),
  newest_at: text().default(sql`NULL`),
  earlier_id: text().default(sql`NULL`),
  earlier_at: text().default(sql`NULL`),
});

export const messageGroupMembers = sqliteTable(
  "message_group_members",
  {
    group_key: keyIn(messageGroups),
    customer_key: keyIn(customers),
    position: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.group_key, table.customer_key] })],
);

export const messageGroupNews = sqliteTable(
  "message_group_news",
  {
    customer_key: integer().notNull(),
    newest_at: text().notNull(),
    group_id: text().notNull(),
    group_key: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.customer_key, table.newest_at, table.group_id] })],
);

export const messages = sqliteTable("messages", {
  id: text().primaryKey(),
  group_key: keyIn(messageGroups),
  customer_key: keyIn(customers),
  body: text().notNull(),
  sent_at: text().notNull(),
});

export const messageStates = sqliteTable(
  "message_states",
  {
    group_key: integer().notNull(),
    customer_key: integer().notNull(),
    read_at: text(),
    notifications_disabled: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.group_key, table.customer_key] }),
    foreignKey({
      columns: [table.group_key, table.customer_key],
      foreignColumns: [messageGroupMembers.group_key, messageGroupMembers.customer_key],
    }),
  ],
);
