import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from "vitest";
import { cloneCheckout, removeFolder } from "./clone.ts";
import { Cloudflare } from "./cloudflare.ts";
import { ROOT } from "./command.ts";
import { parse, programOf } from "./in-process.ts";

// The commands of history against the imitation of Cloudflare's API. The drill tries them on this machine.

const BUCKET = "loyalty-edge-history";
let clone = "";
let cloudflare: Cloudflare;
let env: Record<string, string> = {};
let database: DatabaseSync;

beforeAll(() => {
  clone = cloneCheckout();
  const file = path.join(clone, "wrangler.toml");
  const config = readFileSync(file, "utf8").replace('HISTORY_MONTHS = ""', 'HISTORY_MONTHS = "1"');
  const wrong = config.replace('HISTORY_MONTHS = ""', 'HISTORY_MONTHS = "abc"');
  writeFileSync(file, wrong.replace(/# (\[\[r2_buckets\]\])\n# (.*)\n# (.*)\n/, "$1\n$2\n$3\n"));
});
afterAll(() => removeFolder(clone));
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

const ENTRY = { record: "balance_entry", customer_id: "c1", store_id: "s1", created_at: "2026-01-02 03:04:05" };
const MESSAGE = { record: "message", group_id: null, sent_at: "2026-01-02 03:04:05" };
const ENTRIES = [
  { ...ENTRY, id: "b1", amount: "1.50", campaign_id: "k1" },
  { ...ENTRY, id: "b2", amount: "-0.25", campaign_id: null, created_at: "2026-02-01 00:00:00" },
];
const MESSAGES = [
  { ...MESSAGE, id: "m1", customer_id: "c1", body: "secret" },
  { ...MESSAGE, id: "m2", customer_id: "c2", body: "kept" },
];

const gzipped = (lines: readonly object[]) => gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
const linesIn = (object: Buffer = Buffer.of()) =>
  gunzipSync(object)
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
const sha256Of = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
const nameOf = (kind: string) => `${kind}/2026-03/1.ndjson.gz`;
const keyOf = (kind: string) => `${BUCKET}/${nameOf(kind)}`;
const fileOf = (kind: string) => path.join(clone, "copy", nameOf(kind));
const rowOf = (kind: string) =>
  database.prepare("SELECT lines, bytes, sha256 FROM history_segments WHERE kind = ?").get(kind);

/** Inserts a row, with nothing in the columns that must have something. */
function insert(table: string, values: Record<string, string | number>): void {
  const columns = database.prepare("SELECT * FROM pragma_table_info(?)").all(table);
  const needed = columns.filter(({ notnull, dflt_value }) => notnull === 1 && dflt_value === null);
  const nothing = needed.map(({ name, type }) => [name, type === "TEXT" ? "" : 0] as const);
  const row: Record<string, string | number> = { ...Object.fromEntries(nothing), ...values };
  const places = Object.keys(row).map(() => "?");
  database.prepare(`INSERT INTO ${table} (${Object.keys(row)}) VALUES (${places})`).run(...Object.values(row));
}

function insertSegment(kind: string, lines: readonly object[], fields: { newest: string; sums: string }): void {
  const object = gzipped(lines);
  cloudflare.objects.set(keyOf(kind), object);
  const [sha256, bytes] = [sha256Of(object), object.length];
  const row = { kind, month: "2026-03", number: 1, name: nameOf(kind), lines: lines.length, bytes, sha256, ...fields };
  insert("history_segments", { ...row, oldest: "2026-01-02 03:04:05" });
}

/** Two segments, with the summaries that they come to. */
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

/** A command of the clone, which has history. */
async function run(name: string, ...args: string[]) {
  return parse(await programOf(name, clone), args, { cwd: clone, env });
}

const history = (...args: string[]) => run("history", ...args, "--remote");

describe("npm run history -- copy", () => {
  it("copies what is not there yet, and names what is not as the database says", async ({ expect }) => {
    cloudflare.objects.set(keyOf("message"), Buffer.from("damaged"));

    const first = await history("copy", "copy");
    cloudflare.objects.delete(keyOf("message"));
    const second = await history("copy", "copy");
    cloudflare.objects.set(keyOf("message"), gzipped(MESSAGES));
    const third = await history("copy", "copy");

    expect([first.status, second.status, third.status]).toEqual([1, 1, 0]);
    expect(first.output).toContain(`  ${nameOf("message")} has another SHA-256 than the database says`);
    expect(second.output).toContain(`  ${nameOf("message")} is not in the bucket`);
    expect(third.output).toContain("1 objects copied, 1 were there.");
    expect(linesIn(readFileSync(fileOf("balance_entry")))).toEqual(ENTRIES);
    expect(linesIn(readFileSync(fileOf("message")))).toEqual(MESSAGES);
  });
});

describe("npm run history -- restore", () => {
  it("puts back what the bucket lacks, and overwrites nothing", async ({ expect }) => {
    await history("copy", "copy");
    cloudflare.objects.delete(keyOf("balance_entry"));
    const other = Buffer.from("another");
    cloudflare.objects.set(keyOf("message"), other);

    const first = await history("restore", "copy");
    const kept = cloudflare.objects.get(keyOf("message"));
    cloudflare.objects.delete(keyOf("message"));
    const second = await history("restore", "copy");

    expect([first.status, second.status]).toEqual([1, 0]);
    expect(first.output).toContain(`  ${nameOf("message")} is in the bucket, as another object`);
    expect(kept).toEqual(other);
    expect(second.output).toContain("1 objects put back, 1 were there.");
    expect(linesIn(cloudflare.objects.get(keyOf("balance_entry")))).toEqual(ENTRIES);
    expect(linesIn(cloudflare.objects.get(keyOf("message")))).toEqual(MESSAGES);
  });

  it("asks again where Cloudflare refuses for a while, and once with new credentials", async ({ expect }) => {
    await history("copy", "copy");
    cloudflare.objects.delete(keyOf("balance_entry"));
    const refusals = [429, 429, 401, 503].map((status) => {
      return { status, code: 10000, message: "refused", headers: { "Retry-After": "1" } };
    });
    cloudflare.beforeObject = () => refusals.shift();

    const { status, output } = await history("restore", "copy");

    expect(status, output).toBe(0);
    expect(refusals).toEqual([]);
    expect(output).toContain("1 objects put back, 1 were there.");
    expect(linesIn(cloudflare.objects.get(keyOf("balance_entry")))).toEqual(ENTRIES);
  });

  it("puts nothing back that is damaged or missing in the folder", async ({ expect }) => {
    await history("copy", "copy");
    cloudflare.objects.clear();
    writeFileSync(fileOf("message"), "damaged");
    rmSync(fileOf("balance_entry"));

    const { status, output } = await history("restore", "copy");

    expect(status).toBe(1);
    expect(output).toContain(`  ${nameOf("message")} has another SHA-256 in the folder`);
    expect(output).toContain(`  ${nameOf("balance_entry")} is neither in the bucket nor in the folder`);
    expect([...cloudflare.objects]).toEqual([]);
  });
});

describe("npm run history -- drop-bodies", () => {
  const dropped = MESSAGES.map((line) => (line.id === "m1" ? { ...line, body: "" } : line));

  it("writes messages anew without the customer's bodies, and their row", async ({ expect }) => {
    const before = rowOf("balance_entry");

    const first = await history("drop-bodies", "c1");
    const object = cloudflare.objects.get(keyOf("message")) ?? Buffer.of();
    const second = await history("drop-bodies", "c1");

    expect([first.status, second.status]).toEqual([0, 0]);
    expect(first.output).toContain("1 bodies dropped: 1 objects written anew, 1 left as they are.");
    expect(second.output).toContain("0 bodies dropped: 0 objects written anew, 2 left as they are.");
    expect(linesIn(object)).toEqual(dropped);
    expect(rowOf("message")).toEqual({ lines: 2, bytes: object.length, sha256: sha256Of(object) });
    expect(rowOf("balance_entry")).toEqual(before);
  });

  it("empties them in the database too, also of removed and of quiet groups, and notifies members", async ({
    expect,
  }) => {
    const before = Array.from({ length: 5_000 }, (_, index) => `a${String(index).padStart(5, "0")}`);
    database.exec("BEGIN");
    for (const id of before) insert("messages", { id, customer_key: 2, body: "kept" });
    for (const id of ["b  '1'", "b2"]) insert("messages", { id, customer_key: 1, group_key: 7, body: "secret" });
    database.exec("COMMIT");
    insert("message_group_members", { group_key: 7, customer_key: 1 });
    insert("listeners", { customer_id: "c1", until: "2999-01-01 00:00:00" });
    database.exec("DELETE FROM outbox");

    const { status, output } = await history("drop-bodies", "c1");

    expect(status, output).toBe(0);
    expect(output).toContain("2 messages in the database have no body now.");
    const left = database.prepare("SELECT DISTINCT body, customer_key FROM messages ORDER BY body").all();
    expect(left.map((row) => ({ ...row }))).toEqual([
      { body: "", customer_key: 1 },
      { body: "kept", customer_key: 2 },
    ]);
    expect(database.prepare("SELECT customers FROM outbox").all()).toMatchObject([{ customers: '["c1"]' }]);
  });

  it.for(["m1", "b  '1'"])("empties one message, in a segment or in the database: %s", async (id, { expect }) => {
    for (const stored of ["b  '1'", "b2"]) insert("messages", { id: stored, customer_key: 1, body: "secret" });

    const { status, output } = await history("drop-bodies", "--message", id);

    expect(status, output).toBe(0);
    const emptied = database.prepare("SELECT id FROM messages WHERE body = ''").all();
    expect(emptied.map((row) => row.id)).toEqual(id === "m1" ? [] : [id]);
    expect(linesIn(cloudflare.objects.get(keyOf("message")))).toEqual(id === "m1" ? dropped : MESSAGES);
  });

  it("goes on where it was cut off between the row and its object", async ({ expect }) => {
    const noAnswer = { status: 400, code: 1, message: "cut off" };
    cloudflare.beforeObject = (request) => (request.startsWith("PUT") ? noAnswer : undefined);

    const first = await history("drop-bodies", "c1");
    const row = rowOf("message");
    cloudflare.beforeObject = undefined;
    const second = await history("drop-bodies", "c1");
    const object = cloudflare.objects.get(keyOf("message")) ?? Buffer.of();

    expect([first.status, second.status], second.output).toEqual([1, 0]);
    expect(second.output).toContain("1 bodies dropped: 1 objects written anew, 1 left as they are.");
    expect(linesIn(object)).toEqual(dropped);
    expect(row).toMatchObject({ sha256: sha256Of(object) });
    expect(rowOf("message")).toEqual(row);
  });

  it("leaves an object as it is whose row another run has changed meanwhile", async ({ expect }) => {
    const object = cloudflare.objects.get(keyOf("message"));
    cloudflare.beforeObject = (request) => {
      if (!request.endsWith("/owner")) database.exec("UPDATE history_segments SET sha256 = 'another'");
      return undefined;
    };

    const { status, output } = await history("drop-bodies", "c1");

    expect(status).toBe(1);
    expect(output).toContain(`  ${nameOf("message")} was written anew meanwhile: run this again`);
    expect(cloudflare.objects.get(keyOf("message"))).toEqual(object);
    expect(rowOf("message")).toMatchObject({ sha256: "another" });
  });

  it("drops them of objects of earlier months too that no segment names", async ({ expect }) => {
    const objectOf = (month: string, number = 9) => `${BUCKET}/message/${month}/${number}.ndjson.gz`;
    const [before, other, now] = [objectOf("2026-03"), objectOf("2026-03", 8), objectOf("2026-04")];
    for (const name of [before, now]) cloudflare.objects.set(name, gzipped(MESSAGES));
    cloudflare.objects.set(other, gzipped(MESSAGES.slice(1)));
    insert("history_scans", { kind: "message", month: "2026-04" });

    const { status, output } = await history("drop-bodies", "c1");

    expect(status, output).toBe(0);
    expect(output).toContain("2 bodies dropped: 1 objects written anew, 1 left as they are.");
    expect(output).toContain("1 more, which no segment names, were written anew.");
    expect(linesIn(cloudflare.objects.get(before))).toEqual(dropped);
    expect(cloudflare.objects.get(other)).toEqual(gzipped(MESSAGES.slice(1)));
    expect(linesIn(cloudflare.objects.get(now))).toEqual(MESSAGES);
  });

  it.for([
    ["is not in the bucket", undefined],
    ["has another SHA-256 than the database says", Buffer.from("damaged")],
  ] as const)("drops what can be dropped, and names what cannot: %s", async ([fault, named], { expect }) => {
    const nameAt = (number: number) => `message/2026-03/${number}.ndjson.gz`;
    cloudflare.objects.delete(keyOf("message"));
    if (named !== undefined) cloudflare.objects.set(keyOf("message"), named);
    cloudflare.objects.set(`${BUCKET}/${nameAt(8)}`, gzipped(MESSAGES).subarray(0, 60));
    cloudflare.objects.set(`${BUCKET}/${nameAt(9)}`, gzipped(MESSAGES));
    insert("history_scans", { kind: "message", month: "2026-04" });

    const { status, output } = await history("drop-bodies", "c1");

    expect(status).toBe(1);
    expect(output).toContain(`2 objects are not as they should be:
  ${nameOf("message")} ${fault}
  ${nameAt(8)} is damaged`);
    expect(linesIn(cloudflare.objects.get(`${BUCKET}/${nameAt(9)}`))).toEqual(dropped);
  });

  it("takes no forged object in which the customer has no body", async ({ expect }) => {
    const forged = gzipped([dropped[0] ?? {}, { ...MESSAGES[1], body: "forged" }]);
    cloudflare.objects.set(keyOf("message"), forged);

    const before = rowOf("message");
    const { status, output } = await history("drop-bodies", "nobody");

    expect(status).toBe(1);
    expect(output).toContain(`  ${nameOf("message")} has another SHA-256 than the database says`);
    expect(rowOf("message")).toEqual(before);
  });

  it.for([
    ["is another", gzipped([MESSAGES[0] ?? {}, { ...MESSAGES[1], body: "forged" }])],
    ["lacks a line", gzipped(dropped.slice(1))],
    ["is damaged", gzipped(dropped).subarray(0, 60)],
  ] as const)("leaves an object as it is that %s", async ([, object], { expect }) => {
    const before = rowOf("message");
    cloudflare.objects.set(keyOf("message"), object);

    const { status, output } = await history("drop-bodies", "c1");

    expect(status).toBe(1);
    expect(output).toContain(`  ${nameOf("message")} has `);
    expect(cloudflare.objects.get(keyOf("message"))).toEqual(object);
    expect(rowOf("message")).toEqual(before);
  });
});

describe("npm run history -- status", () => {
  it("says what has left and what is left to leave", async ({ expect }) => {
    insert("balance_entries", { id: "old  'one'", customer_key: 1, store_key: 1, created_at: "2026-02-01 00:00:00" });
    insert("balance_entries", { id: "new", customer_key: 1, store_key: 1, created_at: "2999-01-01 00:00:00" });

    const { status, output } = await history("status");

    expect(status, output).toBe(0);
    expect(output).toMatch(
      /^\| balance_entry \| +1 \| +2 \| +\d+ \| 2026-01-02 03:04:05 \| 2026-02-01 00:00:00 \| +1 \|$/m,
    );
    expect(output).toMatch(/^\| all +\| +2 \| +4 \| +\d+ \|.*\| +1 \|$/m);
    expect(output).toContain("Not all of them have left yet");
  });
});

describe("npm run verify-totals -- --history", () => {
  const verify = () => run("verify-totals", "--history", "--remote");

  it("finds segments and summaries as they should be", async ({ expect }) => {
    expect((await verify()).output).toContain("history: 2 segments with 4 lines, as expected");
  });

  it("names no fault where events leave meanwhile, and says so", async ({ expect }) => {
    cloudflare.beforeObject = (request) => {
      if (request.endsWith("/owner")) return undefined;
      cloudflare.beforeObject = undefined;
      database.exec(`UPDATE balance_entries SET amount = 325 WHERE customer_key = 1;
        UPDATE store_balances SET balance = 325; UPDATE customers SET balance = 325`);
      insert("history_segments", { kind: "balance_entry", month: "2026-03", number: 2, sums: '{"balance":200}' });
      return undefined;
    };

    const { status, output } = await verify();

    expect(status).toBe(1);
    expect(output).toContain("Events left for history meanwhile: verify again once no more leave.");
    expect(output).not.toContain("faults");
  });

  it("names what is wrong with segments and summaries", async ({ expect }) => {
    database.exec(`
      UPDATE history_segments SET newest = '2026-02-01 00:00:01' WHERE kind = 'balance_entry';
      UPDATE balance_entries SET amount = 149 WHERE campaign_key = 1; UPDATE campaign_stores SET earned = 149`);
    cloudflare.objects.delete(keyOf("message"));
    const earned_at = ENTRY.created_at;
    const earning = { record: "token_earning", store_id: "s1", customer_id: "c1", level_no: 2, tokens: "0.50" };
    insertSegment("token_earning", [{ ...earning, earned_at }], { newest: earned_at, sums: '{"tokens":49}' });

    const { status, output } = await verify();

    expect(status).toBe(1);
    expect(output).toContain(`history: 3 segments with 5 lines, 5 faults
  ${nameOf("balance_entry")} has events of another time than the database says
  ${nameOf("message")} is not in the bucket
  ${nameOf("token_earning")} adds up to {"tokens":50}, and the database says {"tokens":49}
  balance_entry [null,"s1","k1"] earned: stored 149, segments add up to 150
  token_earning ["c1","s1",2] tokens: stored 0, segments add up to 50`);
  });

  it("tells ids with blanks in them apart", async ({ expect }) => {
    database.exec("UPDATE customers SET id = 'a b'; UPDATE stores SET id = 'c'");
    const entries = ENTRIES.map((entry) => ({ ...entry, customer_id: "a", store_id: "b c" }));
    database.exec("DELETE FROM history_segments WHERE kind = 'balance_entry'");
    insertSegment("balance_entry", entries, { newest: "2026-02-01 00:00:00", sums: '{"balance":125,"earned":150}' });

    const { status, output } = await verify();

    expect(status).toBe(1);
    expect(output).toContain(`  balance_entry ["a b","c",null] balance: stored 125, segments add up to 0
  balance_entry ["a","b c",null] balance: stored 0, segments add up to 125`);
  });
});

describe("npm run history", () => {
  it("marks an empty bucket as its deployment's when it restores, and touches nobody else's", async ({ expect }) => {
    await history("copy", "copy");
    cloudflare.objects.clear();

    const restored = await history("restore", "copy");
    const owner = cloudflare.objects.get(`${BUCKET}/owner`)?.toString();
    cloudflare.objects.set(`${BUCKET}/owner`, Buffer.from("somebody-elses"));
    cloudflare.objects.delete(keyOf("message"));
    const refused = await Promise.all([history("restore", "copy"), history("drop-bodies", "c1")]);

    expect(restored, restored.output).toMatchObject({ status: 0 });
    expect(owner).toBe("loyalty-edge");
    for (const { status, output } of refused) {
      expect(status).toBe(1);
      expect(output).toContain(`The bucket ${BUCKET} belongs to somebody-elses. Nothing was changed.`);
    }
    expect(cloudflare.objects.has(keyOf("message"))).toBe(false);
  });

  it("says in a line what is wrong with the settings", async ({ expect }) => {
    const { status, output } = await history("status", "--env", "staging");

    expect(status).toBe(1);
    expect(output.trim().split("\n").at(-1)).toContain("HISTORY_MONTHS of staging must be 1 to 120");
    expect(output).not.toContain("RangeError");
  });

  it("says what is missing where no bucket is bound", async ({ expect }) => {
    const { status, output } = await history("copy", "copy", "--env", "staging");

    expect(status).toBe(1);
    expect(output).toContain("wrangler.toml binds no bucket as HISTORY");
    expect(existsSync(path.join(clone, "copy"))).toBe(false);
  });
});

describe("npm run feed -- FILE --check", () => {
  it("names events that are older than the history that is kept, which a restore takes", async ({ expect }) => {
    writeFileSync(path.join(clone, "old.ndjson"), JSON.stringify(ENTRIES[0]));
    const check = (...args: string[]) => run("feed", "old.ndjson", "--check", ...args);

    const [fed, restored] = [await check(), await check("--restore")];

    expect(fed.status, fed.output).toBe(1);
    expect(fed.output).toContain("line 1.created_at: is older than the history that is kept");
    expect(restored, restored.output).toMatchObject({ status: 0 });
  });
});
