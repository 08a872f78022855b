import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach } from "vitest";
import { cloneCheckout } from "./clone.ts";
import { Cloudflare } from "./cloudflare.ts";
import { ROOT } from "./command.ts";
import { parse, programOf } from "./in-process.ts";

// A deployed clone whose events have left for two segments, at the imitation of Cloudflare's API.

export const BUCKET = "loyalty-edge-history";
export const clone = cloneCheckout();
export let cloudflare: Cloudflare;
let env: Record<string, string> = {};
export let database: DatabaseSync;

const file = path.join(clone, "wrangler.toml");
const config = readFileSync(file, "utf8").replace('HISTORY_MONTHS = ""', 'HISTORY_MONTHS = "1"');
const wrong = config.replace('HISTORY_MONTHS = ""', 'HISTORY_MONTHS = "abc"');
writeFileSync(file, wrong.replace(/# (\[\[r2_buckets\]\])\n# (.*)\n# (.*)\n/, "$1\n$2\n$3\n"));

beforeEach(async () => {
  cloudflare = new Cloudflare();
  env = await cloudflare.open();
  database = makeDatabase();
  fill();
});
afterEach(() => {
  cloudflare.close();
  rmSync(path.join(clone, "copy"), { recursive: true, force: true });
});

function makeDatabase(): DatabaseSync {
  cloudflare.databases.make("loyalty-edge");
  const made = cloudflare.databases.get("loyalty-edge")?.sql as DatabaseSync;
  const folder = path.join(ROOT, "migrations");
  for (const file of readdirSync(folder).sort()) made.exec(readFileSync(path.join(folder, file), "utf8"));
  return made;
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
export const nameOf = (kind: string) => `${kind}/2026-03/1.ndjson.gz`;
export const keyOf = (kind: string) => `${BUCKET}/${nameOf(kind)}`;
export const fileOf = (kind: string) => path.join(clone, "copy", nameOf(kind));
export const rowOf = (kind: string) =>
  database.prepare("SELECT lines, bytes, sha256 FROM history_segments WHERE kind = ?").get(kind);

/** Inserts a row. Other required columns are empty or 0. */
export function insert(table: string, values: Record<string, string | number>): void {
  const columns = database.prepare("SELECT * FROM pragma_table_info(?)").all(table);
  const needed = columns.filter(({ notnull, dflt_value }) => notnull === 1 && dflt_value === null);
  const nothing = needed.map(({ name, type }) => [name, type === "TEXT" ? "" : 0] as const);
  const row: Record<string, string | number> = { ...Object.fromEntries(nothing), ...values };
  const places = Object.keys(row).map(() => "?");
  database.prepare(`INSERT INTO ${table} (${Object.keys(row)}) VALUES (${places})`).run(...Object.values(row));
}

export function insertSegment(kind: string, lines: readonly object[], fields: { newest: string; sums: string }): void {
  const object = gzipped(lines);
  cloudflare.objects.set(keyOf(kind), object);
  const [sha256, bytes] = [sha256Of(object), object.length];
  const row = { kind, month: "2026-03", number: 1, name: nameOf(kind), lines: lines.length, bytes, sha256, ...fields };
  insert("history_segments", { ...row, oldest: "2026-01-02 03:04:05" });
}

/** Inserts two segments, and summaries that match them. */
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
export async function run(name: string, ...args: string[]) {
  return parse(await programOf(name, clone), args, { cwd: clone, env });
}
