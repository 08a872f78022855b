import type { SQL } from "drizzle-orm";
import { joinRows, rowsOf } from "../../db/json-rows.ts";
import type { Fields, Kind, Line, StateKind } from "./kind.ts";

// What is sent of a line: once all that it writes, and with each check and total the little that these look at.

/** A value that a line writes: a field, or a column that the Worker makes. */
interface WrittenValue {
  name: string;
  value: (fields: Fields) => unknown;
  json: boolean;
}

const writtenOf = new Map<Kind, readonly WrittenValue[]>();

/** What is sent of a line to be written, in this order. */
function writtenValues(kind: Kind): readonly WrittenValue[] {
  const known = writtenOf.get(kind);
  if (known !== undefined) return known;
  const values = new Map<string, WrittenValue>();
  const addField = (name: string, json = false) =>
    values.set(name, { name, json, value: (fields) => fields[name] ?? null });
  for (const field of [...kind.keyFields, ...Object.keys(kind.references)]) addField(field);
  if (kind.list !== undefined) addField(kind.list.field, true);
  for (const [column, source] of Object.entries(kind.columns)) {
    if (typeof source === "string") addField(source);
    else if ("made" in source) {
      values.set(column, { name: column, json: source.json === true, value: source.made as WrittenValue["value"] });
    } else if ("together" in source) {
      const { together } = source;
      const value = (fields: Fields) => Object.fromEntries(together.map((field) => [field, fields[field]]));
      values.set(column, { name: column, json: true, value });
    } else if ("json" in source) addField(source.json, true);
    else if ("time" in source) addField(source.time);
    else if ("sql" in source && source.field !== undefined) addField(source.field);
  }
  const written = [...values.values()];
  writtenOf.set(kind, written);
  return written;
}

/** The lines in the order of their ids, in which the pages of a table by id come one after the other. */
export function byId(lines: readonly Line[]): Line[] {
  return lines.toSorted(({ fields: one }, { fields: other }) => (String(one.id) < String(other.id) ? -1 : 1));
}

/** A line's number and what it writes, as a JSON array. */
export function toText(kind: Kind, number: number, fields: Fields): string {
  return JSON.stringify([number, ...writtenValues(kind).map(({ value }) => value(fields))]);
}

const usedFieldsOf = new Map<Kind, readonly string[]>();

/** The names of what checks and totals look at. */
export function usedFields(kind: Kind): readonly string[] {
  const known = usedFieldsOf.get(kind);
  if (known !== undefined) return known;
  const fields = new Set(Object.keys(kind.fields.shape));
  const fixed = kind.type === "state" ? kind.fixed.map((column) => fieldOf(kind.columns[column])) : [];
  const account = kind.type === "state" ? [kind.account] : [];
  const used = [...kind.keyFields, ...fixed, ...account, ...Object.keys(kind.references), ...(kind.uses ?? [])];
  const names = [...used.filter((name) => name !== undefined && fields.has(name)), ...Object.keys(kind.counts ?? {})];
  const usedFields = [...new Set(names)] as string[];
  usedFieldsOf.set(kind, usedFields);
  return usedFields;
}

/** What checks and totals look at in a line. */
export function toUsedFields(kind: Kind, fields: Fields): Fields {
  return Object.fromEntries(
    usedFields(kind).map((name) => [name, kind.counts?.[name]?.(fields) ?? fields[name] ?? null]),
  );
}

/** The field that a column's value comes from, if it comes from one. */
export function fieldOf(source: Kind["columns"][string] | undefined): string | undefined {
  if (typeof source === "string" || source === undefined) return source;
  if ("key" in source) return source.key;
  if ("time" in source) return source.time;
  return "json" in source && typeof source.json === "string" ? source.json : undefined;
}

/**
 * What the lines write, as JSON texts of a parameter each, and these as subqueries, in the order of the lines: `position`,
 * `number` and each value.
 */
export function writtenLines(kind: Kind, lines: readonly Line[]): { text: string; rows: SQL }[] {
  return takeOutTexts(lines).map((text) => ({ text, rows: rowsOf([text], ...columnsOf(kind)) }));
}

/** The words that lines write, each once, with blanks between them. */
export function writtenWords(kind: StateKind, text: string): string {
  const [columns] = columnsOf(kind);
  const lines = JSON.parse(text) as unknown[][];
  const words = lines.flatMap((line) => String(line[columns.indexOf("words")]).split(" "));
  return [...new Set(words)].join(" ");
}

/** The same of lines that do not count, as one subquery; their texts stay. */
export function otherLines(kind: Kind, lines: readonly Line[]): SQL {
  return rowsOf(joinRows(lines.map(({ text }) => text)), ...columnsOf(kind));
}

function columnsOf(kind: Kind): [columns: string[], json: string[]] {
  const written = writtenValues(kind);
  return [["number", ...written.map(({ name }) => name)], written.filter(({ json }) => json).map(({ name }) => name)];
}

function takeOutTexts(lines: readonly Line[]): string[] {
  function* texts() {
    for (const line of lines) {
      yield line.text;
      line.text = "";
    }
  }
  return joinRows(texts());
}

/** What checks and totals look at in the lines, as one subquery: `number`, each value, and 1 in `counts` if it counts. */
export function usedFieldLines(kind: Kind, lines: readonly Line[], deduplicated?: ReadonlySet<Line>): SQL {
  return rowsOf(usedFieldTexts(kind, lines, deduplicated), usedColumns(kind));
}

/** The same as subqueries of a parameter each. */
export function usedFieldParts(kind: Kind, lines: readonly Line[]): SQL[] {
  return usedFieldTexts(kind, lines).map((text) => rowsOf([text], usedColumns(kind)));
}

function usedColumns(kind: Kind): string[] {
  return ["number", "counts", ...usedFields(kind)];
}

function usedFieldTexts(kind: Kind, lines: readonly Line[], deduplicated?: ReadonlySet<Line>): string[] {
  const names = usedFields(kind);
  const rows = lines.map((line) => {
    const counts = deduplicated === undefined || deduplicated.has(line) ? 1 : 0;
    return JSON.stringify([line.number, counts, ...names.map((name) => line.fields[name] ?? null)]);
  });
  return joinRows(rows);
}
