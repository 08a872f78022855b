import { env } from "cloudflare:workers";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import * as tables from "../../src/db/tables/index.ts";

const TARGETS: Record<string, string> = {
  group_key: "message_groups",
  ancestor_key: "customers",
  descendant_key: "customers",
  referrer_key: "customers",
  store_key: "stores",
  customer_key: "customers",
};

/**
 * Makes a view `public_…` of each table, with the public id beside each key (`store_id` beside `store_key`), for tests
 * that look at rows without the API.
 */
export async function createPublicViews(): Promise<void> {
  const configs = Object.values(tables)
    .filter((table) => table instanceof SQLiteTable)
    .map((table) => getTableConfig(table));
  await env.DB.batch(
    configs.map(({ name, columns, foreignKeys }) => {
      const targets = new Map(
        foreignKeys.flatMap((key) => {
          const { columns: from, foreignTable } = key.reference();
          const [column] = from;
          return from.length === 1 && column ? [[column.name, getTableConfig(foreignTable).name] as const] : [];
        }),
      );
      const ids = columns.flatMap(({ name: column }) => {
        const target = targets.get(column) ?? TARGETS[column];
        const id = column.replace(/_key$/, "_id");
        if (target === undefined || id === column || columns.some((one) => one.name === id)) return [];
        return [`(SELECT id FROM ${target} WHERE key = ${name}.${column}) AS ${id}`];
      });
      return env.DB.prepare(
        `CREATE VIEW IF NOT EXISTS public_${name} AS SELECT ${[`${name}.*`, ...ids].join(", ")} FROM ${name}`,
      );
    }),
  );
}
