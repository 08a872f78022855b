import page from "../../docs/costs.md?raw";

// docs/costs.md as a sheet: its tables have the figures, the formulas and what comes out of them.

type Scope = ReadonlyMap<string, number>;

/** The rows of the first table below a heading, each without its marks. */
export function tableBelow(heading: string): { head: string[]; rows: string[][] } {
  const section = page.slice(page.indexOf(`\n${heading}\n`) + 1);
  const [, table = ""] = /\n\n((?:\|.*\n)+)/.exec(section) ?? [];
  const [head = [], , ...rows] = table.trim().split("\n").map(cellsOf);
  if (!section.startsWith(heading) || rows.length === 0) throw new Error(`There is no table below ${heading}.`);
  return { head, rows };
}

function cellsOf(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll(/`|\*\*/g, ""));
}

export function numberOf(text: string): number {
  const number = Number(text.replaceAll(",", ""));
  if (text === "" || Number.isNaN(number)) throw new Error(`${text} is no number.`);
  return number;
}

/** A column of a table below a heading, by the first. */
export function columnBelow(heading: string, column: string): Map<string, number> {
  const { head, rows } = tableBelow(heading);
  const index = head.indexOf(column);
  return new Map(rows.map((row) => [row[0] ?? "", numberOf(row[index] ?? "")]));
}

/** What formulas give, each with those before it. */
export function evaluateAll(formulas: readonly string[][], scope: Scope): Map<string, number> {
  const values = new Map(scope);
  for (const [name = "", formula = ""] of formulas) values.set(name, evaluate(formula, values));
  return values;
}

/** What a formula gives: numbers, names, + - * /, brackets, and `bill(amount, price)`. */
export function evaluate(formula: string, scope: Scope): number {
  const tokens = formula.match(/[\d.,]*\d|[a-z]\w*|[-+*/(),]/gi) ?? [];
  const take = () => tokens.shift() ?? "";
  const expect = (token: string) => {
    if (take() !== token) throw new Error(`${formula} lacks a ${token}.`);
  };
  const named = (name: string) => {
    const value = scope.get(name);
    if (value === undefined) throw new Error(`Nothing on the page is called ${name}.`);
    return value;
  };
  const sum = (): number => {
    let value = product();
    while (tokens[0] === "+" || tokens[0] === "-") value += take() === "+" ? product() : -product();
    return value;
  };
  const product = (): number => {
    let value = operand();
    while (tokens[0] === "*" || tokens[0] === "/") value *= take() === "*" ? operand() : 1 / operand();
    return value;
  };
  const operand = (): number => {
    const token = take();
    if (token === "(") {
      const value = sum();
      expect(")");
      return value;
    }
    if (token === "bill") {
      expect("(");
      const amount = sum();
      expect(",");
      const price = take();
      expect(")");
      return Math.max(0, amount - named(`${price} included`)) * named(price);
    }
    return /^[a-z]/.test(token) ? named(token) : numberOf(token);
  };
  const value = sum();
  if (tokens.length > 0) throw new Error(`${formula} goes on after ${tokens[0]}.`);
  return value;
}

/** Whether a figure of the page is a value, as far as it is written out. */
export function isWritten(text: string, value: number): boolean {
  const decimals = /\.(\d+)$/.exec(text)?.[1]?.length ?? 0;
  return Math.abs(numberOf(text) - value) <= 0.5 * 10 ** -decimals + 1e-9;
}
