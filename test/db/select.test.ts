import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { describe, expectTypeOf, it } from "vitest";
import { compileOnce, compilePer, Database, type PlaceholderOf } from "../../src/db/database.ts";
import { returning, select, selectWith } from "../../src/db/select.ts";
import { accounts, programState } from "../../src/db/tables.ts";

const open = () => new Database(env.DB, "first-primary");
const FIELDS = { id: accounts.id, options: accounts.loyalty_options, twice: sql<number>`2 * ${accounts.deleted}` };
const ACCOUNT = { id: "a", options: null, twice: 2 };
type Account = { id: string; options: string | null; twice: number };

const FROM_ONE = sql`FROM (SELECT 'a' AS id, NULL AS loyalty_options, 1 AS deleted) AS ${accounts}`;

describe("select", () => {
  it("answers rows of the columns and with their types", async ({ expect }) => {
    const rows = await open().all(select(FIELDS, FROM_ONE));

    expect(rows).toEqual([ACCOUNT]);
    expectTypeOf(rows).toEqualTypeOf<Account[]>();
  });

  it("gives a compiled statement the type, and each statement of a batch its own", async ({ expect }) => {
    const byId = compileOnce((placeholder: PlaceholderOf<"id">) =>
      select(FIELDS, sql`${FROM_ONE} WHERE id = ${placeholder("id")}`),
    );
    const deletedCount = compilePer((deleted: number, placeholder: PlaceholderOf<"none">) =>
      selectWith(sql`found AS (SELECT ${placeholder("none")})`, { deleted: sql<number>`${deleted}` }, sql`FROM found`),
    );

    const answers = await open().batch([byId({ id: "a" }), deletedCount(3, { none: 0 }), sql`SELECT 1 AS one`]);

    expect(answers).toEqual([[ACCOUNT], [{ deleted: 3 }], [{ one: 1 }]]);
    expectTypeOf(answers).toEqualTypeOf<[Account[], { deleted: number }[], Record<string, unknown>[]]>();
  });

  it("gives what a step returns the type of its columns", async ({ expect }) => {
    const count = returning(sql`UPDATE ${programState} SET version = 7`, { version: programState.version });

    const answer = await open().steps({ counted: [count], others: [] });

    expect(answer).toEqual({ counted: [{ version: 7 }], others: [] });
    expectTypeOf(answer.counted).toEqualTypeOf<{ version: number }[]>();
  });
});
