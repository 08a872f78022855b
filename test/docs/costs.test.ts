import { describe, it } from "vitest";
import page from "../../docs/costs.md?raw";
import { columnBelow, evaluate, evaluateAll, isWritten, tableBelow } from "../support/costs-page.ts";

const WAYS = ["database", "inboxes", "sockets", "sockets and polls"] as const;

const PRICES = new Map([
  ...columnBelow("## Prices", "dollars"),
  ...[...columnBelow("## Prices", "included")].map(([name, included]) => [`${name} included`, included] as const),
]);

/** What the formulas of the page give for a program, one way. */
function dollarsOf(program: string, way: string): Map<string, number> {
  const given = new Map([
    ...PRICES,
    ...columnBelow("### Figures", "figure"),
    ...columnBelow("### The program", program),
    ...columnBelow("### The ways", way),
  ]);
  const amounts = evaluateAll(tableBelow("### Amounts").rows, given);
  let all = 0;
  return new Map(
    tableBelow("### Dollars").rows.map(([name = "", formula = ""]) => {
      const dollars = name === "all" ? all : evaluate(formula, amounts);
      all += dollars;
      return [name, dollars];
    }),
  );
}

describe("docs/costs.md", () => {
  it.for([
    ["## An ordinary chain", "chain"],
    ["## A million apps that are always open", "million apps"],
  ] as const)("gives what its own formulas give: %s", ([heading, program], { expect }) => {
    const { head, rows } = tableBelow(heading);
    const computed = WAYS.map((way) => dollarsOf(program, way));

    expect(head.slice(1)).toEqual(WAYS);
    expect(rows.length).toBeGreaterThan(7);
    const wrong = rows.flatMap(([name = "", ...figures]) =>
      figures.flatMap((figure, index) => {
        const dollars = computed[index]?.get(name);
        return dollars !== undefined && isWritten(figure, dollars) ? [] : [[name, WAYS[index], figure, dollars]];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it("writes what each formula gives that has its figure beside it", ({ expect }) => {
    const sums = [...page.matchAll(/`([^`\n]+)` = ([\d.,]*\d)/g)];

    expect(sums.length).toBeGreaterThan(5);
    expect(sums.filter(([, formula = "", figure = ""]) => !isWritten(figure, evaluate(formula, PRICES)))).toEqual([]);
  });
});
