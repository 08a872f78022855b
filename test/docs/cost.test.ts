import { describe, it } from "vitest";

const documents = import.meta.glob<string>("../../docs/operating.md", {
  query: "?raw",
  import: "default",
  eager: true,
});
const operating = documents["../../docs/operating.md"] ?? "";

const SECONDS_A_DAY = 86_400;
const D1_POLLS_A_SECOND = 1_000;

describe("the cost of polls and sockets", () => {
  const quantities = rowsUnder("each, in millions a month");
  const dollars = rowsUnder("dollars a month");

  it("is the quantity times the price", ({ expect }) => {
    const products = quantities.map(([what, price, ...millions]) => [
      what,
      ...millions.map((count) => Math.round(toNumber(price) * toNumber(count))),
    ]);

    expect(dollars.slice(0, -1).map(([what, ...each]) => [what, ...each.map(toNumber)])).toEqual(products);
  });

  it("is added up", ({ expect }) => {
    const [, ...all] = dollars.at(-1) ?? [];

    const sums = all.map((_, way) => dollars.slice(0, -1).reduce((sum, row) => sum + toNumber(row[way + 1]), 0));

    expect(all.map(toNumber)).toEqual(sums);
    expect(sums).toHaveLength(4);
  });

  it("says how many apps one database serves, to the nearest thousand", ({ expect }) => {
    const rows = rowsUnder("way");

    const apps = rows.map(([, polls]) => (D1_POLLS_A_SECOND * SECONDS_A_DAY) / toNumber(polls));

    expect(rows.map(([, , count]) => toNumber(count))).toEqual(apps.map((count) => Math.round(count / 1_000) * 1_000));
    expect(rows).toHaveLength(4);
  });
});

/** The rows of the table whose head begins so. */
function rowsUnder(head: string): string[][] {
  const lines = operating.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${head} `));
  const rest = lines.slice(start + 2);
  return rest
    .slice(
      0,
      rest.findIndex((line) => !line.startsWith("|")),
    )
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

function toNumber(text = ""): number {
  return text === "–" ? 0 : Number(text.replaceAll(",", ""));
}
