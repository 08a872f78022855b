import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "vitest";
import { temporaryFolder } from "./clone.ts";
import { blocksIn, commandsIn, readDoc, sectionOf } from "./docs.ts";
import { feed } from "./feeding.ts";

// The walk-through of docs/feeding.md, with its own code, on its own file and on what Excel saves.

const page = sectionOf("feeding.md", "## From a CSV to an answer");
const [code = ""] = blocksIn(page, "python");
const [csv = ""] = blocksIn(page, "csv");
const [check = ""] = blocksIn(page, "sh").flatMap(commandsIn);
const [output = ""] = blocksIn(page, "text");
const [, fixed = ""] = /`("amount": [^`]*)` fixes it/.exec(page) ?? [];

/** The file as Excel saves it in countries with decimal commas. */
const excelText = csv
  .replaceAll("12.50", '"1.212,50"')
  .replaceAll("3.1", "3,1")
  .replaceAll(",", ";")
  .replaceAll(/(\d);(\d)/g, "$1,$2")
  .replaceAll("\n", "\r\n")
  .replace("main-street;3", "main-street;3");

/** Runs the command of the page as far as its `&&`, and what follows in this process. */
async function walk(script: string, file: Buffer) {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, "visits.py"), script);
  writeFileSync(path.join(folder, "visits.csv"), file);
  const [, shell = "", args = ""] = /^(.*) && npm run feed -- (.*)$/.exec(check) ?? [];
  execFileSync("sh", ["-c", shell], { cwd: folder, stdio: "pipe" });
  const [name = "", ...options] = args.split(" ");
  return feed(path.join(folder, name), ...options);
}

const withFix = code.replace(/"amount": float\(.*\)(?=\}\)\))/, fixed);

describe("the ledger of feeding", () => {
  it("gets the difference of each receipt, once", ({ expect }) => {
    const [addDifferences = ""] = blocksIn(readDoc("feeding.md"), "sql");
    const database = new DatabaseSync(":memory:");
    database.exec(
      "CREATE TABLE receipts (id TEXT, total INTEGER); INSERT INTO receipts VALUES ('r1', 500), ('r2', 300)",
    );
    database.exec(`CREATE TABLE ledger (id INTEGER PRIMARY KEY, receipt TEXT, delta INTEGER); ${addDifferences}`);

    database.exec(`UPDATE receipts SET total = 0 WHERE id = 'r1'; ${addDifferences} ${addDifferences}`);

    const deltas = database.prepare("SELECT receipt, delta FROM ledger ORDER BY id").all();
    expect(deltas.map((row) => Object.values(row))).toEqual([
      ["r1", 500],
      ["r2", 300],
      ["r1", -500],
    ]);
  });
});

describe("the walk-through of feeding", () => {
  it("prints what the page says", async ({ expect }) => {
    const checked = await walk(code, Buffer.from(csv));

    expect(checked.output).toBe(output);
  });

  it.for<[what: string, file: Buffer]>([
    ["its own file", Buffer.from(csv)],
    ["a byte order mark, semicolons and decimal commas", Buffer.from(`\uFEFF${excelText}`)],
    ["Windows-1252", Buffer.from(excelText.replace("v-1", "v-é"), "latin1")],
    ["UTF-16 with tabs", Buffer.from(`\uFEFF${excelText.replaceAll(";", "\t")}`, "utf16le")],
  ])("converts a file with %s", async ([, file], { expect }) => {
    const { status, output } = await walk(withFix, file);

    expect(status, output).toBe(0);
    expect(output).toContain("5 lines checked, all good.");
  });

  it.for([
    ["1.234,50", "1234.50"],
    ["1,234.50", "1234.50"],
    ["12,5", "12.5"],
    ["2,00 €", "2.00"],
    ["EUR\u00a0-1.234,00", "-1234.00"],
    [",95", "0.95"],
    ["-.5", "-0.5"],
    ["10 %", "10"],
  ])("reads the amount %s", ([written = "", amount], { expect }) => {
    const [, definition = ""] = /^(def decimal\(.*?)\n\n/ms.exec(code) ?? [];
    const script = `import re, sys\n${definition}\nsys.stdout.write(decimal(sys.argv[1]))`;

    expect(execFileSync("python3", ["-c", script, written], { encoding: "utf8" })).toBe(amount);
  });

  it("leaves no half of a feed if the script breaks off", ({ expect }) => {
    const noNumber = csv.replace("12.50", "twelve");

    return expect(walk(code, Buffer.from(noNumber))).rejects.toThrow("could not convert string to float");
  });
});
