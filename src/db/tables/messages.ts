import { sql } from "drizzle-orm";
import { check, foreignKey, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { customers } from "./customers.ts";

export const messageClock = sqliteTable(
  "message_clock",
  {
    id: integer().notNull(),
    stamp: text().notNull(),
    clockSaid: text("clock_said").notNull(),
    isOpen: integer("is_open").notNull(),
  },
  // As a key of its own an integer would have a default, and this one is written.
  (table) => [primaryKey({ columns: [table.id] }), check("message_clock_has_one_row", sql`id = 1`)],
);

export const messageGroups = sqliteTable("message_groups", {
  key: integer().primaryKey(),
  id: text().unique(),
  initialCustomerKey: integer("initial_customer_key")
    .notNull()
    .references(() => customers.key),
  groupImage: text("group_image"),
  createdAt: text("created_at").notNull(),
  newestId: text("newest_id").default(sql`NULL`),
  newestAt: text("newest_at").default(sql`NULL`),
  earlierId: text("earlier_id").default(sql`NULL`),
  earlierAt: text("earlier_at").default(sql`NULL`),
});

export const messageGroupMembers = sqliteTable(
  "message_group_members",
  {
    groupKey: integer("group_key")
      .notNull()
      .references(() => messageGroups.key),
    customerKey: integer("customer_key")
      .notNull()
      .references(() => customers.key),
    position: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.groupKey, table.customerKey] })],
);

export const messageGroupNews = sqliteTable(
  "message_group_news",
  {
    customerKey: integer("customer_key").notNull(),
    newestAt: text("newest_at").notNull(),
    groupId: text("group_id").notNull(),
    groupKey: integer("group_key").notNull(),
  },
  (table) => [primaryKey({ columns: [table.customerKey, table.newestAt, table.groupId] })],
);

export const messages = sqliteTable("messages", {
  id: text().primaryKey(),
  groupKey: integer("group_key")
    .notNull()
    .references(() => messageGroups.key),
  customerKey: integer("customer_key")
    .notNull()
    .references(() => customers.key),
  body: text().notNull(),
  sentAt: text("sent_at").notNull(),
});

export const messageStates = sqliteTable(
  "message_states",
  {
    groupKey: integer("group_key").notNull(),
    customerKey: integer("customer_key").notNull(),
    readAt: text("read_at"),
    notificationsDisabled: integer("notifications_disabled").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.groupKey, table.customerKey] }),
    foreignKey({
      columns: [table.groupKey, table.customerKey],
      foreignColumns: [messageGroupMembers.groupKey, messageGroupMembers.customerKey],
    }),
  ],
);
