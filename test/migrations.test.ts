import { env } from "cloudflare:workers";
import { describe, it } from "vitest";

// Only the remote D1 enforces these rules, when it splits statements (workers-sdk#15314, #14991, #4326;
// drizzle-orm#4938).
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
