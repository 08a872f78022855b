import { hash } from "node:crypto";
import type { Fields, Kind, LineReference } from "../../src/db/kind.ts";
import { identityOf, isDeletable, itemsOf } from "../../src/feed/kind.ts";
import { Life } from "../../src/records/customer.ts";
import { EXPORTED_KINDS, KINDS } from "../../src/records/index.ts";
import { toDatetime, toInstant } from "../../src/values/time.ts";
import { ADDED } from "../lib/opposite.ts";

// When two records are equal: if an export gives the record of the service once the line of the file was fed. The schema
// of the kind reads both lines, so "5" is "5.00", and a field that is left out is its default.

/** A line of either side, as it is compared. */
export interface ComparedLine {
  /** Equal for two lines about the same record. */
  identity: string;
  /** The life of a member that an export says. Only the last life is compared. */
  life: number;
  /** A summary adds up old events. It is in the sums only. */
  role: "record" | "deletion" | "summary";
  /** A hash of the fields that must be equal. */
  content: string;
  /** JSON: the values that agree by a rule. */
  ruled: string;
  /** The record by which the line belongs to an account, such as `store s1`; null: it belongs to none. */
  owner: string | null;
  /** The amount that it adds to a total, in hundredths. */
  amount: number;
  /** JSON: the records with which it ends, such as `["customer c1"]` (docs/contract/feed.md, 2). */
  endsWith: string;
}

/** The horizon of a database without retention. */
const NO_HORIZON = "0000-01-01 00:00:00";

/** A field with a rule. */
interface Rule {
  field: string;
  /** Whether the value never changes (docs/contract/feed.md, 1). */
  isFixed: boolean;
  /** Whether the stored value is what an export gives after a line with the fed value. */
  agrees(fed: unknown, stored: unknown): boolean;
}

const HOUR_MS = 3_600_000;
/** How far the time of a line may be ahead (docs/contract/feed.md, 3). */
const AHEAD_MS = 24 * HOUR_MS;

/** A fixed value or a time that a line leaves out stays as it is. */
const leftOutOrEqual = (fed: unknown, stored: unknown) => fed === null || fed === stored;

/** The service replaces the time of news by its stamp: a time that is at most an hour old (docs/contract/interface.md, 4.2). */
const stamped = (fed: unknown, stored: unknown) =>
  leftOutOrEqual(fed, stored) || isWithin(instantOf(fed) - instantOf(stored), -HOUR_MS, AHEAD_MS);

/** A mark never moves back. A time that was ahead when it was fed counts as the time of the feed. */
const atMostNow = (fed: unknown, stored: unknown) =>
  fed === stored ||
  (fed !== null && stored !== null && String(stored) > String(fed)) ||
  (String(fed) > toDatetime(new Date()) && isWithin(instantOf(fed) - instantOf(stored), 0, AHEAD_MS));

const instantOf = (time: unknown) => toInstant(String(time));
const isWithin = (value: number, least: number, most: number) => least <= value && value <= most;

/** The fields of an exported line that differ from those of the file's. The values are as the lines give them. */
export type FieldDifferences = Record<string, [file: unknown, service: unknown]>;

/** How the records of a kind are compared. */
export class ComparedKind {
  readonly kind: Kind;
  /** The kind as an export gives it. */
  readonly #exported: Kind;
  readonly #fields: readonly string[];
  readonly #rules: readonly Rule[];
  readonly #ending: readonly LineReference[];

