import { describe, it } from "vitest";
import { demoLines, programLines } from "../../scripts/program/program.ts";
import { benchSize } from "../../scripts/program/shape.ts";
import { KINDS } from "../../src/feed/records/index.ts";

describe("a program", () => {
  it.for([
    ["large", [...programLines(benchSize(3_000))]],
    ["for the demo", demoLines()],
  ] as const)("has every kind of record, and none twice: %s", ([, lines], { expect }) => {
    const keys = lines.map((line) => {
      const { keyFields = [] } = KINDS.find(({ record }) => record === line.record) ?? {};
      return JSON.stringify([line.record, ...keyFields.map((field) => line[field])]);
    });

    expect(new Set(lines.map(({ record }) => record))).toEqual(new Set(KINDS.map(({ record }) => record)));
    expect(new Set(keys).size).toBe(lines.length);
  });
});
