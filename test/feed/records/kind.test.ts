import { getTableColumns } from "drizzle-orm";
import { describe, it } from "vitest";
import { KINDS } from "../../../src/feed/records/index.ts";

describe("a kind's lines", () => {
  it.for(KINDS)("fill every column that is not derived: $record", ({ table, columns }, { expect }) => {
    const filled = Object.values(getTableColumns(table)).filter(({ hasDefault }) => !hasDefault);

    expect(Object.keys(columns).sort()).toEqual(filled.map(({ name }) => name).sort());
  });
});
