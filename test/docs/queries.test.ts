import { describe, it } from "vitest";
import alerts from "../../docs/alerts.md?raw";
import operating from "../../docs/operating.md?raw";
import { initSync, parse_sql } from "../../node_modules/@guanmingchiu/sqlparser-ts/wasm/sqlparser_rs_wasm.js";
import wasm from "../../node_modules/@guanmingchiu/sqlparser-ts/wasm/sqlparser_rs_wasm_bg.wasm?module";
import { columnsOf, METRICS_EVENTS } from "../support/metrics.ts";

// The queries of the documents, parsed as ClickHouse's SQL, of which Analytics Engine takes a part.

initSync({ module: wasm });

// developers.cloudflare.com/analytics/analytics-engine/sql-reference
const FUNCTIONS = new Set(["argMax", "if", "max", "now", "quantileExactWeighted", "sum", "toStartOfInterval"]);
const COLUMNS_OF_ALL = ["timestamp", "_sample_interval"];

const queriesIn = (document: string) => [...document.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
const QUERIES = [...queriesIn(operating), ...queriesIn(alerts)];

type Node = Record<string, unknown>;

/** Everything of one type in a syntax tree, such as each `Identifier`. */
function nodesIn(tree: unknown, type: string): Node[] {
  if (typeof tree !== "object" || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) => [
    ...(key === type ? [value as Node] : []),
    ...nodesIn(value, type),
  ]);
}

const identifiersIn = (tree: unknown) => nodesIn(tree, "Identifier").map(({ value }) => String(value));

/** What is wrong with a query over the metrics. */
function faultsIn(query: string): string[] {
  const [tree] = parse_sql("clickhouse", query) as unknown[];
  const functions = nodesIn(tree, "Function").flatMap(({ name }) => identifiersIn(name));
  const event = METRICS_EVENTS.find((one) => query.includes(`WHERE blob1 = '${one}'`));
  if (event === undefined) return ["is of no event"];
  const columns = new Map(columnsOf(event).map(({ column, name }) => [column, name]));
  const selected = nodesIn(tree, "ExprWithAlias").map(({ expr, alias }) => {
    const read = identifiersIn(expr).filter((name) => !functions.includes(name) && !COLUMNS_OF_ALL.includes(name));
    return { alias: String((alias as Node).value), read, isBare: Object.hasOwn(expr as Node, "Identifier") };
  });
  const tables = nodesIn(tree, "Table").flatMap(({ name }) => identifiersIn(name));
  const known = [...columns.keys(), ...COLUMNS_OF_ALL, ...functions, ...tables, ...selected.map(({ alias }) => alias)];

  return [
    ...(tables.join() === "loyalty_edge" ? [] : [`reads ${tables}`]),
    ...functions.filter((name) => !FUNCTIONS.has(name)).map((name) => `calls ${name}`),
    ...identifiersIn(tree)
      .filter((name) => !known.includes(name))
      .map((name) => `names ${name}, which ${event} does not have`),
    // A column by its metric's name, and a metric's name for its column only.
    ...selected
      .filter(({ alias, isBare }) => isBare || [...columns.values()].includes(alias))
      .filter(({ alias, read }) => read.some((column) => columns.get(column) !== alias))
      .map(({ alias, read }) => `calls ${read} ${alias}`),
  ];
}

describe("the queries of the documents", () => {
  it("are six to look around, and one for each of eight alerts", ({ expect }) => {
    expect(queriesIn(operating)).toHaveLength(6);
    expect(queriesIn(alerts)).toHaveLength(8);
    expect([...alerts.matchAll(/^## \d\. /gm)]).toHaveLength(8);
  });

  it.for(QUERIES)("ask what Analytics Engine has: %s", (query, { expect }) => {
    expect(faultsIn(query)).toEqual([]);
  });

  it.for([
    ["SELECT sum( FROM loyalty_edge WHERE blob1 = 'request'", "sql parser error"],
    ["SELECT median(double2) AS p50 FROM loyalty_edge WHERE blob1 = 'request'", "calls median"],
    ["SELECT blob4 AS route FROM requests WHERE blob1 = 'request'", "reads requests"],
    ["SELECT blob4 AS route FROM loyalty_edge", "is of no event"],
    ["SELECT blob4 AS error FROM loyalty_edge WHERE blob1 = 'request'", "calls blob4 error"],
    ["SELECT max(double3) AS oldestSeconds FROM loyalty_edge WHERE blob1 = 'run'", "calls double3 oldestSeconds"],
    ["SELECT max(double9) AS most FROM loyalty_edge WHERE blob1 = 'run'", "names double9, which run does not have"],
    ["SELECT blob4 AS route FROM loyalty_edge WHERE blob1 = 'request' ORDER BY rout", "names rout,"],
  ] as const)("that are wrong would be seen: %s", ([query, fault], { expect }) => {
    const faults = () => {
      const found = faultsIn(query);
      if (found.length > 0) throw new Error(found.join());
    };

    expect(faults).toThrow(fault);
  });
});

describe("the metrics of docs/operating.md", () => {
  it("are those of the list, with their columns", ({ expect }) => {
    const rows = METRICS_EVENTS.flatMap((event) =>
      columnsOf(event).flatMap(({ column, name }) => {
        const isCommon = column === "blob1" || column === "blob2";
        return isCommon && event !== "request" ? [] : [[isCommon ? "all" : event, `\`${column}\``, `\`${name}\``]];
      }),
    );

    const documented = operating.split("\n").filter((line) => /^\| \w+ \| `(blob|double)\d+`.+\w/.test(line));

    expect(documented.map((line) => line.slice(2).split(" | ").slice(0, 3))).toEqual(rows);
  });
});
