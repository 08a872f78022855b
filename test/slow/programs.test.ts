import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, it } from "vitest";
import { addProgram, configuredPrograms, readConfigFile, removeProgram } from "../../scripts/lib/program-config.ts";
import { cloneCheckout } from "./clone.ts";
import { ROOT, running } from "./command.ts";

const folder = mkdtempSync(path.join(tmpdir(), "loyalty-edge-programs-"));
const file = path.join(folder, "wrangler.toml");
const OURS = readFileSync(path.join(ROOT, "wrangler.toml"), "utf8");

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The block of a program, as it is added. */
const blockOf = (name: string, { list, prefix, migrations }: { list: string; prefix: string; migrations: string }) =>
  `[[${list}]]
binding = "DB_${name.toUpperCase().replaceAll("-", "_")}"
database_name = "${prefix}-${name}"
migrations_dir = "${migrations}"`;

// What a person may have written, with the place where a program of `env` is to be added.
const TEXTS = {
  ours: OURS.replace('loyalty-edge"\nmigrations_dir = "migrations"', "$&\n\n<production>").replace(
    'loyalty-edge-staging"\nmigrations_dir = "migrations"',
    "$&\n\n<staging>",
  ),
  "blocks in another order, and comments everywhere": `# [[d1_databases]]
name = "x" # not "[[d1_databases]]"
main = "src/index.ts"
compatibility_date = "2026-10-20"

[[env.staging.d1_databases]]   # the default program of staging
database_name = 'x-staging'
  binding = "DB"
# replicas are on

<staging>

  [ vars ]
NOTE = """
[[d1_databases]]
binding = "DB_NOTE"
"""
LIST = [
  [ "]" ], # [[d1_databases]]
[["d1_databases"]],
  { a = "#", b = ']' },
]

[["d1_databases"]]
binding = "DB"
migrations_dir = "sql"

# a blank line is part of a table too
database_name = "x" # the default program, and blanks${"  "}

<production>
# the cache of boards
[[kv_namespaces]]
binding = "CACHE"
simple = { limit = 600, list = [{ binding = "DB_NOT" }] }`,
  "a database at the end, without a last line break": `name = "x"
[env.staging]
d1_databases = [ { binding = "DB", database_name = "x-staging" } ]
[[kv_namespaces]]
binding = "CACHE"
[[d1_databases]]
binding = "DB"
database_name = "x"
# binding = "DB_OLD"

<production>`,
};

const CASES = Object.entries(TEXTS).flatMap(([what, text]) =>
  ["production", "staging"]
    .filter((env) => text.includes(`<${env}>`))
    .flatMap((env) => ["\n", "\r\n"].map((lineBreak) => ({ what, env, lineBreak, text }))),
);

/** The text with other line breaks, and with these blocks in their places. */
function written(text: string, lineBreak: string, blocks: Record<string, readonly string[]> = {}): string {
  const filled = text.replaceAll(/\n\n<(\w+)>/g, (_, env) => (blocks[env] ?? []).map((one) => `\n\n${one}`).join(""));
  return filled.replaceAll("\n", lineBreak);
}

describe("a wrangler.toml", () => {
  it.for(CASES)(
    "gets one block more, and loses it again: $what, $env, $lineBreak",
    ({ env, lineBreak, text }, { expect }) => {
      const base = text === TEXTS.ours ? "loyalty-edge" : "x";
      const [list, prefix] =
        env === "production" ? ["d1_databases", base] : [`env.${env}.d1_databases`, `${base}-${env}`];
      const migrations = text.includes('"sql"') && env === "production" ? "sql" : "migrations";
      const [acme, globex] = [
        blockOf("acme-eu", { list, prefix, migrations }),
        blockOf("globex", { list, prefix, migrations }),
      ];
      writeFileSync(file, written(text, lineBreak));
      const now = () => readFileSync(file, "utf8");

      addProgram("acme-eu", env, file);
      addProgram("globex", env, file);
      expect(now()).toBe(written(text, lineBreak, { [env]: [acme, globex] }));
      expect(configuredPrograms(env, readConfigFile(file))).toEqual([
        { name: "", binding: "DB", databaseName: prefix },
        { name: "acme-eu", binding: "DB_ACME_EU", databaseName: `${prefix}-acme-eu` },
        { name: "globex", binding: "DB_GLOBEX", databaseName: `${prefix}-globex` },
      ]);

      removeProgram("acme-eu", env, file);
      expect(now()).toBe(written(text, lineBreak, { [env]: [globex] }));
      removeProgram("globex", env, file);
      expect(now()).toBe(written(text, lineBreak));
    },
  );

  const DEFAULT = '[[d1_databases]]\nbinding = "DB"\ndatabase_name = "x"\n';
  const STAGING = '[[env.staging.d1_databases]]\nbinding = "DB"\ndatabase_name = "x-staging"\n';
  const ACME = '[[d1_databases]]\nbinding = "DB_ACME"\ndatabase_name = "x-acme"\n';

  it.for([
    ["a program that is there", DEFAULT + ACME, "acme", "production has a program acme already."],
    ["a database of another environment", DEFAULT + STAGING, "staging", "would be one of staging"],
    ["a database of another environment's program", DEFAULT + STAGING, "staging-acme", "would be one of staging"],
    ["no default program", ACME, "globex", "production has no database for the default program"],
    ["databases in one line", 'd1_databases = [{ binding = "DB", database_name = "x" }]', "acme", "as a table"],
    ["two programs of one database", DEFAULT + ACME.replace("x-acme", "x"), "globex", "share the database x"],
    ["a database without a name", '[[d1_databases]]\nbinding = "DB"\n', "acme", "names no database for DB"],
    ["text that is no TOML", `${DEFAULT}oops`, "acme", "cannot be read: "],
  ] as const)("stays as it is with %s", ([, text, name, words], { expect }) => {
    writeFileSync(file, text);

    expect(() => addProgram(name, "production", file)).toThrow(words);

    expect(readFileSync(file, "utf8")).toBe(text);
    expect(readdirSync(folder)).toEqual(["wrangler.toml"]);
  });

  it("stays as it is where a removal would change more than one program", ({ expect }) => {
    const text = `${DEFAULT}${ACME}[d1_databases.more]\nof = "acme"\n`;
    writeFileSync(file, text);

    expect(() => removeProgram("acme", "production", file)).toThrow("wrangler.toml is left as it is");

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
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

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
