import { env } from "cloudflare:workers";
import { it } from "vitest";
import documented from "../../docs/schema.sql?raw";
import { SCHEMA_QUERY, schemaDump } from "../../scripts/lib/schema-dump.ts";

it("docs/schema.sql is the migrated database", async ({ expect }) => {
  const { results } = await env.DB.prepare(SCHEMA_QUERY).all();

  expect(documented, "docs/schema.sql is out of date. Run: npm run schema").toBe(schemaDump(results));
});
