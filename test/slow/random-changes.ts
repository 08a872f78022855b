import type { Random } from "../../scripts/program/random.ts";
import { checkFields } from "../../src/feed/lines.ts";
import { KINDS } from "../../src/records/index.ts";

/** Values of which most fields take some. */
const VALUES: readonly unknown[] = [
  ...["changed", "Ünïcode 変更", "2.50", "-1.05", "2026-02-03", "2026-02-03 04:05:06", "America/New_York", "AB-1 2"],
  ...[0, 1, 2, 3, 41, null, "all", ["one line"], true],
];
/** Other values of these would name records, or say that a record belongs elsewhere. */
const IS_REFERENCE = /_id$|^kind$|^life$/;

type Line = Record<string, unknown>;

/** The text of a line with another valid value in one field; null: nothing of the line can change. */
export function changed(text: string, random: Random): string | null {
  const line = JSON.parse(text) as Line;
  const kind = KINDS.find(({ record }) => record === line.record);
  if (kind === undefined) throw new Error(`There is no kind ${line.record}.`);
  const before = fieldsOf(line);
  const names = Object.keys(kind.fields.shape).filter(
    (name) => !kind.keyFields.includes(name) && !IS_REFERENCE.test(name),
  );
  const tries = shuffled(names, random).flatMap((name) =>
    [...shuffled(VALUES, random), ...otherOrders(line[name])].map((value) => ({ ...line, [name]: value })),
  );
  const found = tries.find((other) => {
    const after = fieldsOf(other);
    return after !== null && after !== before && !isOnlyTime(other, line);
  });
  return found === undefined ? null : JSON.stringify(found);
}

/** The valid fields of a line, as a text; null: it is not valid. */
function fieldsOf(line: Line): string | null {
  const checked = checkFields(JSON.stringify(line), KINDS);
  return "fields" in checked ? JSON.stringify(checked.fields) : null;
}

/** A time that is left out stays as it is stored, so it is no change. */
function isOnlyTime(line: Line, other: Line): boolean {
  return Object.keys(line).some((name) => line[name] === null && /_at$/.test(name) && line[name] !== other[name]);
}

/** A list without its last item, for lists of stores and members. */
function otherOrders(value: unknown): unknown[] {
  return Array.isArray(value) ? [value.slice(0, -1), value.toReversed()] : [];
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, rank: random.next() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}
