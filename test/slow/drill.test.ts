import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it } from "vitest";
import { askDatabase } from "../../scripts/lib/database.ts";
import { cloneCheckout, withRetention } from "./clone.ts";
import { freePort, startProgram, stop, untilPrinted } from "./command.ts";
import { blocksIn, commandsIn, sectionOf } from "./docs.ts";
import { type Service, startService } from "./service.ts";

// Runs the commands of the drill in docs/backups.md, with other ports and folders, and those of docs/incidents.md.

const JOBS = 4;
const CUSTOMER = { record: "customer", id: "c1" };
const ENTRY = { record: "balance_entry", customer_id: "c1", store_id: "s101-1-1", amount: "1.00" };
const MESSAGE = { record: "message", group_id: "g1", customer_id: "c1" };
const clone = cloneCheckout();
/** The data of the service that the drill backs up. It has the demo program, whose old events are added up. */
const folder = path.join(clone, "source");
let source: Service;

/** Runs lines of shell, until one fails. Resolves with what they print. */
async function run(lines: string): Promise<string> {
  const shell = startProgram("sh", ["-ec", lines], { cwd: clone });
  expect(await shell.ended, `${lines}\n${shell.output()}`).toBe(0);
  return shell.output();
}

/** Runs all jobs. Each minute of the schedule runs one job. */
async function runJobs(): Promise<void> {
  for (let minute = 0; minute < JOBS; minute += 1) await fetch(`${source.url}/__scheduled`);
}

async function feed(lines: readonly object[]): Promise<void> {
  writeFileSync(path.join(clone, "lines.ndjson"), lines.map((line) => JSON.stringify(line)).join("\n"));
  await run(`npm run feed -- lines.ndjson --url ${source.url}`);
}

type Line = Record<string, unknown>;
const linesOf = (text: string | Buffer): Line[] =>
  String(text)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/**
 * The parts of the service's data (d1, kv, do) that contain "xzvk". Each text about the customer c1 has these letters
 * within a word, because a search index may leave out a word's first letters.
 */
function partsWithTexts(): string[] {
  const copy = path.join(clone, "copy");
  rmSync(copy, { recursive: true, force: true });
  cpSync(path.join(folder, "v3"), copy, { recursive: true });
  const hasLetters = (bytes: Buffer) => bytes.toString("latin1").toLowerCase().includes("xzvk");
  for (const file of globSync(path.join(copy, "**/*.sqlite"))) {
    // Without VACUUM, deleted rows stay in free pages of the file.
    const database = new DatabaseSync(file);
    database.exec("VACUUM");
    database.close();
  }
  const files = globSync("**", { cwd: copy, withFileTypes: true }).filter((entry) => entry.isFile());
  const filesWithTexts = files.filter(({ parentPath, name }) => hasLetters(readFileSync(path.join(parentPath, name))));
  return filesWithTexts.map(({ parentPath }) => path.relative(copy, parentPath).split(path.sep)[0] ?? "");
}

beforeAll(async () => {
  // Retention is off at first, because a step would make the service refuse the old events of the demo program.
  source = await startService(["--persist-to", folder], { cwd: clone });
});

/** Runs the commands of a section of docs/incidents.md on the source's data. Resolves with what they print. */
function runIncident(section: string): Promise<string> {
  const commands = blocksIn(sectionOf("incidents.md", `## ${section}\n`), "sh").join("");
  const onSource = commands
    .replaceAll("--remote", `--persist-to ${folder}`)
    // The requests that fed the demo program, twice: to take them back, and to verify it.
    .replace(/^.*--requests 812-815.*\n/m, (undo) => undo.replace("812-815", "1-$LAST --yes").repeat(2))
    .replace('"campaign_id":"spring"', '"campaign_id":');
  const names = { READ: "export", WRITE: "feed '*'", UNDO: "undo" };
  const tokens = Object.entries(names)
    .map(([name, words]) => `${name}=$(npm run --silent token -- ${words})`)
    .join("; ");
  const lastVersion = `LAST=$(curl -sD - -o /dev/null -H "Authorization: Bearer $READ" "$URL/api/v1/feed?record=account" | tr -d '\\r' | sed -n 's/^x-feed-version: //Ip')`;
  return run(`URL=${source.url}; ${tokens}; ${lastVersion}\n${onSource}`);
}

