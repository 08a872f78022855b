import type { DatabaseSync, StatementSync } from "node:sqlite";
import { formatCount, formatNumber } from "../lib/format.ts";
import { progressPrinter } from "../lib/progress.ts";
import { COMPARED_KINDS, type FieldDifferences } from "./compared-kind.ts";
import type { ComparedLines, Pair, Side } from "./compared-lines.ts";
import { textsIn } from "./read-lines.ts";
import type { Totals } from "./totals.ts";

/**
 * `missing`: the service does not have the record; `differs`: it has another; `surplus`: the file does not have it, or
 * deletes it.
 */
type What = "missing" | "differs" | "surplus";

/** How `--sync` makes the service equal. `never`: it is an event, or a field of it never changes. */
type Remedy = "send" | "delete" | "never";

/** A record that is not the same in the file and in the service. */
export interface Difference {
  record: string;
  what: What;
  remedy: Remedy;
  /** The number and the text of the line in the file, and the text of the line of the export; null: there is none. */
  line: number | null;
  fileText: string | null;
  exportText: string | null;
}

interface Comparison {
  horizon: string;
  totals: Totals;
  /** Only what belongs to these accounts is compared. */
  accounts?: ReadonlySet<string> | undefined;
  signal: AbortSignal;
}

/** Compares all records. @throws the signal's reason if it aborts. */
export async function findDifferences(
  lines: ComparedLines,
  { horizon, totals, accounts, signal }: Comparison,
): Promise<Differences> {
  const differences = new Differences(lines.database);
  const print = progressPrinter();
  const showShare = (share: number) => {
    signal.throwIfAborted();
    print(`${Math.floor(share * 100)} % of the records compared`);
  };
  for await (const pair of lines.pairs(showShare)) {
    const isAddedUp =
      pair.fed !== undefined &&
      pair.stored === undefined &&
      !pair.isDeletedInService &&
      COMPARED_KINDS.get(pair.record)?.mayBeAddedUp(pair.fed.ruled, horizon) === true;
    const account = (pair.fed ?? pair.stored ?? pair.summary)?.account ?? "";
    if (accounts?.has(account) !== false) {
      totals.add(pair, isAddedUp);
      const judged = isAddedUp ? null : judge(pair);
      if (judged !== null) differences.add(pair, judged);
    }
    if (pair.isDeletedByFile && COMPARED_KINDS.get(pair.record)?.endsOthers) differences.addDeleted(pair);
  }
  differences.dropEnded();
  return differences;
}

function judge({ record, fed, stored, isDeletedByFile, isDeletedInService }: Pair) {
  const kind = COMPARED_KINDS.get(record);
  if (kind === undefined) return null;
  const isEvent = kind.kind.type === "event";
  const difference = (what: What, remedy: Remedy) => ({ what, remedy });
  if (fed === undefined)
    return stored === undefined ? null : difference("surplus", isEvent && !isDeletedByFile ? "never" : "delete");
  // A deleted state returns when it is written. A deleted event does not.
  if (stored === undefined)
    return isEvent && isDeletedInService ? difference("differs", "never") : difference("missing", "send");
  const agreement = kind.agreement(fed.ruled, stored.ruled);
  if (agreement === "equal" && fed.content === stored.content) return null;
  return difference("differs", isEvent || agreement === "fixed" ? "never" : "send");
}

