import { checkLine } from "../../src/feed/lines.ts";
import { KINDS } from "../../src/feed/records/index.ts";
import type { Kind } from "../../src/feed/records/kind.ts";
import type { Line } from "./line.ts";
import type { Random } from "./random.ts";

/** Values that have broken programs before, and some of each type that a field may have. */
const ODD_VALUES: readonly unknown[] = [
  `O'Neil "Bo" \\ %_* 🦉\n`,
  "שלום عالم \u202eevil",
  "👩‍👩‍👧‍👦 Łódź İıſK",
  "e\u0301 1",
  "1970-01-01 00:00:00",
  "2024-02-29",
  "2026-05-31 23:59:59",
  "2026-06-01",
  "9999-12-31",
  "America/Los_Angeles",
  "Pacific/Kiritimati",
  "12.5",
  "-0.01",
  "0",
  0,
  1,
  3,
  0.5,
  90,
  -90,
  180,
  -180,
  true,
  ["é", "2"],
  { chain_display_name: "Zoë", chain_active: 1, team_breakdown: { a: ["b"] }, exchange_rate: "1.5" },
];

/** The fields that name a record: the line's own, or another. */
export function namingFields({ keyFields, references, list, accountField }: Kind): string[] {
  return [...new Set([...keyFields, ...Object.keys(references), list?.field ?? [], accountField ?? []].flat())];
}

export function kindOf({ record }: Line): Kind {
  const kind = KINDS.find((one) => one.record === record);
  if (kind === undefined) throw new Error(`There is no kind ${record}.`);
  return kind;
}

const isGood = (line: Line) => "line" in checkLine({ number: 1, text: JSON.stringify(line) }, KINDS);

/** Of each kind, the odd values that each field may have which names no record. */
const ODD_FIELDS = new Map(
  KINDS.map((kind) => {
    const naming = namingFields(kind);
    const fields = Object.entries(kind.fields.shape).filter(([field]) => !naming.includes(field));
    const values = fields.map(([field, schema]) => {
      const byDefault = JSON.stringify(schema.safeParse(undefined).data);
      const readings = [`text of ${field}`, ...ODD_VALUES].map((value) => ({ value, ...schema.safeParse(value) }));
      const taken = readings.filter(({ success, data }) => success && JSON.stringify(data) !== byDefault);
      return [field, taken.map(({ value }) => value)] as const;
    });
    return [kind.record, values.filter(([, taken]) => taken.length > 0)] as const;
  }),
);

/**
 * The line with odd values, which the feed takes as well: in so many of the fields that it leaves out, and of those that
 * it has; 0 is none, and 1 is all.
 */
export function oddly(line: Line, random: Random, { filled = 0.5, replaced = 0 } = {}): Line {
  if (line.deleted === true) return line;
  const odd = (ODD_FIELDS.get(line.record) ?? [])
    .filter(([field]) => random.next() < (field in line ? replaced : filled))
    .map(([field, values]) => [field, random.pick(values)] as const);
  let good = line;
  for (const [field, value] of odd) {
    const next = { ...good, [field]: value };
    // Values that do not fit each other are left out.
    if (isGood(next)) good = next;
  }
  return good;
}

/** The line with other ids, of itself and of those that it names. Ids of accounts are digits. */
export function renamed(line: Line, rename: (id: string, isAccount: boolean) => string): Line {
  const kind = kindOf(line);
  const fields = namingFields(kind).filter((field) => line[field] !== undefined && line[field] !== null);
  const name = (field: string, id: unknown) =>
    rename(String(id), field === "account_id" || (line.record === "account" && field === "id"));
  const others = fields.map((field) => {
    const value = line[field];
    if (Array.isArray(value)) return [field, value.map((id) => name(field, id))];
    return [field, field === kind.list?.field ? value : name(field, value)];
  });
  return { ...line, ...Object.fromEntries(others) };
}

/** Ids that look alike: of four that follow each other `c1`, `C1`, `c01` and `ć1` differ in a case, a zero, an accent. */
export function similarId(id: string, isAccount: boolean): string {
  const [, stem, digits = ""] = /^([a-z].*?)(\d+)$/.exec(id) ?? [];
  if (isAccount || stem === undefined) return id;
  const [number, way] = [Math.ceil(Number(digits) / 4), Number(digits) % 4];
  return (
    [`${stem}\u0301${number}`, `${stem}${number}`, `${stem.toUpperCase()}${number}`, `${stem}0${number}`][way] ?? id
  );
}

/** The same id in a world of its own, so that several programs are in one database. */
export function idIn(world: number) {
  return (id: string, isAccount: boolean): string => (isAccount ? `${world}${id}` : `${world}-${id}`);
}
