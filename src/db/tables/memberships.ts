import { sql } from "drizzle-orm";
import { check, foreignKey, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { customers } from "./customers.ts";
import { keyIn } from "./key-in.ts";
import { stores } from "./merchants.ts";

const derived = () => integer().notNull().default(0);

export const memberships = sqliteTable(
  "memberships",
  {
    store_key: keyIn(stores),
    customer_key: keyIn(customers),
    referrer_key: integer().references(() => customers.key),
    joined_at: text().notNull(),
    joined: integer().notNull().default(1),
    members_1: derived(),
    members_2: derived(),
    members_3: derived(),
    members_4: derived(),
    members_5: derived(),
    tokens_1: derived(),
    tokens_2: derived(),
    tokens_3: derived(),
    tokens_4: derived(),
    tokens_5: derived(),
    round: derived(),
  },
  (table) => [
    primaryKey({ columns: [table.store_key, table.customer_key] }),
    check(
      "member_tokens",
      sql`min(tokens_1, tokens_2, tokens_3, tokens_4, tokens_5) >= -9007199254740991
        AND max(tokens_1, tokens_2, tokens_3, tokens_4, tokens_5) <= 9007199254740991`,
    ),
    index("memberships_by_customer").on(table.customer_key, table.joined),
    index("memberships_left").on(table.store_key, table.customer_key).where(sql`joined = 0`),
    index("memberships_of_later_rounds").on(table.round, table.store_key, table.customer_key).where(sql`round > 0`),
  ],
);

export const teamLinks = sqliteTable(
  "team_links",
  {
    store_key: integer().notNull(),
    ancestor_key: integer().notNull(),
    joined: integer().notNull(),
    depth: integer().notNull(),
    name: text().notNull(),
    descendant_id: text().notNull(),
    descendant_key: integer().notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.store_key, table.ancestor_key, table.joined, table.depth, table.name, table.descendant_id],
    }),
  ],
);

export const tokenEarnings = sqliteTable(
  "token_earnings",
  {
    id: text().primaryKey(),
    store_key: integer().notNull(),
    customer_key: integer().notNull(),
    level_no: integer().notNull(),
    tokens: integer().notNull(),
    earned_at: text().notNull(),
  },
  (table) => [
    foreignKey({
      columns: [table.store_key, table.customer_key],
      foreignColumns: [memberships.store_key, memberships.customer_key],
    }),
  ],
);
