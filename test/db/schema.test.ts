import { describe, it } from "vitest";
import document from "../../docs/schema.md?raw";
import { schemaDocument } from "../../scripts/lib/schema-document.ts";
import { migratedSchema } from "../support/schema.ts";

const files = import.meta.glob<string>("../../migrations/*.sql", { query: "?raw", import: "default", eager: true });
const migrations = Object.entries(files)
  .map(([path, text]) => ({ name: path.replace(/^.*\//, ""), text }))
  .sort((one, other) => (one.name < other.name ? -1 : 1));

describe("docs/schema.md", () => {
  it("describes the migrated database as it is", async ({ expect }) => {
    const expected = schemaDocument(migrations, await migratedSchema());

    expect(document, "docs/schema.md is out of date. Run: npm run schema").toBe(expected);
  });

  it("names every table, index, view and trigger, and says what each is for", async ({ expect }) => {
    const { tables, views, triggers, virtualTables } = await migratedSchema();

    const all = [tables, tables.flatMap(({ indexes }) => indexes), views, triggers, virtualTables].flat();
    for (const { name } of all) expect(document).toMatch(new RegExp(`^(### |- ).*\`${name}\``, "m"));
  });

  it("is refused where nothing says what a new index is for", async ({ expect }) => {
    const uncommented = { name: "0099_more.sql", text: "CREATE INDEX more ON stores (name);\n" };
    const schema = await migratedSchema();

    expect(() => schemaDocument([...migrations, uncommented], schema)).toThrow(
      "Say in a comment before more in migrations/0099_more.sql what it is for.",
    );
  });
});
