import { Command, InvalidArgumentError } from "commander";
import { costsOf, PROGRAMS, type Program, WAYS } from "./lib/costs.ts";
import { main } from "./lib/project.ts";
import { table } from "./lib/table.ts";

const program = new Command("npm run costs --").description(
  "Print what programs cost at Cloudflare, in dollars a month: those of docs/costs.md, or yours.",
);
const [chain] = Object.values(PROGRAMS);
const names = Object.keys(chain ?? {}) as (keyof Program)[];
for (const name of names)
  program.option(`--${dashed(name)} <n>`, `else ${chain?.[name]}, as an ordinary chain`, amount);
program.addHelpText("after", "\nscripts/lib/costs.ts says what each figure is. More: docs/costs.md").action(print);

await main(() => program.parseAsync());

function print(figures: Partial<Program>): void {
  const yours = chain === undefined || Object.keys(figures).length === 0 ? {} : { yours: { ...chain, ...figures } };
  for (const [name, one] of Object.entries({ ...PROGRAMS, ...yours })) console.log(`\n${costTable(name, one)}`);
}

function costTable(name: string, one: Program): string {
  const costs = Object.values(WAYS).map((way) => costsOf(one, way));
  const rows = Object.keys(costs[0] ?? {}).map((row) => [row, ...costs.map((cost) => dollars(cost[row] ?? 0))]);
  return table([name, ...Object.keys(WAYS)], rows);
}

function dollars(amount: number): string {
  return amount >= 1_000 ? Math.round(amount).toLocaleString("en") : amount.toFixed(2);
}

/** The name of an option: screen-rows of screenRows. */
function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function amount(text: string): number {
  const number = Number(text);
  if (text === "" || !(number >= 0)) throw new InvalidArgumentError("It must be a number, 0 or more.");
  return number;
}
