import type { Kind } from "../../src/db/kind.ts";
import { noFieldOf } from "../../src/feed/batches.ts";
import { objectOf, readLine, unknownFields } from "../../src/feed/lines.ts";
import { NAMED_LINES } from "../../src/http/limits.ts";
import { KINDS } from "../../src/records/index.ts";
import { formatNumber } from "./format.ts";
import { looksSwapped } from "./map.ts";
import type { FileLine } from "./ndjson-file.ts";

// What a file may say without meaning it (docs/contract/feed.md, 5). A line with a warning is good.

/** A clock without an offset. */
const CLOCK = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d+)?$/;
const ENDS = ["expiration_date", "expected_end_date"];

/** The warnings about the lines of a file. Each text about a field comes once. */
export class FeedWarnings {
  readonly #said = new Set<string>();
  readonly #kinds: readonly Kind[];
  #stores = 0;
  #swappedStores = 0;

  constructor(kinds = KINDS) {
    this.#kinds = kinds;
  }

  /** The new warnings about a line. */
  of({ number, bytes }: FileLine): string[] {
    const object = objectOf(readLine(number, bytes)?.text ?? null);
    const kind = Array.isArray(object) ? undefined : this.#kinds.find(({ record }) => record === object.record);
    if (kind === undefined || Array.isArray(object) || object.deleted === true) return [];
    if (kind.record === "store") this.#look(object);
    const found = [...unknown(kind, object), ...unmeant(object)];
    return found.flatMap(([field, text]) => {
      const key = `${kind.record}.${field}`;
      if (this.#said.has(key) || this.#said.size >= NAMED_LINES) return [];
      this.#said.add(key);
      return [`Warning: line ${number}.${field}: ${text}`];
    });
  }

  #look({ latitude, longitude }: Readonly<Record<string, unknown>>): void {
    this.#stores += 1;
    if (looksSwapped(Number(latitude), Number(longitude))) this.#swappedStores += 1;
  }

  /** The warnings about the file as a whole. */
  ofFile(): string[] {
    if (this.#swappedStores * 2 <= this.#stores) return [];
    const counts = `${formatNumber(this.#swappedStores)} of ${formatNumber(this.#stores)} stores`;
    return [`Warning: latitude and longitude look swapped in ${counts}.`];
  }
}

type Warning = readonly [field: string, text: string];

function unknown(kind: Kind, object: Readonly<Record<string, unknown>>): Warning[] {
  const known = Object.keys(kind.fields.shape);
  return unknownFields(object, kind.fields).map((field) => {
    const nearest = nearestOf(field, known);
    return [field, `${noFieldOf(kind)}${nearest === undefined ? "" : `; did you mean ${nearest}?`}`];
  });
}

function unmeant({ expiration_type, can_expire, time_zone, ...fields }: Readonly<Record<string, unknown>>): Warning[] {
  const neverEnds = /^static_?date$/i.test(String(expiration_type)) && can_expire !== 1;
  const inZone = typeof time_zone === "string" && time_zone !== "UTC";
  const clocks = ENDS.filter((end) => inZone && CLOCK.test(String(fields[end])));
  return [
    ...(neverEnds
      ? ([["can_expire", "is not 1, so the coupon never ends, although it is of Static_Date"]] as const)
      : []),
    ...clocks.map((end) => [end, "is a time in UTC: time_zone is only for dates"] as const),
  ];
}

/** The field that was probably meant: equal but for case and `_`, or at most two letters away. */
function nearestOf(field: string, known: readonly string[]): string | undefined {
  const plain = (name: string) => name.replaceAll("_", "").toLowerCase();
  const distances = known.map((name) => [name, distance(plain(name), plain(field))] as const);
  const [nearest] = distances.sort(([, one], [, other]) => one - other);
  const most = Math.min(2, Math.floor(field.length / 3));
  return nearest !== undefined && nearest[1] <= most ? nearest[0] : undefined;
}

/** How many letters must change, come or go (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, otherLetter] of [...other].entries()) {
      const changed = (row[column] ?? 0) + (letter === otherLetter ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
