import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { describe, expectTypeOf, it } from "vitest";
import { Database } from "../../src/db/database.ts";
import { named, query } from "../../src/db/query.ts";
import { jobs } from "../../src/db/tables.ts";
import { accounts } from "../../src/records/account.ts";
import { stores } from "../../src/records/store.ts";
import { mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";

const db = () => new Database(env.DB, "first-primary");

describe("the query builder", () => {
  it("keeps columns with one name apart, and infers their types", async ({ expect }) => {
    const account = seed.account();
    const store = seed.store(account.id);
    await mustFeed([account, store]);

    const rows = await db().all(
      query
        .select({ accountId: accounts.id, storeId: stores.id, logo: accounts.chain_logo })
        .from(stores)
        .innerJoin(accounts, eq(accounts.key, stores.account_key))
        .where(eq(stores.id, store.id)),
    );

    expectTypeOf(rows).toEqualTypeOf<{ accountId: string; storeId: string; logo: string | null }[]>();
    expect(rows).toEqual([{ accountId: account.id, storeId: store.id, logo: null }]);
  });

  it("lets a subquery among the fields read the row of the query", async ({ expect }) => {
    const account = seed.account();
    const store = seed.store(account.id);
    await mustFeed([account, store]);
    const sameId = sql<string | null>`(SELECT ${accounts.id} FROM ${accounts} WHERE ${accounts.id} = ${stores.id})`;

    const rows = await db().all(query.select({ sameId }).from(stores).where(eq(stores.id, store.id)));

    expectTypeOf(rows).toEqualTypeOf<{ sameId: string | null }[]>();
    expect(rows).toEqual([{ sameId: null }]);
  });

  it("returns the columns of a written row by the names of their properties", async ({ expect }) => {
    const { written } = await db().write({
      written: [
        query
          .update(jobs)
          .set({ lease_until: "" })
          .where(eq(jobs.name, "check in"))
          .returning(named({ job: jobs.name })),
      ],
    });

    expectTypeOf(written).toEqualTypeOf<{ job: string }[]>();
    expect(written).toEqual([{ job: "check in" }]);
  });
});
