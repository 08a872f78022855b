import { appendFileSync, createReadStream, existsSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { EXPORTED } from "../../src/feed/export/scans.ts";
import { program } from "../../src/records/program.ts";
import { type ExportSource, exportPages } from "./export-client.ts";
import type { ExportProgress } from "./export-progress.ts";
import { linesIn } from "./ndjson-file.ts";

interface Options {
  /** A folder with room for a second copy of the export, uncompressed. */
  folder: string;
  signal: AbortSignal;
  progress: ExportProgress;
}

/**
 * How often the messages are read. An export has them in three parts, with the newest of each group in the last
 * (src/feed/export/scans.ts). A new message moves an older message into an earlier part, which may already be read. A
 * message moves at most twice, so three rounds find every message.
 */
const MESSAGE_ROUNDS = 3;

/**
 * The bytes of an export that can be restored although somebody feeds during the export. It reads the kinds backwards,
 * so that a record is read after all records that refer to it, and no reference is missing. It writes the kinds
 * forwards. It leaves out memberships whose referrer was read later, states of customers who joined a group later, and
 * messages of groups that were removed during the export.
 * @throws ChangedMeanwhile if old events were added up while a kind was read.
 */
export async function* exportWhileFed(source: ExportSource, options: Options): AsyncGenerator<Uint8Array> {
  const { signal, progress } = options;
  const kinds = EXPORTED.filter((kind) => source.only?.includes(kind) ?? true);
  const folder = mkdtempSync(path.join(options.folder, "export-"));
  const partOf = (kind: string, round: "deleted" | number) => path.join(folder, `${kind}-${round}`);
  const readLines = new ReadLines(path.join(folder, "read-lines.sqlite"), kinds);
  try {
    for (const kind of readingOrder(kinds)) {
      for (let round = 0; round < (kind === "message" ? MESSAGE_ROUNDS : 1); round += 1) {
        const versions = new Set<string>();
        for await (const page of exportPages({ ...source, only: [kind] }, signal)) {
          versions.add(page.version);
          const lines = page.lines === 0 ? [] : page.bytes.toString().trimEnd().split("\n");
          const keptLines = readLines.filter(kind, lines);
          progress.add(page);
          if (keptLines.length === 0) continue;
          const isDeleting = keptLines[0]?.endsWith('"deleted":true}') ?? false;
          appendFileSync(partOf(kind, isDeleting ? "deleted" : round), `${keptLines.join("\n")}\n\n`);
        }
        // Nothing was fed during this round, so no message has moved.
        if (versions.size === 1) break;
      }
    }
    for (const kind of kinds.filter((name) => name !== program.record)) {
      // A later round has older messages of a group than an earlier round, so it is written first.
      for (let round = MESSAGE_ROUNDS - 1; round >= 0; round -= 1) {
        const part = partOf(kind, round);
        yield* kind === "message" ? messagesIn(part, readLines) : bytesIn(part);
      }
    }
    for (const kind of kinds.toReversed()) yield* bytesIn(partOf(kind, "deleted"));
    yield* bytesIn(partOf(program.record, 0));
  } finally {
    readLines.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The kinds in the order in which they are read: each kind before the kinds that it refers to. But message states come
 * after their groups, and the program, which has the clock, comes last.
 */
function readingOrder(kinds: readonly string[]): string[] {
  const isLast = (kind: string) => kind === "message_state" || kind === program.record;
  return [...kinds.filter((kind) => !isLast(kind)).toReversed(), ...kinds.filter(isLast)];
}

/**
 * The messages, and the members of stores and groups, that were read so far. They are in a temporary database, because
 * there may be millions.
 */
class ReadLines {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #find: StatementSync;
  readonly #knowsGroups: boolean;

  constructor(file: string, kinds: readonly string[]) {
    this.#knowsGroups = kinds.includes("message_group");
    this.#database = new DatabaseSync(file);
    // Nothing reads the file after a crash, so SQLite need not make it safe.
    this.#database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;
      CREATE TABLE read_ids (list TEXT, id TEXT, PRIMARY KEY (list, id)) WITHOUT ROWID`);
    this.#insert = this.#database.prepare("INSERT OR IGNORE INTO read_ids VALUES (?, ?)");
    this.#find = this.#database.prepare("SELECT 1 FROM read_ids WHERE list = ? AND id = ?");
  }

  /** The lines of a kind without those that refer to a later line, and without messages that were read before. */
  filter(kind: string, lines: readonly string[]): string[] {
    if (kind === "membership") return lines.filter((line) => this.#hasReferrer(JSON.parse(line)));
    if (kind === "message_state") return lines.filter((line) => this.#isOfMember(JSON.parse(line)));
    if (kind === "message") return lines.filter((line) => this.#isNew(JSON.parse(line)));
    if (kind === "message_group") for (const line of lines) this.#addGroup(JSON.parse(line));
    return [...lines];
  }

  close(): void {
    this.#database.close();
  }

  #hasReferrer({ store_id, customer_id, referrer_id = null }: Record<string, string | null>): boolean {
    const store = `store ${store_id}`;
    if (referrer_id !== null && this.#find.get(store, referrer_id) === undefined) return false;
    this.#insert.run(store, String(customer_id));
    return true;
  }

  /** Whether the export has the group of a message; always true for an export without groups. */
  hasGroup(line: string): boolean {
    return !this.#knowsGroups || this.#find.get(`group ${JSON.parse(line).group_id}`, "") !== undefined;
  }

  #isNew({ id }: { id: string }): boolean {
    return this.#insert.run("message", id).changes === 1;
  }

  #addGroup({ id, member_ids = [] }: { id: string; member_ids?: string[] }): void {
    // No customer has an empty id, so "" stands for the group itself.
    for (const member of ["", ...member_ids]) this.#insert.run(`group ${id}`, member);
  }

  #isOfMember({ group_id, customer_id }: Record<string, string>): boolean {
    return !this.#knowsGroups || this.#find.get(`group ${group_id}`, String(customer_id)) !== undefined;
  }
}

async function* bytesIn(part: string): AsyncGenerator<Uint8Array> {
  if (existsSync(part)) yield* createReadStream(part, { highWaterMark: 1024 * 1024 });
}

/** The messages whose groups the export has. */
async function* messagesIn(part: string, readLines: ReadLines): AsyncGenerator<Uint8Array> {
  if (!existsSync(part)) return;
  for await (const { bytes } of linesIn(createReadStream(part))) {
    const line = bytes.toString();
    if (line === "" || readLines.hasGroup(line)) yield Buffer.from(`${line}\n`);
  }
}
