import { env } from "cloudflare:workers";
import { getTableColumns, getTableName } from "drizzle-orm";
import * as tables from "../../src/db/tables.ts";

const TARGETS: Record<string, string> = {
  account_key: "accounts",
  ancestor_key: "customers",
  blocked_key: "customers",
  campaign_coupon_key: "coupons",
  campaign_key: "campaigns",
  customer_key: "customers",
  descendant_key: "customers",
  eip_campaign_key: "eip_campaigns",
  employee_key: "employees",
  group_key: "message_groups",
  high_key: "customers",
  initial_customer_key: "customers",
  location_key: "stores",
  low_key: "customers",
  referrer_key: "customers",
  store_key: "stores",
};

/**
 * Makes a view `public_…` of each table, with the public id beside each key (`store_id` beside `store_key`), for tests
 * that look at rows without the API.
 */
export async function createPublicViews(): Promise<void> {
  await env.DB.batch(
    Object.values(tables).map((table) => {
      const name = getTableName(table);
      const columns = Object.keys(getTableColumns(table));
      const ids = columns.flatMap((column) => {
        const target = TARGETS[column];
        const id = column.replace(/_key$/, "_id");
        if (target === undefined || columns.includes(id)) return [];
        return [`(SELECT id FROM ${target} WHERE key = ${name}.${column}) AS ${id}`];
      });
      return env.DB.prepare(
        `CREATE VIEW IF NOT EXISTS public_${name} AS SELECT ${[`${name}.*`, ...ids].join(", ")} FROM ${name}`,
      );
    }),
  );
}
