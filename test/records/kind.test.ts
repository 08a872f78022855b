import { getTableName } from "drizzle-orm";
import { describe, it } from "vitest";
import feedPage from "../../docs/contract/feed.md?raw";
import interfacePage from "../../docs/contract/interface.md?raw";
import { KINDS, RESTORED_KINDS } from "../../src/records/index.ts";
import * as model from "../model/kinds.ts";
import { MIXED } from "../programs/shapes.ts";
import { mustFeed } from "../support/api.ts";
import * as seed from "../support/seed.ts";
import { rows } from "../support/state.ts";

describe("a kind's lines", () => {
  it.for(RESTORED_KINDS)(
    "fill what the database does not fill, and nothing else: $record",
    async (kind, { expect }) => {
      const filled = Object.keys(kind.columns);
      // A restore also fills what the database counts.
      const fed = Object.keys(KINDS.find(({ record }) => record === kind.record)?.columns ?? kind.columns);
      const stored = await rows(`SELECT * FROM pragma_table_xinfo('${getTableName(kind.table)}') WHERE name <> 'key'`);

      const required = stored.filter(
        ({ notnull, pk, dflt_value }) => (notnull === 1 || pk !== 0) && dflt_value === null,
      );
      const byDatabase = stored.filter(({ hidden, dflt_value }) => hidden === 2 || dflt_value !== null);
      expect(required.filter(({ name }) => !filled.includes(String(name)))).toEqual([]);
      expect(byDatabase.filter(({ name }) => fed.includes(String(name)))).toEqual([]);
    },
  );
});

const [, tableOfRecords = ""] = feedPage.split("## 4. Records");

describe("a kind of record", () => {
  it.for(KINDS)("has the fields that the model of the tests has: $record", ({ record, fields }, { expect }) => {
    const inModel = model.KINDS.find((kind) => kind.record === record)?.fields.map(({ name }) => name);

    expect(inModel?.toSorted()).toEqual(Object.keys(fields.shape).sort());
  });

  it.for(KINDS)("has its fields in the contract: $record", ({ record, fields }, { expect }) => {
    const row = tableOfRecords.split("\n").find((line) => line.startsWith(`| \`${record}\` |`)) ?? "";
    const page = row.includes("interface, 5.1") || row.includes("interface, 4.6") ? interfacePage : "";

    expect(row).not.toBe("");
    expect(Object.keys(fields.shape).filter((field) => !`${row}${page}`.includes(`\`${field}\``))).toEqual([]);
  });

  it("is in the random programs", ({ expect }) => {
    expect(Object.keys(MIXED).sort()).toEqual(KINDS.map(({ record }) => record).sort());
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
