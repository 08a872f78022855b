import { KINDS } from "../../../src/feed/records/index.ts";
import type { Kind } from "../../../src/feed/records/kind.ts";
import type { FeedLine } from "../../support/api.ts";

export type Line = Exclude<FeedLine, string> & { record: string; deleted?: boolean };

/** A request, and how many seconds the clock moves before it: back, too. */
export interface Step {
  seconds: number;
  lines: Line[];
}

/** A program, and what both databases are fed after its export. */
export interface Transfer {
  ids: Ids;
  first: readonly Step[];
  further: readonly Step[];
}

const ids = (letter: string, count: number) => Array.from({ length: count }, (_, at) => `1-${letter}${at + 1}`);

/** The ids of the full program. */
export const IDS = {
  accounts: ["11", "12", "13"],
  stores: ids("s", 3),
  campaigns: ids("k", 3),
  customers: ids("c", 4),
  entries: ids("b", 8),
  coupons: ids("q", 4),
  customerCoupons: ids("i", 4),
  groups: ids("g", 2),
  messages: ids("m", 12),
  employees: ["e1", "e2"],
  contests: ["p1", "p2"],
  earnings: ["t1", "t2", "t3"],
  plays: ["y1", "y2", "y3", "y4"],
};
export type Ids = typeof IDS;

/** Values of every type that a field may have. */
const CANDIDATES = [
  "é 1",
  'Łódź, "Bo" and \\ and 🦉\n',
  "2026-03-04 05:06:07",
  "2026-05-31 23:59:59",
  "2026-03-04",
  "12.5",
  "7",
  1,
  3,
  0.5,
  true,
  ["é", "2"],
  { chain_display_name: "Zoë", description: "d", chain_active: 1, team_breakdown: { a: ["b"] }, exchange_rate: "1.5" },
];

/** Of a kind, the fields that a line may leave out and that name no record, with values that each may have. */
const OPTIONAL = new Map(KINDS.map((kind) => [kind.record, optionalValues(kind)]));

function optionalValues(kind: Kind): [field: string, values: unknown[]][] {
  const naming = [...kind.keyFields, ...Object.keys(kind.references), kind.list?.field];
  return Object.entries(kind.fields.shape)
    .filter(([field, schema]) => !naming.includes(field) && schema.safeParse(undefined).success)
    .map(([field, schema]) => {
      const byDefault = JSON.stringify(schema.safeParse(undefined).data);
      const readings = [`text of ${field}`, ...CANDIDATES].map((value) => ({ value, ...schema.safeParse(value) }));
      return [
        field,
        readings.filter(({ success, data }) => success && JSON.stringify(data) !== byDefault).map(({ value }) => value),
      ];
    });
}

/** The line with all fields that it leaves out. */
export function filledIn(line: Line, salt: number): Line {
  const missing = (OPTIONAL.get(line.record) ?? []).filter(([field]) => !(field in line));
  const chosen = missing.map(([field, values], at) => [field, values[(salt + at) % values.length]]);
  return line.deleted ? line : { ...line, ...Object.fromEntries(chosen) };
}
