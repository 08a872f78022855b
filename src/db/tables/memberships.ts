import { sql } from "drizzle-orm";
import { check, foreignKey, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { customers } from "./customers.ts";
import { stores } from "./stores.ts";

const derived = (name: string) => integer(name).notNull().default(0);

export const memberships = sqliteTable(
  "memberships",
  {
    storeKey: integer("store_key")
      .notNull()
      .references(() => stores.key),
    customerKey: integer("customer_key")
      .notNull()
      .references(() => customers.key),
    referrerKey: integer("referrer_key").references(() => customers.key),
    joinedAt: text("joined_at").notNull(),
    joined: integer().notNull().default(1),
    members1: derived("members_1"),
    members2: derived("members_2"),
    members3: derived("members_3"),
    members4: derived("members_4"),
    members5: derived("members_5"),
    tokens1: derived("tokens_1"),
    tokens2: derived("tokens_2"),
    tokens3: derived("tokens_3"),
    tokens4: derived("tokens_4"),
    tokens5: derived("tokens_5"),
    tokens1Opening: derived("tokens_1_opening"),
    tokens2Opening: derived("tokens_2_opening"),
    tokens3Opening: derived("tokens_3_opening"),
    tokens4Opening: derived("tokens_4_opening"),
    tokens5Opening: derived("tokens_5_opening"),
    round: derived("round"),
  },
  (table) => [
    primaryKey({ columns: [table.storeKey, table.customerKey] }),
    check(
      "member_tokens",
      sql`min(tokens_1, tokens_2, tokens_3, tokens_4, tokens_5) >= -9007199254740991
        AND max(tokens_1, tokens_2, tokens_3, tokens_4, tokens_5) <= 9007199254740991`,
    ),
    index("memberships_by_customer").on(table.customerKey, table.joined),
    index("memberships_left").on(table.storeKey, table.customerKey).where(sql`joined = 0`),
    index("memberships_of_later_rounds").on(table.round, table.storeKey, table.customerKey).where(sql`round > 0`),
  ],
);

export const teamLinks = sqliteTable(
  "team_links",
  {
    storeKey: integer("store_key").notNull(),
    ancestorKey: integer("ancestor_key").notNull(),
    joined: integer().notNull(),
    depth: integer().notNull(),
    name: text().notNull(),
    descendantId: text("descendant_id").notNull(),
    descendantKey: integer("descendant_key").notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.storeKey, table.ancestorKey, table.joined, table.depth, table.name, table.descendantId],
    }),
  ],
);

export const tokenEarnings = sqliteTable(
  "token_earnings",
  {
    id: text().primaryKey(),
    storeKey: integer("store_key").notNull(),
    customerKey: integer("customer_key").notNull(),
    levelNo: integer("level_no").notNull(),
    tokens: integer().notNull(),
    earnedAt: text("earned_at").notNull(),
  },
  (table) => [
    foreignKey({
      columns: [table.storeKey, table.customerKey],
      foreignColumns: [memberships.storeKey, memberships.customerKey],
    }),
  ],
);