describe("docs/incidents.md, before the drill,", { timeout: 300_000 }, () => {
  it("deletes registrations", async () => {
    expect(await runIncident("The database is full")).toMatch(
      /^([1-9][\d,]*) lines committed \(\1 accepted, 0 ignored\)/m,
    );
  });

  it("undoes events, once", async () => {
    const output = await runIncident("A day's feed was wrong");

    for (const kind of ["balance_entry", "token_earning", "play", "message"])
      expect(output).toMatch(new RegExp(`^\\| ${kind} +\\| .*[1-9]`, "m"));
    expect(output).toMatch(/^([1-9][\d,]*) lines committed: \1 undone now, 0 before/m);
    expect(output).toMatch(/^([1-9][\d,]*) lines committed: 0 undone now, \1 before/m);
    expect(output).toContain("All derived data agrees with the records.");
  });
});

describe("the drill of docs/backups.md", { timeout: 1_200_000 }, () => {
  it("restores the demo program with its summaries, and verifies the restored database", async () => {
    const drill = sectionOf("backups.md", "### The drill")
      .replaceAll("8787", String(source.port))
      .replaceAll("8788", String(await freePort()))
      .replaceAll("/tmp/drill", path.join(clone, "drill"));
    const [commands = []] = blocksIn(drill, "sh").map(commandsIn);
    await feed([
      { ...CUSTOMER, first_name: "Qxzvka", last_name: "Qxzvkb", scan_id: "qxzvkc", address_line_1: "Qxzvkd 1" },
      { ...ENTRY, id: "old", description: "Qxzvke", created_at: "2026-01-02 03:04:05" },
      { ...MESSAGE, id: "first", body: "Qxzvkh" },
    ]);
    await stop(source);
    const config = path.join(clone, "environments.toml");
    writeFileSync(config, withRetention(readFileSync(config, "utf8")));
    source = await startService(["--persist-to", folder], { cwd: clone, port: source.port });
    // After a start, all jobs are due.
    await runJobs();

    /** What each command has printed. */
    const outputs = new Map<string, string>();
    for (const line of commands) {
      if (line.startsWith("npm start"))
        await untilPrinted(startProgram("sh", ["-c", `exec ${line}`], { cwd: clone }), "Ctrl-C stops it");
      else outputs.set(line, await run(line));
    }

    const outputOf = (command: string) => [...outputs].find(([line]) => line.includes(command))?.[1];
    expect(commands).toHaveLength(6);
    expect(outputOf("verify-totals --persist-to")).toContain("All derived data agrees with the records.");
    const exported = readFileSync(path.join(clone, "again.ndjson"), "utf8");
    expect(exported.split("\n").length).toBeGreaterThan(1_000);
    expect(exported).toContain('"record":"play","sealed":true');
    // All others are old. The first start of a day feeds entries of these days, which an incident has undone above.
    expect(exported).not.toMatch(/"record":"balance_entry","id":"(?!lately-|undo:)/);
    expect(exported).toMatch(/"horizon":"20\d\d-\d\d-01 00:00:00","retention_steps":[1-9]/);
    // Commands without --persist-to would have made this folder.
    expect(existsSync(path.join(clone, ".wrangler", "state"))).toBe(false);
  });
});

describe("npm run customer, after the drill,", { timeout: 300_000 }, () => {
  it("exports the same lines about a customer as a whole export has", async () => {
    await run(`npm run customer -- export c1 one.ndjson --url ${source.url}`);

    const all = linesOf(readFileSync(path.join(clone, "backup.ndjson")));
    const isAboutCustomer = ({ record, id, customer_id, friend_id, member_ids = [] }: Line) => {
      const ownId = record === "customer" ? id : null;
      return [ownId, customer_id, friend_id, ...(member_ids as string[])].includes("c1");
    };
    const ownCoupons = new Set(
      all.filter(({ record, customer_id }) => record === "customer_coupon" && customer_id === "c1").map(({ id }) => id),
    );
    const expected = all.filter((line) => isAboutCustomer(line) || ownCoupons.has(line.customer_coupon_id));
    const exported = linesOf(readFileSync(path.join(clone, "one.ndjson")));
    const sorted = (lines: readonly Line[]) => lines.map((line) => JSON.stringify(line)).sort();
    expect(sorted(exported)).toEqual(sorted(expected));
    expect(new Set(expected.map(({ record }) => record)).size).toBeGreaterThan(9);
  });

  it("lists what customers ask for, and closes it when their data are exported, or by itself", async () => {
    const token = (await run("npm run --silent token -- customer c1")).trim().split("\n").at(-1);
    const headers = { Authorization: `Bearer ${token}` };
    for (const type of ["data", "erasure"]) {
      const body = JSON.stringify({ type });
      await fetch(`${source.url}/api/v1/customer/me/requests`, { method: "POST", headers, body });
    }
    const close = `npm run customer -- close c1 erasure --persist-to ${folder}`;

    const output = await runIncident("Customers ask for their data or erasure");
    const closed = await run(close);

    expect(output).toMatch(/^\| c1 +\| data +\| 20/m);
    expect(output).toMatch(/^\| c1 +\| erasure +\| 20/m);
    expect(output).toContain("The customer's request is closed.");
    expect(closed).toContain("Closed.");
    await expect(run(close)).rejects.toThrow("c1 has no open request of the type erasure.");
    expect(await run(`npm run customer -- requests --persist-to ${folder}`)).toContain("No request is open.");
  });

  it("erases nobody if the service has another database", async () => {
    const other = path.join(clone, "drill");

    const refused = run(`npm run --silent customer -- erase c1 --persist-to ${other} --url ${source.url}`);

    await expect(refused).rejects.toThrow("has another database than --env production. Nothing was changed");
    const [[row] = []] = await askDatabase<{ erased: number }>(["SELECT erased FROM customers WHERE id = 'c1'"], {
      env: "production",
      persistTo: folder,
    });
    expect(row?.erased).toBe(0);
  });

  it("erases a customer from every table, index, cache and inbox", async () => {
    await feed([
      { ...ENTRY, id: "new", description: "Qxzvkf" },
      { ...MESSAGE, id: "second", body: "Qxzvkg" },
    ]);
    const authorize = async (words: string) => {
      const token = (await run(`npm run --silent token -- ${words}`)).trim().split("\n").at(-1);
      return { headers: { Authorization: `Bearer ${token}` } };
    };
    const entry = { id: "till", customer_id: "c1", store_id: ENTRY.store_id, amount: "1.00", description: "Qxzvki" };
    const booking = { method: "POST", body: JSON.stringify(entry), ...(await authorize("till")) };
    expect((await fetch(`${source.url}/api/v1/till/entries`, booking)).status).toBe(200);
    const asCustomer = await authorize("customer c1");
    for (const list of ["messages", "me"]) await fetch(`${source.url}/api/v1/customer/${list}`, asCustomer);
    const partsBefore = partsWithTexts();

    const receipt = await run(`npm run --silent customer -- erase c1 --persist-to ${folder} --url ${source.url}`);
    await runJobs();

    expect(new Set(partsBefore)).toEqual(new Set(["d1"]));
    expect(receipt).toMatch(/"emptied":\{"message":[1-9]\d*,"balance_entry":[1-9]/);
    expect(partsWithTexts()).toEqual([]);
  });

  it("erases a customer as docs/incidents.md says, and again after a restore", async () => {
    const output = await runIncident("A customer must be erased");

    expect(output.match(/^\{"customer":"c1","erased_at":"2.*\}$/gm)).toHaveLength(2);
    expect(output).toContain('{"record":"customer","id":"c1","first_name":"","last_name":""');
  });
});
