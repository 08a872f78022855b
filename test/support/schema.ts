import { env } from "cloudflare:workers";
import { readSchema, type Schema } from "../../scripts/lib/schema-facts.ts";

/** What the migrated database says of its tables, views and triggers. */
export function migratedSchema(): Promise<Schema> {
  return readSchema(async <Row>(query: string) => (await env.DB.prepare(query).all<Row>()).results);
}
