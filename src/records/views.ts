import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { integer, sqliteView, text } from "drizzle-orm/sqlite-core";
import { accounts } from "./account.ts";
import { campaigns } from "./campaign.ts";
import { coupons } from "./coupon.ts";
import { customers } from "./customer.ts";
import { eipCampaigns } from "./eip-campaign.ts";
import { stores } from "./store.ts";

// The views of the migrations: rules that many statements share, such as which coupons are valid. The conditions stand in
// the migrations only. A test compares the columns with those of the migrated database.

export const visibleAccounts = sqliteView("visible_accounts").as((view) => view.select().from(accounts));
export const visibleStores = sqliteView("visible_stores").as((view) => view.select().from(stores));
export const runningCampaigns = sqliteView("running_campaigns").as((view) => view.select().from(campaigns));

export const visibleEipCampaigns = sqliteView("visible_eip_campaigns").as((view) =>
  view.select({ ...getTableColumns(eipCampaigns), is_running: made<0 | 1>("is_running") }).from(eipCampaigns),
);

export const visibleCustomers = sqliteView("visible_customers").as((view) =>
  view.select({ ...getTableColumns(customers), stores_joined: made<number>("stores_joined") }).from(customers),
);

/** A column that a view adds to those of its table. */
function made<Value>(name: string): SQL.Aliased<Value> {
  return sql<Value>`${sql.identifier(name)}`.as(name);
}

export const joinedStores = sqliteView("joined_stores", {
  customer_key: integer().notNull(),
  store_key: integer().notNull(),
  account_key: integer().notNull(),
}).existing();

export const heldCoupons = couponsOf("held_coupons");
export const digitalCoupons = couponsOf("digital_coupons");
export const validCoupons = couponsOf("valid_coupons");

function couponsOf(name: "held_coupons" | "digital_coupons" | "valid_coupons") {
  return sqliteView(name, {
    customer_key: integer().notNull(),
    kind: text({ enum: coupons.kind.enumValues }).notNull(),
    ends_at: text().notNull(),
    created_at: text().notNull(),
    id: text().notNull(),
    /** NULL for a digital coupon, like `store_key`. */
    issued_id: text(),
    store_key: integer(),
    coupon_key: integer().notNull(),
    account_key: integer().notNull(),
    coupon_bytes: integer().notNull(),
    folded_type: text().notNull(),
    folded_text: text().notNull(),
  }).existing();
}
