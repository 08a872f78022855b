import { table } from "../lib/table.ts";
import { historyCosts } from "./history.ts";
import {
  appsOfOneDatabase,
  CHAIN,
  type Load,
  logsOf,
  MILLION_APPS,
  pointsOf,
  tracesOf,
  usageOf,
  WAYS,
} from "./loads.ts";
import { dollarsOf, PLAN_DOLLARS, PRICES, READ_ON, type Usage } from "./prices.ts";

const LOG_ONE_IN = 20;
const PAGES = "https://developers.cloudflare.com/";

/** The tables of docs/costs.md, in their order. */
export function costTables(): string[] {
  return [costsOf(MILLION_APPS), costsOf(CHAIN), historyCosts(), prices()];
}

/** What a load costs a month in each way: by service, and what it would be with other settings. */
function costsOf(load: Load): string {
  const { countIncluded } = load;
  const row = (what: string, usage: (way: (typeof WAYS)[number]) => Usage) => ({
    what,
    dollars: WAYS.map((way) => dollarsOf(usage(way), { countIncluded })),
  });
  // Logs and traces share what is included.
  const observed = (oneIn: number) => (way: (typeof WAYS)[number]) =>
    add(logsOf(load, way, oneIn), tracesOf(load, way));
  const parts = [
    ...(countIncluded ? [{ what: "the plan", dollars: WAYS.map(() => PLAN_DOLLARS) }] : []),
    row("Workers", (way) => usageOf(load, way).Workers),
    row("D1", (way) => usageOf(load, way).D1),
    row("Durable Objects", (way) => usageOf(load, way)["Durable Objects"]),
    ...(load.boards > 0 ? [row("KV", (way) => usageOf(load, way).KV)] : []),
    row("logs and traces", observed(LOG_ONE_IN)),
  ];
  const all = { what: "**all**", dollars: WAYS.map((_, way) => sum(parts.map(({ dollars }) => dollars[way] ?? 0))) };
  const others = [
    row('logs and traces, `LOG_SAMPLE = "1"`', observed(1)),
    row("metrics", (way) => pointsOf(load, way)),
  ];
  const money = (dollars: number) => inDigits(dollars, countIncluded ? 2 : 0);
  const rows = [...parts, all, ...others].map(({ what, dollars }) => [what, ...dollars.map(money)]);
  const apps = ["apps that one database can serve", ...WAYS.map((way) => inDigits(rounded(appsOfOneDatabase(way)), 0))];
  return table(["dollars a month", ...WAYS], countIncluded ? rows : [...rows, apps]);
}

/** Every price, with where and when it was read. */
function prices(): string {
  return table(
    ["", "unit", "dollars", "included a month", "source", "read on"],
    Object.values(PRICES).map(({ what, unit, dollars, per, included, page }) => [
      what,
      per === 1 ? unit : `million ${unit}`,
      String(dollars),
      included.toLocaleString("en-US"),
      `[${page.split("/")[0]}](${PAGES}${page})`,
      READ_ON,
    ]),
  );
}

function add(one: Usage, other: Usage): Usage {
  return {
    logGb: (one.logGb ?? 0) + (other.logGb ?? 0),
    logGbMonths: (one.logGbMonths ?? 0) + (other.logGbMonths ?? 0),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function rounded(apps: number): number {
  return Math.round(apps / 1_000) * 1_000;
}

function inDigits(number: number, digits: number): string {
  return number.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
