import { writeFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "../lib/project.ts";
import { aimsTable } from "./aims.ts";
import { latencyChart, rowsChart } from "./charts.ts";
import { feedTable, growthTable, largest, latencyTable, naiveTable, type Report } from "./report.ts";

const DOCS = path.join(ROOT, "docs");

/** Writes the page of the benchmark into `docs/`, with its charts. */
export function writePage(report: Report): void {
  writeFileSync(path.join(DOCS, "benchmark-latency.svg"), latencyChart(report));
  writeFileSync(path.join(DOCS, "benchmark-rows.svg"), rowsChart(report));
  writeFileSync(path.join(DOCS, "benchmark.md"), page(report));
}

function page(report: Report): string {
  const { machine, scales, at, rounds } = report;
  const sizes = scales.map(({ name, lines }) => `${name} customers (${lines.toLocaleString("en")} lines)`).join(", ");
  return `# Benchmark

Written by \`npm run bench -- --scale ${scales.map(({ name }) => name).join(",")} --rounds ${rounds} --docs\` on ${at.slice(0, 10)}:
${machine.cores} cores (${machine.cpu}), ${machine.memoryGiB} GiB, Node ${machine.node}, workerd ${machine.workerd};
the machine's load just before was ${machine.load}.

Times depend on the machine, so look at the ratios. Every case and the baseline are asked in turn, in another order each
round, so that all of them meet the same machine; the naive queries come after them, because a scan of a million rows throws everything else out of the processor's caches. The **baseline** is a \`SELECT 1\` for an authenticated customer by the same Worker: what the
runtime, the token and one round trip to D1 cost. Everything runs on one machine, so a round trip takes a millisecond; across a network it takes ten,
and the ratios come closer to one. After the load the Worker's schedule has run once. What is asked for is picked from the data: the densest place, the widest team, the commonest name, and their opposites.

## Aims

Of the ratios below, at ${largest(report)}: what must be reached at least, the aim, the worst case and the best, and how many cases reach each. Every request makes one
round trip to D1, a warm leaderboard none.

${aimsTable(report)}

## Each case at ${largest(report)}

${latencyTable(report)}

\`req/s\` is with 1 and with 32 connections, client and Worker on the same cores. \`round trips\` are those to D1, \`rows\` what D1 bills as read.

## Growth

Data: ${sizes}, the same seed. Where the answer is larger at the larger scale, its cost is not comparable.

![The ratio to the baseline against the scale](benchmark-latency.svg)

${growthTable(report)}

## Against naive queries

A naive query gives the same answer from the same data in the way that comes to mind first, with indexes on the foreign keys: the haversine of every store of the chain and a
sum over its entries; \`LIKE '%…%'\` over the tables; a recursive walk down the referrals; a sum over the plays for every request. \`slower\` is its ratio to the
baseline, divided by ours; a warm leaderboard comes from memory, the naive one from D1. The answers are compared before anything is measured (those of the search cannot be: \`LIKE\` finds words by their middles).

![Rows read against the scale](benchmark-rows.svg)

${naiveTable(report)}

## Feeding

Lines a second at ${largest(report)}, and what one line writes. Beside each request the same rows are stored by a bare \`INSERT … SELECT … FROM json_each(?)\`: into
the **same tables**, with their indexes and triggers, and into **bare tables** with nothing but a key. The rest is what the feed promises: every line
checked, references and accounts looked at, derived totals updated, all or nothing.

${feedTable(report)}
`;
}
