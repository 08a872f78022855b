import { env } from "cloudflare:workers";
import { it } from "vitest";
import documentedSchema from "../../docs/schema.sql?raw";
import { SCHEMA_QUERY, schemaDump } from "../../scripts/lib/schema-dump.ts";

it("docs/schema.sql shows the schema of the migrated database", async ({ expect }) => {
  const { results } = await env.DB.prepare(SCHEMA_QUERY).all();

  expect(documentedSchema, "docs/schema.sql is out of date. Run: npm run edge -- schema").toBe(schemaDump(results));
});
