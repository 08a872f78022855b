import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, it } from "vitest";
import * as tables from "../../src/db/tables.ts";
import { rows } from "../support/state.ts";

const all = Object.values(tables)
  .filter((table) => table instanceof SQLiteTable)
  .map((table) => getTableConfig(table));

describe.for(all)("table $name", ({ name, columns }) => {
  it("has the columns that the migrations made, no more and no fewer", async ({ expect }) => {
    const made = await rows("SELECT name, type FROM pragma_table_xinfo(?) ORDER BY name", name);

    const named = columns.map((column) => ({ name: column.name, type: column.getSQLType().toUpperCase() }));

    expect(named.sort((one, other) => (one.name < other.name ? -1 : 1))).toEqual(made);
  });
});