/** The differences, in the temporary database: there may be as many as lines. */
export class Differences {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec(`
      CREATE TABLE differences (record TEXT, kind INTEGER, what TEXT, remedy TEXT, file INTEGER, export INTEGER,
        ends_with TEXT);
      CREATE TABLE deleted (name TEXT PRIMARY KEY) WITHOUT ROWID;
      CREATE TABLE texts (side TEXT, number INTEGER, text TEXT, PRIMARY KEY (side, number)) WITHOUT ROWID`);
    this.#insert = database.prepare("INSERT INTO differences VALUES (?, ?, ?, ?, ?, ?, ?)");
  }

  add({ record, fed, stored }: Pair, { what, remedy }: { what: What; remedy: Remedy }): void {
    const kind = [...COMPARED_KINDS.keys()].indexOf(record);
    this.#insert.run(record, kind, what, remedy, fed?.number ?? null, stored?.number ?? null, fed?.endsWith ?? "[]");
  }

  /** Notes a record that the file deletes, such as a customer or a group. */
  addDeleted({ record, identity }: Pair): void {
    const [id] = JSON.parse(identity);
    this.#database.prepare("INSERT OR IGNORE INTO deleted VALUES (?)").run(`${record} ${id}`);
  }

  /** Drops the records that ended with another, which a later line of the file deletes. */
  dropEnded(): void {
    this.#database.exec(`DELETE FROM differences WHERE what = 'missing' AND EXISTS (
      SELECT 1 FROM json_each(ends_with) AS other JOIN deleted ON deleted.name = other.value)`);
  }

  get count(): number {
    return this.#count("true");
  }

  /** How many of them `--sync` remedies so, of one kind or of all. */
  countOf(remedy: Remedy, record?: string): number {
    return this.#count("remedy = ? AND ? IN (record, '')", remedy, record ?? "");
  }

  /** How many events only the service has. `--sync` deletes a state that only the service has. */
  countOfNewEvents(): number {
    return this.#count("remedy = 'never' AND what = 'surplus'");
  }

  #count(condition: string, ...values: string[]): number {
    const row = this.#database.prepare(`SELECT count(*) AS count FROM differences WHERE ${condition}`).get(...values);
    return Number(row?.count);
  }

  /** Reads the texts of the differing lines from a file. */
  async readTexts(side: Side, file: string, signal: AbortSignal): Promise<void> {
    const numbers = this.#database
      .prepare(`SELECT DISTINCT ${side} AS number FROM differences WHERE ${side} IS NOT NULL ORDER BY ${side}`)
      .iterate();
    const insert = this.#database.prepare("INSERT INTO texts VALUES (?, ?, ?)");
    const takeNext = () => numbers.next().value?.number;
    let wanted = takeNext();
    if (wanted === undefined) return;
    for await (const { number, text } of textsIn(file, `of the ${side} looked up`, signal)) {
      if (number !== wanted) continue;
      insert.run(side, number, text);
      wanted = takeNext();
      if (wanted === undefined) return;
    }
  }

  /** In the order of the file; then those that it does not have, by kind. Deletes: what refers to others first. */
  *all({ remedy = "", limit = -1 }: { remedy?: Remedy | ""; limit?: number } = {}): Generator<Difference> {
    const found = this.#database
      .prepare(
        `SELECT record, what, remedy, file AS line, fed.text AS fileText, stored.text AS exportText FROM differences
        LEFT JOIN texts AS fed ON fed.side = 'file' AND fed.number = file
        LEFT JOIN texts AS stored ON stored.side = 'export' AND stored.number = export
        WHERE ? IN (remedy, '') ORDER BY file IS NULL, file, iif(remedy = 'delete', -kind, kind), export LIMIT ?`,
      )
      .iterate(remedy, limit);
    for (const row of found) yield row as unknown as Difference;
  }

  /** How many records of each kind are missing, differ, or are surplus. */
  summary(): string {
    const counts = this.#database
      .prepare("SELECT record, what, remedy, count(*) AS count FROM differences GROUP BY kind, what, remedy")
      .all() as unknown as (Pick<Difference, "record" | "what" | "remedy"> & { count: number })[];
    return counts
      .map(
        ({ record, what, remedy, count }) =>
          `${formatCount(count, record, `records of ${record}`)} ${wordsOf(what, remedy)}`,
      )
      .join("\n");
  }
}

function wordsOf(what: What, remedy: Remedy): string {
  const fact = { missing: "not in the service", differs: "not equal", surplus: "not in the file" }[what];
  return remedy === "never" ? `${fact}, which --sync leaves as they are` : fact;
}

/** A difference as `--list` writes it. */
export function toJson({ record, what, remedy, line, ...texts }: Difference) {
  const { key, fields } = comparisonOf({ record, ...texts });
  return { record, ...key, what, remedy, ...(line !== null && { line }), ...(what === "differs" && { fields }) };
}

/** A difference in a line, such as `store s1, line 7: name is "A" in the file, "B" in the service`. */
export function describe({ record, what, remedy, line, ...texts }: Difference): string {
  const { key, fields } = comparisonOf({ record, ...texts });
  const name = [record, ...Object.values(key)].join(" ");
  const place = line === null ? "" : `, line ${formatNumber(line)}`;
  const values = Object.entries(fields).map(
    ([field, [inFile, inService]]) => `${field} is ${shown(inFile)} in the file, ${shown(inService)} in the service`,
  );
  const fact = what === "differs" && values.length > 0 ? values.join("; ") : wordsOf(what, "send");
  return `${name}${place}: ${fact}${remedy === "never" ? " (stays)" : ""}`;
}

const SHOWN_CHARACTERS = 60;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

function comparisonOf({ record, fileText, exportText }: Pick<Difference, "record" | "fileText" | "exportText">) {
  const [fed, stored] = [fileText, exportText].map((text) => (text === null ? null : JSON.parse(text)));
  const kind = COMPARED_KINDS.get(record);
  const key = Object.fromEntries((kind?.kind.keyFields ?? []).map((field) => [field, (fed ?? stored)?.[field]]));
  const fields: FieldDifferences = fed && stored && kind ? kind.differences(fed, stored) : {};
  return { key, fields };
}
