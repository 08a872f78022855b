import { describe, it } from "vitest";
import { Changes } from "../../scripts/program/changes.ts";
import type { Line } from "../../scripts/program/line.ts";
import { idIn, kindOf, oddly, renamed, similarId } from "../../scripts/program/odd.ts";
import { demoLines, programLines } from "../../scripts/program/program.ts";
import { Random } from "../../scripts/program/random.ts";
import { benchSize, SMALL } from "../../scripts/program/shape.ts";
import { KINDS } from "../../src/feed/records/index.ts";
import { feed } from "../support/api.ts";

const small = [...programLines(SMALL)];
const oddOf = (seed: string) => {
  const random = new Random(seed);
  return small.map((line) => oddly(line, random, { filled: 0.5, replaced: 0.3 }));
};
const keyOf = (line: Line) => JSON.stringify([line.record, ...kindOf(line).keyFields.map((field) => line[field])]);

describe("a program", () => {
  it.for([
    ["small", small],
    ["large", [...programLines(benchSize(3_000))]],
    ["for the demo", demoLines()],
  ] as const)("has every kind of record, and none twice: %s", ([, lines], { expect }) => {
    expect(new Set(lines.map(({ record }) => record))).toEqual(new Set(KINDS.map(({ record }) => record)));
    expect(new Set(lines.map(keyOf)).size).toBe(lines.length);
  });

  it.for([
    ["as it is", small],
    ["with odd values", oddOf("odd")],
    ["with ids that look alike", small.map((line) => renamed(line, similarId))],
  ] as const)("is taken by the feed, beside others: %s", async ([name, own], { expect }) => {
    const lines = own.map((line) => renamed(line, idIn(name.length)));

    const answer = await feed(lines);

    expect(answer.body).toMatchObject({ status: true, items: { accepted: lines.length } });
  });

  it("gets the same odd values and changes for the same seed, and others for another", ({ expect }) => {
    const changes = new Changes(small);
    const changed = (seed: string) => Array.from({ length: 20 }, () => changes.next(new Random(seed)));

    expect(oddOf("one")).toEqual(oddOf("one"));
    expect(oddOf("one")).not.toEqual(oddOf("two"));
    expect(changed("one")).toEqual(changed("one"));
    expect(changed("one")).not.toEqual(changed("two"));
  });

  it("changes so that the feed takes most requests, and refuses some", async ({ expect }) => {
    const lines = small.map((line) => renamed(line, idIn(8)));
    const changes = new Changes(lines);
    const random = new Random("changes");
    await feed(lines);

    const taken: boolean[] = [];
    for (let request = 0; request < 100; request += 1) {
      const { status } = await feed(Array.from({ length: 4 }, () => changes.next(random)));
      taken.push(status === 200);
    }

    expect(taken.filter((isTaken) => isTaken).length).toBeGreaterThan(50);
    expect(taken).toContain(false);
  });
});
