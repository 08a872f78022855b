import { getTableColumns } from "drizzle-orm";
import { describe, it } from "vitest";
import { KINDS } from "../../../src/feed/records/index.ts";
import { mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";

describe("a kind's lines", () => {
  it.for(KINDS)("fill every column that the database does not fill: $record", ({ table, columns }, { expect }) => {
    const unfilledColumns = Object.values(getTableColumns(table)).filter(({ hasDefault }) => !hasDefault);

    expect(Object.keys(columns).sort()).toEqual(unfilledColumns.map(({ name }) => name).sort());
  });
});

describe("an erased customer", () => {
  it("has nothing left of the fields of a line, except the id", async ({ expect }) => {
    const kind = KINDS.find(({ record }) => record === "customer");
    const fields = Object.keys(kind?.fields.shape ?? {});
    const texts = Object.fromEntries(fields.map((field) => [field, field === "date_of_birth" ? "1815-12-10" : field]));
    await mustFeed([{ record: "customer", ...texts }]);
    await mustFeed([seed.deleted("customer", { id: "id" })]);

    const [row = {}] = await rows(`SELECT ${Object.keys(kind?.columns ?? {}).join(", ")} FROM customers`);

    expect(Object.values(row).filter((value) => value !== null && value !== "")).toEqual(["id"]);
  });
});
