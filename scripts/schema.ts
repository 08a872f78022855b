import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { edgeCommand } from "./lib/options.ts";
import { ROOT } from "./lib/project.ts";
import { SCHEMA_QUERY, schemaDump } from "./lib/schema-dump.ts";

export const program = edgeCommand("schema").action(() => {
  const folder = path.join(ROOT, "migrations");
  const database = new DatabaseSync(":memory:");
  for (const name of readdirSync(folder).sort()) database.exec(readFileSync(path.join(folder, name), "utf8"));
  const rows = database.prepare(SCHEMA_QUERY).all();
  writeFileSync(path.join(ROOT, "docs", "schema.sql"), schemaDump(rows));
  console.error(`docs/schema.sql holds ${rows.length} tables, indexes, views and triggers.`);
});
