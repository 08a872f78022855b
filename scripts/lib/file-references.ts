import type { Kind } from "../../src/db/kind.ts";
import { hasKeyColumn, identityOf, itemsOf } from "../../src/feed/kind.ts";
import { formatCount, formatNumber } from "./format.ts";

/** A good line of a file. */
export interface ReadLine {
  number: number;
  kind: Kind;
  fields: Readonly<Record<string, unknown>>;
}

interface Reference {
  field: string;
  /** The kind and the key of the record. */
  name: string;
  /** Whether the record must be on an earlier line, also of one request. */
  mustBeEarlier?: boolean;
}

/**
 * The references of a file, request by request. A record that comes only in a later request than a line that refers to it
 * would stop a full file after thousands of committed lines.
 */
export class FileReferences {
  /** The lines of the records that the file has written so far. */
  readonly #written = new Map<string, number>();
  readonly #erased = new Map<string, number>();
  readonly #repeated = new Map<string, { first: [number: number, earlier: number]; count: number }>();
  /** The first line that refers to a record that the file has not written yet, by the name of the record. */
  readonly #waiting = new Map<string, { number: number; field: string }>();

  /** The faults of a request. The texts name the line and the field. */
  take(request: readonly ReadLine[]): string[] {
    const faults: string[] = [];
    const ofRequest = new Map<string, number>();
    for (const line of request) {
      if (line.fields.deleted !== true) ofRequest.set(nameOf(line), line.number);
      else if (line.kind.deletion?.empties) this.#erase(nameOf(line), line.number);
    }
    for (const { number, kind, fields } of request) {
      if (fields.deleted === true) continue;
      for (const { field, name, mustBeEarlier = false } of referencesOf(kind, fields)) {
        const at = ofRequest.get(name) ?? Number.POSITIVE_INFINITY;
        const erasedAt = this.#erased.get(name);
        if (this.#written.has(name) || (mustBeEarlier ? at < number : at !== Number.POSITIVE_INFINITY)) continue;
        if (erasedAt !== undefined) faults.push(`line ${number}.${field}: names a record that line ${erasedAt} erases`);
        else if (!this.#waiting.has(name)) this.#waiting.set(name, { number, field });
      }
    }
    for (const line of request) faults.push(...this.#note(line));
    return faults;
  }

  /** An erased customer counts as not stored. Other records stay, so that others may name them. */
  #erase(name: string, number: number): void {
    this.#erased.set(name, number);
    this.#written.delete(name);
  }

  #noteRepeated(record: string, number: number, earlier: number): void {
    const known = this.#repeated.get(record);
    this.#repeated.set(record, { first: [number, earlier], ...known, count: (known?.count ?? 0) + 1 });
  }

  /** Warnings about records that the file writes more than once, such as two stores whose id is their name. */
  repeated(): string[] {
    return [...this.#repeated].map(
      ([
        record,
        {
          first: [number, earlier],
          count,
        },
      ]) => {
        const others = count > 1 ? `, and ${formatCount(count - 1, "more such line", "more such lines")}` : "";
        return `Warning: line ${number}: the same ${record} as on line ${earlier}${others}: the last line counts.`;
      },
    );
  }

  #note(line: ReadLine): string[] {
    const { kind, fields, number } = line;
    if (!isReferredTo(kind)) return [];
    const name = nameOf(line);
    if (fields.deleted === true) return [];
    this.#erased.delete(name);
    const earlier = this.#written.get(name);
    if (earlier === undefined) this.#written.set(name, number);
    else this.#noteRepeated(kind.record, number, earlier);
    const waiting = this.#waiting.get(name);
    this.#waiting.delete(name);
    if (waiting === undefined) return [];
    const text = `names a record that comes later, on line ${formatNumber(number)}: put that line before`;
    return [`line ${waiting.number}.${waiting.field}: ${text}`];
  }

  /** The kinds of the records that the file refers to and does not have, each with how many these are. */
  missing(): [record: string, count: number][] {
    const records = [...this.#waiting.keys()].map((name) => name.split(" ")[0] ?? "");
    return [...Map.groupBy(records, (record) => record)].map(([record, all]) => [record, all.length]);
  }
}

const isReferredTo = (kind: Kind) => hasKeyColumn(kind) || kind.record === "membership";

const nameOf = ({ kind, fields }: ReadLine) => `${kind.record} ${identityOf(kind, fields)}`;

function referencesOf(kind: Kind, fields: ReadLine["fields"]): Reference[] {
  const { references, list, record } = kind;
  const byId = (field: string, to: string, id: unknown): Reference => ({
    field,
    name: `${to} ${JSON.stringify([id])}`,
  });
  const { store_id, customer_id, referrer_id } = fields;
  const isGiven = (value: unknown) => value !== undefined && value !== null;
  return [
    ...references
      .filter(({ field }) => isGiven(fields[field]))
      .map(({ field, to }) => byId(field, to.record, fields[field])),
    ...itemsOf(list?.field, fields).map((id) => byId(list?.field ?? "", list?.of.record ?? "", id)),
    ...(record === "membership" && isGiven(referrer_id)
      ? [{ field: "referrer_id", name: memberName(store_id, referrer_id), mustBeEarlier: true }]
      : []),
    ...(record === "token_earning" ? [{ field: "customer_id", name: memberName(store_id, customer_id) }] : []),
  ];
}

const memberName = (store: unknown, customer: unknown) => `membership ${JSON.stringify([store, customer])}`;
