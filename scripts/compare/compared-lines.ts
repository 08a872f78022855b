import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setImmediate as breathe } from "node:timers/promises";
import { COMPARED_KINDS, type ComparedLine } from "./compared-kind.ts";

export type Side = "file" | "export";

/** A line that counts. */
export interface CountedLine {
  /** Its number in its file. */
  number: number;
  content: string;
  ruled: string;
  /** The account that it belongs to; null: none, or one that neither file says. */
  account: string | null;
  /** In hundredths. */
  amount: number;
  /** JSON: the records with which it ends. */
  endsWith: string;
}

/** What both files say of one record. */
export interface Pair {
  record: string;
  identity: string;
  /** The line of the file. Undefined: the file does not have the record, or deletes it. */
  fed?: CountedLine | undefined;
  isDeletedByFile: boolean;
  /** The line of the export. Undefined: the service does not have the record, or it is deleted. */
  stored?: CountedLine | undefined;
  isDeletedInService: boolean;
  /** A line that adds up old events. Then there is nothing else. */
  summary?: CountedLine | undefined;
}

interface Row extends CountedLine {
  record: string;
  identity: string;
  side: Side;
  role: ComparedLine["role"];
}

/**
 * How many tables the lines are spread over. A record is in one table, so each table is compared by itself: 20 million
 * lines are 80,000 in a table, which SQLite sorts in memory, and in less than a second.
 */
const TABLES = 256;
const BREATH_ROWS = 10_000;
const CACHE_KIB = 65_536;

/** The lines of both files. They are in a temporary database, because there may be more of them than memory holds. */
export class ComparedLines {
  readonly database: DatabaseSync;
  readonly #inserts: readonly StatementSync[];
  readonly #insertAccount: StatementSync;
  readonly #counts = { file: 0, export: 0 };

  constructor(file: string) {
    this.database = new DatabaseSync(file);
    // Nothing reads the file after a crash, so SQLite need not make it safe.
    this.database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -${CACHE_KIB}; BEGIN;
      CREATE TABLE accounts (owner TEXT PRIMARY KEY, account TEXT) WITHOUT ROWID`);
    this.#insertAccount = this.database.prepare("INSERT OR IGNORE INTO accounts VALUES (?, ?)");
    this.#inserts = Array.from({ length: TABLES }, (_, table) => {
      this.database.exec(`CREATE TABLE lines_${table} (record TEXT, identity TEXT, side TEXT, life INTEGER, number INTEGER,
        role TEXT, content TEXT, ruled TEXT, owner TEXT, amount INTEGER, ends_with TEXT)`);
      return this.database.prepare(`INSERT INTO lines_${table} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    });
  }

  add(side: Side, record: string, number: number, line: ComparedLine): void {
    const { identity, life, role, content, ruled, owner, amount, endsWith } = line;
    this.#counts[side] += 1;
    const insert = this.#inserts[tableOf(identity)];
    insert?.run(record, identity, side, life, number, role, content, ruled, owner, amount, endsWith);
  }

  /** How many lines of a side were added. */
  countOf(side: Side): number {
    return this.#counts[side];
  }

  /** Notes to which account a record belongs, because lines name it by this record. */
  addAccount(owner: string, account: string): void {
    this.#insertAccount.run(owner, account);
  }

  /** Each record that either file has. `onProgress` gets the share that is done. */
  async *pairs(onProgress: (share: number) => void): AsyncGenerator<Pair> {
    for (let table = 0; table < TABLES; table += 1) {
      yield* pairsOf(this.#rowsOf(table));
      onProgress((table + 1) / TABLES);
    }
  }

  close(): void {
    this.database.close();
  }

  /** The rows of a table: those of a record together, in the order of their lines. */
  async *#rowsOf(table: number): AsyncGenerator<Row> {
    const rows = this.database.prepare(`
      SELECT record, identity, side, number, role, content, ruled, amount, ends_with AS endsWith,
        iif(owner GLOB 'account *', substr(owner, 9), (SELECT account FROM accounts WHERE accounts.owner = lines.owner)) AS account
      FROM lines_${table} AS lines ORDER BY record, identity, life, number`);
    let count = 0;
    for (const row of rows.iterate()) {
      yield row as unknown as Row;
      count += 1;
      // Otherwise Ctrl-C would wait until the table is read.
      if (count % BREATH_ROWS === 0) await breathe();
    }
  }
}

async function* pairsOf(rows: AsyncIterable<Row>): AsyncGenerator<Pair> {
  let group: Row[] = [];
  for await (const row of rows) {
    const [first] = group;
    if (first !== undefined && (first.identity !== row.identity || first.record !== row.record)) {
      yield pairOf(first, group);
      group = [];
    }
    group.push(row);
  }
  if (group[0] !== undefined) yield pairOf(group[0], group);
}

function pairOf({ record, identity }: Row, rows: readonly Row[]): Pair {
  const [fed, stored] = [rows.filter(({ side }) => side === "file"), rows.filter(({ side }) => side === "export")];
  const last = stored.at(-1);
  const counting = COMPARED_KINDS.get(record)?.kind.type === "event" ? countingEvent(fed) : fed.at(-1);
  return {
    record,
    identity,
    fed: counting?.role === "record" ? counting : undefined,
    isDeletedByFile: counting?.role === "deletion",
    stored: last?.role === "record" ? last : undefined,
    isDeletedInService: last?.role === "deletion",
    summary: last?.role === "summary" ? last : undefined,
  };
}

/** Of an event the first line counts, or a later line that deletes it. An earlier one finds nothing to delete. */
function countingEvent(rows: readonly Row[]): Row | undefined {
  const first = rows.findIndex(({ role }) => role === "record");
  return rows.slice(first).find(({ role }) => role === "deletion") ?? rows[first];
}

/** Of equal texts, the same table. */
function tableOf(identity: string): number {
  let sum = 0;
  for (let index = 0; index < identity.length; index += 1) sum = (sum * 31 + identity.charCodeAt(index)) | 0;
  return (sum >>> 0) % TABLES;
}
