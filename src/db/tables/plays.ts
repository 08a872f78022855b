import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { accounts } from "./accounts.ts";
import { stores } from "./stores.ts";

const accountKey = () =>
  integer("account_key")
    .notNull()
    .references(() => accounts.key);

export const employees = sqliteTable(
  "employees",
  {
    key: integer().primaryKey(),
    id: text().notNull().unique(),
    accountKey: accountKey(),
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
    accountKey: accountKey(),
    name: text().notNull(),
    startDate: text("start_date").notNull(),
    endDate: text("end_date"),
    timeZone: text("time_zone").notNull(),
    startsAt: text("starts_at").notNull(),
    endsAt: text("ends_at").notNull(),
    deleted: integer().notNull().default(0),
  },
  (table) => [
    index("eip_campaigns_by_account").on(table.accountKey),
    index("eip_campaigns_deleted").on(table.deleted).where(sql`deleted = 1`),
  ],
);

const eipCampaignKey = () =>
  integer("eip_campaign_key")
    .notNull()
    .references(() => eipCampaigns.key);

const locationKey = () =>
  integer("location_key")
    .notNull()
    .references(() => stores.key);

const employeeKey = () =>
  integer("employee_key")
    .notNull()
    .references(() => employees.key);

const measures = () => ({
  runs: integer().notNull(),
  hits: integer().notNull(),
  doubles: integer().notNull(),
  triples: integer().notNull(),
});

export const plays = sqliteTable("plays", {
  id: text().primaryKey(),
  eipCampaignKey: eipCampaignKey(),
  locationKey: locationKey(),
  employeeKey: employeeKey(),
  ...measures(),
  playedAt: text("played_at").notNull(),
});

export const playTotals = sqliteTable(
  "play_totals",
  {
    locationKey: locationKey(),
    eipCampaignKey: eipCampaignKey(),
    employeeKey: employeeKey(),
    ...measures(),
    runsOpening: integer("runs_opening"),
    hitsOpening: integer("hits_opening"),
    doublesOpening: integer("doubles_opening"),
    triplesOpening: integer("triples_opening"),
  },
  (table) => [
    primaryKey({ columns: [table.locationKey, table.eipCampaignKey, table.employeeKey] }),
    check("play_runs", sql`runs BETWEEN -9007199254740991 AND 9007199254740991`),
    check("play_hits", sql`hits BETWEEN -9007199254740991 AND 9007199254740991`),
    check("play_doubles", sql`doubles BETWEEN -9007199254740991 AND 9007199254740991`),
    check("play_triples", sql`triples BETWEEN -9007199254740991 AND 9007199254740991`),
  ],
);
