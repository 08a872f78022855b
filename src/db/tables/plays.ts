import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { keyIn } from "./key-in.ts";
import { accounts, stores } from "./merchants.ts";

export const employees = sqliteTable(
  "employees",
  {
    key: integer().primaryKey(),
    id: text().notNull().unique(),
    account_key: keyIn(accounts),
    name: text().notNull(),
    avatar: text().notNull(),
    deleted: integer().notNull().default(0),
  },
  (table) => [index("employees_deleted").on(table.deleted).where(sql`deleted = 1`)],
);

export const eipCampaigns = sqliteTable(
  "eip_campaigns",
  {
    key: integer().primaryKey(),
    id: text().notNull().unique(),
    account_key: keyIn(accounts),
    name: text().notNull(),
    start_date: text().notNull(),
    end_date: text(),
    time_zone: text().notNull(),
    starts_at: text().notNull(),
    ends_at: text().notNull(),
    deleted: integer().notNull().default(0),
  },
  (table) => [
    index("eip_campaigns_by_account").on(table.account_key),
    index("eip_campaigns_deleted").on(table.deleted).where(sql`deleted = 1`),
  ],
);

const measures = () => ({
  runs: integer().notNull(),
  hits: integer().notNull(),
  doubles: integer().notNull(),
  triples: integer().notNull(),
});

export const plays = sqliteTable("plays", {
  id: text().primaryKey(),
  eip_campaign_key: keyIn(eipCampaigns),
  location_key: keyIn(stores),
  employee_key: keyIn(employees),
  ...measures(),
  played_at: text().notNull(),
});

export const playTotals = sqliteTable(
  "play_totals",
  {
    location_key: keyIn(stores),
    eip_campaign_key: keyIn(eipCampaigns),
    employee_key: keyIn(employees),
    ...measures(),
  },
  (table) => [
    primaryKey({ columns: [table.location_key, table.eip_campaign_key, table.employee_key] }),
    check(
      "play_totals_in_range",
      sql`min(runs, hits, doubles, triples) >= -9007199254740991
        AND max(runs, hits, doubles, triples) <= 9007199254740991`,
    ),
  ],
);
