import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import schema from "../docs/schema.sql?raw";
import { SCHEMA_QUERY, schemaDump } from "../scripts/lib/schema-dump.ts";

// Rules that only the remote D1's splitter of statements enforces (workers-sdk#15314, #14991, #4326; drizzle-orm#4938).
describe.for(env.TEST_MIGRATIONS)("migration $name", ({ queries }) => {
  const text = queries.join(";\n").replace(/--.*$/gm, "");

  it("writes triggers as the remote splitter reads them", ({ expect }) => {
    expect(text).not.toMatch(/\r/);
    for (const trigger of text.match(/create\s+trigger[\s\S]*?\bend\b/gi) ?? []) {
      expect(trigger).toMatch(/\bBEGIN\b/);
      expect(trigger).toMatch(/\bEND$/);
      expect(trigger).not.toMatch(/\bcase\b/i);
    }
  });

  it("rebuilds no table: that would delete child rows and triggers on D1", ({ expect }) => {
    expect(text).not.toMatch(/pragma\s+foreign_keys/i);
    expect(text).not.toMatch(/drop\s+table/i);
  });
});

// D1 applies a migration in one transaction with its row in the ledger, so it may be cut off before, or not at all.
describe("a deployment that is cut off", () => {
  const dump = async () => schemaDump((await env.DB.prepare(SCHEMA_QUERY).all()).results);

  it.for(env.TEST_MIGRATIONS.map((migration, index) => ({ ...migration, index })))(
    "in $name leaves nothing of it, and the next one goes on from there",
    async ({ name, queries, index }, { expect }) => {
      await reset();
      await applyD1Migrations(env.DB, env.TEST_MIGRATIONS.slice(0, index));
      const before = await dump();

      for (let length = 0; length <= queries.length; length += 1) {
        const texts = [...queries.slice(0, length), "SELECT * FROM cut_off_here"];
        await expect(env.DB.batch(texts.map((text) => env.DB.prepare(text))), name).rejects.toThrow("cut_off_here");
      }

      expect(await dump()).toBe(before);
      await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
      expect(await dump()).toBe(schema);
    },
  );
});
