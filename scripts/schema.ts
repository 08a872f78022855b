import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Command } from "commander";
import { main, ROOT } from "./lib/project.ts";
import { schemaDocument } from "./lib/schema-document.ts";
import { readSchema } from "./lib/schema-facts.ts";

const program = new Command("npm run schema")
  .description("Write docs/schema.md anew from the migrations. Run it whenever they change.")
  .action(writeDocument);

await main(async () => {
  await program.parseAsync();
});

async function writeDocument(): Promise<void> {
  const folder = path.join(ROOT, "migrations");
  const migrations = readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => ({ name, text: readFileSync(path.join(folder, name), "utf8") }));
  const database = new DatabaseSync(":memory:");
  for (const { text } of migrations) database.exec(text);
  const schema = await readSchema(async <Row>(query: string) => database.prepare(query).all() as Row[]);
  writeFileSync(path.join(ROOT, "docs", "schema.md"), schemaDocument(migrations, schema));
  console.error(`docs/schema.md describes ${schema.tables.length} tables.`);
}
