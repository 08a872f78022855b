import { table } from "../lib/table.ts";
import { dollarsOf, type Usage } from "./prices.ts";

const ENTRIES = 1_000_000_000;
// With ids of ten characters; with UUIDs 61 bytes in R2.
const BYTES = { inDatabase: 75, inSegment: 23 };
// Of the 20,000 that a step looks at, one in thirteen leaves.
const LINES_A_SEGMENT = 1_500;
// The delete, and the opening: each entry is of another balance.
const ROWS_TO_SEAL = 2.02;
// A walk looks at every entry each month, here of a database that keeps a year (docs/decisions.md).
const ROWS_READ_TO_SEAL = 90;
const MONTHS = 12;

const gigabytes = (bytes: number) => (ENTRIES * bytes) / 1e9;
const segments = ENTRIES / LINES_A_SEGMENT;

/** What a thousand million balance entries use in each place. */
export const KEPT: Readonly<Record<string, { inDatabase: Usage; inSegments: Usage }>> = {
  "stored, for each year": {
    inDatabase: { databaseGb: MONTHS * gigabytes(BYTES.inDatabase) },
    inSegments: { objectGbMonths: MONTHS * gigabytes(BYTES.inSegment) },
  },
  "leaving the database, once: rows written": { inDatabase: {}, inSegments: { rowsWritten: ENTRIES * ROWS_TO_SEAL } },
  "leaving the database, once: rows read": { inDatabase: {}, inSegments: { rowsRead: ENTRIES * ROWS_READ_TO_SEAL } },
  "leaving the database, once: objects": { inDatabase: {}, inSegments: { objectWrites: segments } },
  "each copy or verification: objects": { inDatabase: {}, inSegments: { objectReads: segments } },
};

/** What it costs to keep them. */
export function historyCosts(): string {
  const dollars = (usage: Usage) =>
    dollarsOf(usage, { countIncluded: false }).toLocaleString("en-US", {
      minimumFractionDigits: 2,
      maximumFractionDigits: 2,
    });
  const rows = Object.entries(KEPT).map(([what, { inDatabase, inSegments }]) => [
    what,
    dollars(inDatabase),
    dollars(inSegments),
  ]);
  const sizes = ["GB", gigabytes(BYTES.inDatabase), gigabytes(BYTES.inSegment)];
  return table(["dollars for 1,000,000,000 entries", "D1", "R2"], [sizes, ...rows]);
}
