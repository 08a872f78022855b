import { isDeletable } from "../../src/feed/records/kind.ts";
import type { Line } from "./line.ts";
import { kindOf, namingFields, oddly } from "./odd.ts";
import type { Random } from "./random.ts";

// What may happen to a program after it was fed.

const DELETED = 0.2;
const ERASED = 0.04;
const MIXED = 0.3;
const ODD = 0.2;
// The service refuses a request for one bad line: few may be.
const MOVED = 0.01;
const STRAY = 0.01;
const NEW_ID = 0.4;
const NEW_IDS = 3;

/**
 * Something that happens to a program: a line sent again, with some values of other lines of its kind or odd ones; an event
 * that is new; a record that is deleted; and now and then a line that names what is not there, or moves to another account.
 */
export class Changes {
  readonly #byKind: ReadonlyMap<string, readonly Line[]>;
  readonly #records: readonly string[];

  constructor(lines: readonly Line[], records: readonly string[] = [...new Set(lines.map(({ record }) => record))]) {
    this.#byKind = Map.groupBy(lines, ({ record }) => record);
    this.#records = records;
  }

  /** The next one; the same for the same chance, so that a test which fails can be cut down. */
  next(random: Random): Line {
    const lines = this.#byKind.get(random.pick(this.#records)) ?? [];
    const line = random.pick(lines);
    const kind = kindOf(line);
    if (random.next() < (line.record === "customer" ? ERASED : DELETED) && isDeletable(kind))
      return { record: line.record, ...pickFields(line, kind.keyFields), deleted: true };

    const naming = namingFields(kind);
    const changes = Object.keys(line).filter((field) => {
      const isFixed = field === "kind" || (naming.includes(field) && !kind.keyFields.includes(field));
      return field !== "record" && field !== "id" && random.next() < (isFixed ? MOVED : MIXED);
    });
    const other = Object.fromEntries(changes.map((field) => [field, random.pick(lines)[field] ?? null]));
    const isNew = kind.type === "event" && random.next() < NEW_ID;
    const next = { ...line, ...other, ...(isNew && { id: `${line.id}-${random.integer(1, NEW_IDS)}` }) };
    const stray = random.next() < STRAY ? { [random.pick(naming)]: "nobody" } : {};
    return oddly({ ...next, ...stray }, random, { filled: ODD, replaced: ODD });
  }
}

function pickFields(line: Line, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, line[field]]));
}
