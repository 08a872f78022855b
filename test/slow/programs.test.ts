import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, it } from "vitest";
import {
  addProgram,
  configuredPrograms,
  MARKER,
  readConfigFile,
  removeProgram,
} from "../../scripts/lib/program-config.ts";
import { cloneCheckout, removeFolder } from "./clone.ts";
import { ROOT, running } from "./command.ts";

const folder = mkdtempSync(path.join(tmpdir(), "loyalty-edge-programs-"));
const file = path.join(folder, "wrangler.toml");
const OURS = readFileSync(path.join(ROOT, "wrangler.toml"), "utf8");

afterAll(() => removeFolder(folder));

const DEFAULT = '[[d1_databases]]\nbinding = "DB"\ndatabase_name = "x"\n';
const ACME = '[[d1_databases]]\nbinding = "DB_ACME"\ndatabase_name = "x-acme"\n';
const STAGING = '[[env.staging.d1_databases]]\nbinding = "DB"\ndatabase_name = "x-staging"\n';
const END = `${MARKER}\n`;

/** The block of a program, as it is added. */
const blockOf = (list: string, binding: string, name: string) =>
  `\n[[${list}]]\nbinding = "${binding}"\ndatabase_name = "${name}"\nmigrations_dir = "migrations"\n`;

describe("a wrangler.toml", () => {
  it.for([
    ["ours", OURS, "loyalty-edge"],
    ["one with a comment and blank lines", `# Ours.\n\n${DEFAULT}\n${STAGING}\n\n${END}`, "x"],
  ] as const)("gets a block for each program at its end, and loses it again: %s", ([, text, base], { expect }) => {
    writeFileSync(file, text);
    const now = () => readFileSync(file, "utf8");

    addProgram("globex", "staging", file);
    addProgram("acme-eu", "production", file);
    addProgram("globex", "production", file);

    const ofProduction = blockOf("d1_databases", "DB_GLOBEX", `${base}-globex`);
    const ofStaging = blockOf("env.staging.d1_databases", "DB_GLOBEX", `${base}-staging-globex`);
    const acme = blockOf("d1_databases", "DB_ACME_EU", `${base}-acme-eu`);
    expect(now()).toBe(text + acme + ofProduction + ofStaging);
    expect(configuredPrograms("production", readConfigFile(file))).toEqual([
      { name: "", binding: "DB", databaseName: base },
      { name: "acme-eu", binding: "DB_ACME_EU", databaseName: `${base}-acme-eu` },
      { name: "globex", binding: "DB_GLOBEX", databaseName: `${base}-globex` },
    ]);
    removeProgram("acme-eu", "production", file);
    expect(now()).toBe(text + ofProduction + ofStaging);
    removeProgram("globex", "staging", file);
    removeProgram("globex", "production", file);
    expect(now()).toBe(text);
  });

  it.for([
    ["a program that is there", DEFAULT + END + ACME, "acme", "production has a program acme already."],
    ["a database of another environment", DEFAULT + STAGING + END, "staging", "would share the database x-staging"],
    ["no default program", END + ACME, "globex", "production has no database for the default program"],
    ["two programs of one database", DEFAULT + END + ACME.replace("x-acme", "x"), "globex", "share the database x."],
    ["a database without a name", `[[d1_databases]]\nbinding = "DB"\n${END}`, "acme", "names no database for DB"],
    ["a program above the marker", DEFAULT + ACME + END, "globex", "is left as it is"],
    ["something else below the marker", `${DEFAULT + END}[vars]\nA = "b"\n`, "acme", "is left as it is"],
    ["no marker", DEFAULT, "acme", "put this line at its end"],
    ["text that is no TOML", `${DEFAULT}oops`, "acme", "cannot be read: "],
  ] as const)("stays as it is with %s", ([, text, name, words], { expect }) => {
    writeFileSync(file, text);

    expect(() => addProgram(name, "production", file)).toThrow(words);

    expect(readFileSync(file, "utf8")).toBe(text);
    expect(readdirSync(folder)).toEqual(["wrangler.toml"]);
  });
});

describe("npm run programs", () => {
  let clone = "";
  beforeAll(() => {
    clone = cloneCheckout();
  });
  beforeEach(() => writeFileSync(path.join(clone, "wrangler.toml"), OURS));
  afterAll(() => removeFolder(clone));

  async function programs(args: readonly string[], stdin = "") {
    const run = running("node", ["scripts/run.mjs", "programs", ...args], { cwd: clone, stdin });
    return { status: await run.ended, output: run.output() };
  }
  const config = () => readFileSync(path.join(clone, "wrangler.toml"), "utf8");
  const types = () => readFileSync(path.join(clone, "worker-configuration.d.ts"), "utf8");

  it("adds a program, lists it, and removes it once its name is typed again", async ({ expect }) => {
    const before = types();
    const added = await programs(["add", "acme-eu", "--env", "staging"]);
    const listed = await programs(["list", "--env", "staging"]);
    const typesThen = types();
    const kept = await programs(["remove", "acme-eu", "--env", "staging"], "acme\n");
    const configThen = config();
    const removed = await programs(["remove", "acme-eu", "--env", "staging"], "acme-eu\n");

    expect(added).toMatchObject({ status: 0 });
    expect(added.output).toContain("makes the database loyalty-edge-staging-acme-eu");
    expect(added.output).toContain("secret put JWT_SECRET_ACME_EU --env=staging");
    expect(listed.output).toMatch(/^\| acme-eu +\| DB_ACME_EU +\| loyalty-edge-staging-acme-eu +\|$/m);
    expect(typesThen).toContain("DB_ACME_EU?: D1Database;");
    expect(kept).toMatchObject({ status: 1 });
    expect(kept.output).toContain("That is another name. Nothing was removed.");
    expect(configThen).toContain("DB_ACME_EU");
    expect(removed).toMatchObject({ status: 0 });
    expect(removed.output).toContain("No data is deleted");
    expect({ config: config(), types: types() }).toEqual({ config: OURS, types: before });
  });

  it.for([
    [["add", "Acme"], "It must be 1 to 32 of a-z, 0-9 and -."],
    [["add", "a".repeat(33)], "It must be 1 to 32 of a-z, 0-9 and -."],
    [["remove", "acme"], "There is no program acme in production."],
    [[], "Usage: npm run programs"],
  ] as const)("says in a line what is wrong with %j", async ([args, words], { expect }) => {
    const { status, output } = await programs(args);

    expect(status, output).toBe(1);
    expect(output).toContain(words);
    expect(output).not.toContain("    at ");
    expect(config()).toBe(OURS);
  });
});