  constructor(kind: Kind) {
    this.kind = kind;
    this.#exported = EXPORTED_KINDS.find(({ record }) => record === kind.record) ?? kind;
    this.#rules = rulesOf(kind);
    this.#ending = endingReferencesOf(kind);
    const otherFields = new Set([...kind.keyFields, ...this.#rules.map(({ field }) => field)]);
    // A line of the feed is about the current life, whatever its number is.
    this.#fields = Object.entries(kind.fields.shape)
      .filter(([name, schema]) => !otherFields.has(name) && schema !== Life)
      .map(([name]) => name);
  }

  /** The valid fields of a line of the file. */
  ofFile(fields: Fields, deletes: boolean): ComparedLine {
    return this.#line(fields, { life: 0, role: deletes || this.#isEmptied(fields) ? "deletion" : "record" });
  }

  /** A line of an export. Undefined: a summary that repeats the amounts of others. @throws a ZodError for other lines. */
  ofExport(object: Fields): ComparedLine | undefined {
    const { fields: schema, keySchema, keyFields } = this.#exported;
    const deletes = object.deleted === true;
    const fields: Fields = deletes ? keySchema.parse(object) : schema.parse(object);
    const life = keyFields.includes("life") ? Number(fields.life ?? 0) : 0;
    // The earnings of a campaign are added up from entries that are added up by customer as well.
    if (fields.sealed === true)
      return fields.customer_id === null ? undefined : this.#line(fields, { life, role: "summary" });
    return this.#line(fields, { life, role: deletes || this.#isEmptied(fields) ? "deletion" : "record" });
  }

  /** The id of the account that a record names; undefined: it names none. */
  accountOf(fields: Fields): string | undefined {
    return this.kind.owner?.to?.record === "account" ? String(fields[this.kind.owner.field]) : undefined;
  }

  /** Whether the ruled values agree; of those that do not, whether one never changes. */
  agreement(fed: string, stored: string): "equal" | "differs" | "fixed" {
    if (fed === stored) return "equal";
    const [fedValues, storedValues]: unknown[][] = [JSON.parse(fed), JSON.parse(stored)];
    const differing = this.#rules.filter(({ agrees }, index) => !agrees(fedValues?.[index], storedValues?.[index]));
    if (differing.length === 0) return "equal";
    return differing.some(({ isFixed }) => isFixed) ? "fixed" : "differs";
  }

  /** Whether a record that the file deletes ends others. */
  get endsOthers(): boolean {
    return endsOthers(this.kind);
  }

  /** Whether old events of the kind are added up, and the time of a line comes before the horizon, or may do so. */
  mayBeAddedUp(ruled: string, horizon: string): boolean {
    if (this.kind.retention === undefined || horizon <= NO_HORIZON) return false;
    const time = JSON.parse(ruled)[this.#rules.findIndex(({ field }) => field === this.kind.time)];
    return time === null || time < horizon;
  }

  /** The fields in which two lines about the same record differ. */
  differences(fileLine: Fields, exportedLine: Fields): FieldDifferences {
    const [fed, stored]: [Fields, Fields] = [
      this.kind.fields.parse(fileLine),
      this.#exported.fields.parse(exportedLine),
    ];
    const rules = new Map(this.#rules.map((rule) => [rule.field, rule]));
    const differs = (name: string) => {
      const agrees = rules.get(name)?.agrees;
      if (agrees !== undefined) return !agrees(fed[name], stored[name]);
      return JSON.stringify(this.#valueOf(name, fed)) !== JSON.stringify(this.#valueOf(name, stored));
    };
    const names = [...rules.keys(), ...this.#fields].filter(differs);
    return Object.fromEntries(names.map((name) => [name, [fileLine[name] ?? fed[name], exportedLine[name]]]));
  }

  /** The line that deletes the record of an exported line. */
  deletionOf(exportedLine: Fields): Fields {
    const key = this.kind.keyFields.map((field) => [field, exportedLine[field]]);
    return { record: this.kind.record, ...Object.fromEntries(key), deleted: true };
  }

  /** A message is deleted by emptying its body. */
  #isEmptied({ body }: Fields): boolean {
    return this.kind.type === "event" && isDeletable(this.kind) && body === "";
  }

  #line(fields: Fields, { life, role }: Pick<ComparedLine, "life" | "role">): ComparedLine {
    const { kind } = this;
    const identity = role === "summary" ? identityOf(this.#exported, fields) : identityOf(kind, fields);
    if (role === "deletion")
      return { identity, life, role, content: "", ruled: "[]", owner: null, amount: 0, endsWith: "[]" };
    const values = this.#fields.map((name) => this.#valueOf(name, fields));
    return {
      identity,
      life,
      role,
      content: hash("sha1", JSON.stringify(values), "base64"),
      ruled: JSON.stringify(this.#rules.map(({ field }) => fields[field])),
      owner: kind.owner === undefined ? null : `${kind.owner.to?.record ?? kind.record} ${fields[kind.owner.field]}`,
      amount: Number(fields[ADDED[kind.record]?.[0] ?? ""] ?? 0),
      endsWith: JSON.stringify(this.#ending.map(({ field, to }) => `${to.record} ${fields[field]}`)),
    };
  }

  #valueOf(name: string, fields: Fields): unknown {
    const { list } = this.kind;
    if (list?.field !== name || !list.isSet || fields[name] === null) return fields[name];
    return [...new Set(itemsOf(name, fields).map(String))].sort();
  }
}

/** Whether a delete of such a record ends others: it erases the record, or removes its row. */
const endsOthers = ({ deletion }: Pick<Kind, "deletion">) => deletion === undefined || deletion.empties;

/** The references to records with which a record ends. An event outlives its customer, but not its group. */
function endingReferencesOf({ type, references, keyFields, subject }: Kind): LineReference[] {
  return references.filter(({ to, field, key }) =>
    type === "event" ? to.deletion === undefined : endsOthers(to) && (keyFields.includes(field) || key === subject),
  );
}

function rulesOf({ type, fixed, columns, keyFields, time, notAheadField }: Kind): Rule[] {
  const fixedFields = fixed.map(({ field }) => field).filter((field) => !keyFields.includes(field));
  const keptTimes = Object.keys(columns).filter((name) => columns[name]?.as === "time");
  // The columns whose value is an expression: the stamp of a message, and a time that is at most now.
  const isMade = (name: string | undefined) => name !== undefined && columns[name]?.value !== undefined;
  const rule = (field: string, agrees: Rule["agrees"], isFixed = false): Rule => ({ field, isFixed, agrees });
  return [
    ...fixedFields.map((field) => rule(field, leftOutOrEqual, true)),
    ...keptTimes.map((field) => rule(field, leftOutOrEqual)),
    ...(type === "event" && isMade(time) ? [rule(String(time), stamped)] : []),
    ...(isMade(notAheadField) ? [rule(String(notAheadField), atMostNow)] : []),
  ];
}

/** Each kind of the feed, by its name. */
export const COMPARED_KINDS: ReadonlyMap<string, ComparedKind> = new Map(
  KINDS.map((kind) => [kind.record, new ComparedKind(kind)]),
);
