import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach } from "vitest";
import { readMigrations } from "../../scripts/lib/migrations.ts";
import { cloneCheckout, withHistory } from "./clone.ts";
import { Cloudflare } from "./cloudflare.ts";
import { inProcess } from "./in-process.ts";

// The imitation of Cloudflare's API has the data of a deployment. Its old events have left for history: they are in two
// segments, objects in a bucket with a row each in the database.

export const BUCKET = "loyalty-edge-history";
export const clone = cloneCheckout();
export let cloudflare: Cloudflare;
let env: Record<string, string> = {};
export let database: DatabaseSync;

const file = path.join(clone, "wrangler.toml");
writeFileSync(file, withHistory(readFileSync(file, "utf8")));

beforeEach(async () => {
  cloudflare = new Cloudflare();
  env = await cloudflare.open();
  database = makeDatabase();
  fill();
});
afterEach(() => rmSync(path.join(clone, "copy"), { recursive: true, force: true }));

function makeDatabase(): DatabaseSync {
  const { sql } = cloudflare.databases.make("loyalty-edge");
  for (const { statements } of readMigrations()) for (const statement of statements) sql.exec(statement);
  return sql;
}

export const ENTRY = { record: "balance_entry", customer_id: "c1", store_id: "s1", created_at: "2026-01-02 03:04:05" };
const MESSAGE = { record: "message", group_id: null, sent_at: "2026-01-02 03:04:05" };
export const ENTRIES = [
  { ...ENTRY, id: "b1", amount: "1.50", campaign_id: "k1" },
  { ...ENTRY, id: "b2", amount: "-0.25", campaign_id: null, created_at: "2026-02-01 00:00:00" },
];
export const MESSAGES = [
  { ...MESSAGE, id: "m1", customer_id: "c1", body: "secret" },
  { ...MESSAGE, id: "m2", customer_id: "c2", body: "kept" },
];

export const gzipped = (lines: readonly object[]) =>
  gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
export const linesIn = (object: Buffer = Buffer.of()) =>
  gunzipSync(object)
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
export const sha256Of = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
/** The name of a kind's segment. */
export const nameOf = (kind: string) => `${kind}/2026-03/1.ndjson.gz`;
/** The key of the segment's object in `cloudflare.objects`. */
export const keyOf = (kind: string) => `${BUCKET}/${nameOf(kind)}`;
/** The file into which `npm run history -- copy copy` writes the object. */
export const fileOf = (kind: string) => path.join(clone, "copy", nameOf(kind));
/** The segment's row in the database. */
export const rowOf = (kind: string) =>
  database.prepare("SELECT lines, bytes, sha256 FROM history_segments WHERE kind = ?").get(kind);

/** Inserts a row. The required columns that `values` lacks are empty or 0. */
export function insert(table: string, values: Record<string, string | number>): void {
  const columns = database.prepare("SELECT * FROM pragma_table_info(?)").all(table);
  const requiredColumns = columns.filter(({ notnull, dflt_value }) => notnull === 1 && dflt_value === null);
  const emptyValues = requiredColumns.map(({ name, type }) => [name, type === "TEXT" ? "" : 0] as const);
  const row: Record<string, string | number> = { ...Object.fromEntries(emptyValues), ...values };
  const parameters = Object.keys(row).map(() => "?");
  database.prepare(`INSERT INTO ${table} (${Object.keys(row)}) VALUES (${parameters})`).run(...Object.values(row));
}

export function insertSegment(kind: string, lines: readonly object[], fields: { newest: string; sums: string }): void {
  const object = gzipped(lines);
  cloudflare.objects.set(keyOf(kind), object);
  const [sha256, bytes] = [sha256Of(object), object.length];
  const row = { kind, month: "2026-03", number: 1, name: nameOf(kind), lines: lines.length, bytes, sha256, ...fields };
  insert("history_segments", { ...row, oldest: "2026-01-02 03:04:05" });
}

/** Inserts two segments, and the summaries that the database keeps of their balance entries. */
function fill(): void {
  database.exec("PRAGMA foreign_keys = OFF");
  insert("accounts", { key: 1, id: "1", fields: "{}" });
  insert("stores", { key: 1, id: "s1", account_key: 1 });
  insert("campaigns", { key: 1, id: "k1", account_key: 1, listed_stores: "[]" });
  insert("customers", { key: 1, id: "c1", balance: 125 });
  insert("store_balances", { store_key: 1, customer_key: 1, balance: 125 });
  insert("campaign_stores", { store_key: 1, campaign_key: 1, earned: 150 });
  const summary = { store_key: 1, created_at: "2026-02-01 00:00:00" };
  insert("balance_entries", { ...summary, id: "sealed:000000000000000100000001", campaign_key: 1, amount: 150 });
  insert("balance_entries", { ...summary, id: "sealed:000000010000000100000000", customer_key: 1, amount: 125 });
  insertSegment("balance_entry", ENTRIES, { newest: "2026-02-01 00:00:00", sums: '{"balance":125,"earned":150}' });
  insertSegment("message", MESSAGES, { newest: "2026-01-02 03:04:05", sums: "{}" });
}

/** Runs a command of the clone, in which history is on. */
export const run = (name: string, ...args: string[]) => inProcess(name, args, { root: clone, env });
