import { getTableColumns } from "drizzle-orm";
import { describe, it } from "vitest";
import { KINDS } from "../../../src/feed/records/index.ts";
import { mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";

describe("a kind's lines", () => {
  it.for(KINDS)("fill every column that is not derived: $record", ({ table, columns }, { expect }) => {
    const filled = Object.values(getTableColumns(table)).filter(({ hasDefault }) => !hasDefault);

    expect(Object.keys(columns).sort()).toEqual(filled.map(({ name }) => name).sort());
  });
});

describe("an erased customer", () => {
  it("has nothing left of what a line filled but the id", async ({ expect }) => {
    const texts = { city: "Oslo", date_of_birth: "1815-12-10", customer_description: "Writes" };
    const customer = seed.customer(texts);
    await mustFeed([customer]);
    const kind = KINDS.find(({ record }) => record === "customer");
    const filled = Object.keys(kind?.columns ?? {}).filter((name) => name !== "id");

    await mustFeed([seed.deleted("customer", { id: customer.id })]);

    const [row = {}] = await rows(`SELECT ${filled.join(", ")} FROM customers WHERE id = ?`, customer.id);
    expect(Object.values(row).filter((value) => value !== null && value !== "")).toEqual([]);
  });
});
