import { writeFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "../lib/project.ts";
import { aimsTable } from "./aims.ts";
import { capacityTable, crowdedTable } from "./capacity.ts";
import { latencyChart, rowsChart } from "./charts.ts";
import { MORE_CAMPAIGNS } from "./crowded.ts";
import { liveSection } from "./live/tables.ts";
import { feedTable, growthTable, largest, latencyTable, naiveTable, type Report } from "./report.ts";
import type { Ids } from "./scales.ts";

const IDS: Record<Ids, string> = {
  own: "Ids are short and in order: `c0`, `c1`, ….",
  uuid: "Every id but those of accounts is a UUID, in no order, as in most real systems.",
  both: "Ids are short and in order: `c0`, `c1`, …. What feeding costs with UUIDs instead is measured beside.",
};

const BEFORE = ` The run before is an earlier
one on this machine: each case's ratio to the baseline is divided by what it was then. Runs of one and the same version differ by some hundredths.`;

const FED_TWICE = ` **With UUIDs** is
the same feed into a second database, in turn with the first, with a UUID in the place of every id but those of accounts: longer, and in no order, as in most real systems.`;

const DOCS = path.join(ROOT, "docs");

/** Writes the page of the benchmark into `docs/`, with its charts. */
export function writePage(report: Report, before?: Report): void {
  writeFileSync(path.join(DOCS, "benchmark-latency.svg"), latencyChart(report));
  writeFileSync(path.join(DOCS, "benchmark-rows.svg"), rowsChart(report));
  writeFileSync(path.join(DOCS, "benchmark.md"), page(report, before));
}

function page(report: Report, before?: Report): string {
  const { machine, scales, at, rounds, ids } = report;
  const sizes = scales.map(({ name, lines }) => `${name} customers (${lines.toLocaleString("en")} lines)`).join(", ");
  return `# Benchmark

Written by \`npm run bench -- --scale ${scales.map(({ name }) => name).join(",")} --rounds ${rounds} --ids ${ids} --docs\` on ${at.slice(0, 10)}:
${machine.cores} cores (${machine.cpu}), ${machine.memoryGiB} GiB, Node ${machine.node}, workerd ${machine.workerd};
the machine's load just before was ${machine.load}.

Times depend on the machine, so look at the ratios. Every case and the baseline are asked in turn, in another order each
round, so that all of them meet the same machine; the naive queries come after them, because a scan of a million rows throws everything else out of the processor's caches. The **baseline** is a \`SELECT 1\` for an authenticated customer by the same Worker: what the
runtime, the token and one round trip to D1 cost. Everything runs on one machine, so a round trip takes a millisecond; across a network it takes ten,
and the ratios come closer to one. After the load the Worker's schedule has run once. What is asked for is picked from the data: the densest place, the widest team, the commonest name, and their opposites; a common name with a typo; of a hundred searches for words of one to three letters the slowest.
${IDS[ids]}

## Aims

Of the ratios below, at ${largest(report)}: what must be reached at least, the aim, the worst case and the best, and how many cases reach each. Every request makes one
round trip to D1, a search that finds nothing two or three, a warm leaderboard and a poll to which nothing is new none.${before === undefined ? "" : BEFORE}

${aimsTable(report, before)}

## Each case at ${largest(report)}

${latencyTable(report)}

\`req/s\` is with 1 and with 32 connections, client and Worker on the same cores. \`round trips\` are those to D1, \`rows\` what D1 bills as read.
\`SQLite ms\` is what SQLite itself took, by D1's own account (\`meta.duration\`). On this machine each answer tells it in whole milliseconds; the figure is
the mean of the ${rounds} answers without the slowest twentieth, and right to about ${clockError(rounds)} ms.

## What one database can answer

A D1 database does one thing after the other, so how many requests it can answer in a second is 1,000 divided by the milliseconds that SQLite takes for one.
Plan a deployment by this table: add up, over the requests that you expect in a second, their \`SQLite ms\`; where that comes near 1,000, one database is full.

${capacityTable(report)}

A warm leaderboard does not ask the database, nor does a poll to which nothing is new. These are upper limits of one database at ${largest(report)} on this machine. They leave out the network and the Workers, of which there are as many as are needed; what
D1 adds to each request around SQLite; replicas, each of which answers as many again; and feeding, which takes its time from the same database.

## Many campaigns for all stores

The densest place, copied into chains of their own that have 0, ${MORE_CAMPAIGNS.slice(1, -1).join(", ")} and ${MORE_CAMPAIGNS.at(-1)} more running campaigns for all stores. A campaign for all stores is as near as the nearest
store: it must not cost a look at every store nearby. The copies are fed after everything else is measured, and are asked in turn with each other.

${crowdedTable(report)}

${report.live === undefined ? "" : `${liveSection(report.live)}\n`}## Growth

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
checked, references and accounts looked at, derived totals updated, all or nothing.${ids === "both" ? FED_TWICE : ""}

${feedTable(report)}
`;
}

/** The standard error of a mean of times that are known in whole milliseconds only, as large as it can be. */
function clockError(rounds: number): string {
  return (0.5 / Math.sqrt(rounds)).toFixed(2);
}
