import { describe, it } from "vitest";
import { PROGRAMS, run, writePrograms } from "./deploying.ts";

const shared = (what: string) => `staging and production would share ${what}: give each its own.`;
/** An environments.toml with these lines in both tables, or in staging's alone. */
const both = (lines: string) => `[production]\n${lines}\n\n[staging]\n${lines}\n`;
const staging = (lines: string) => `[production]\n\n[staging]\n${lines}\n`;

const RADIUS_RULE = "must be a number of miles, above 0 and below 100,000. docs/deploying.md, Variables";
const wrangler = (setting: string) => staging(`wrangler = { ${setting} }`);

describe("npm run deploy", () => {
  // test/service/variables.test.ts has the rule of each variable.
  it.for<[what: string, says: string, programs: string]>([
    [
      "a wrong variable",
      `NEARBY_RADIUS_MILES of staging ${RADIUS_RULE}`,
      staging('vars = { NEARBY_RADIUS_MILES = "lots" }'),
    ],
    [
      "a misspelt variable",
      "There is no variable JWT_ISUER, which staging sets.",
      staging('vars = { JWT_ISUER = "id" }'),
    ],
    ["a misspelt setting", 'Unrecognized key: "databse_id"', staging('databse_id = "d"')],
    [
      "the name development",
      "environments.toml: no program may have the name development: give it another name.",
      `${PROGRAMS}\n[development]\n`,
    ],
    [
      "another ENVIRONMENT",
      "ENVIRONMENT of staging is always the name of the program: leave it out.",
      staging('vars = { ENVIRONMENT = "x" }'),
    ],
    ["text that is no TOML", "environments.toml cannot be read: ", `${PROGRAMS}oops`],
    ["another main", "may not be set here", wrangler('main = "src/other.ts"')],
    ["other triggers", "may not be set here", wrangler("triggers = { crons = [] }")],
    ["other objects", "may not be set here", wrangler("durable_objects = { bindings = [] }")],
    [
      "a binding",
      "r2_buckets may not be set here",
      wrangler('r2_buckets = [{ binding = "FILES", bucket_name = "files" }]'),
    ],
    [
      "what wrangler refuses, with its reason",
      '"observability" should be an object but got "yes"',
      wrangler('observability = "yes"'),
    ],
    [
      "another program's tokens",
      shared('the tokens of https://id.example/keys for "loyalty"'),
      both('vars = { JWKS_URL = "https://id.example/keys", JWT_AUDIENCE = "loyalty" }'),
    ],
    ["another program's database", shared("the database loyalty-edge"), staging('database_name = "loyalty-edge"')],
    ["another program's KV namespace", shared("the KV namespace k"), both('kv_id = "k"')],
    ["another program's Worker", shared("the Worker loyalty-edge"), staging('name = "loyalty-edge"')],
    ["another program's route", shared("the route loyalty.example"), both('routes = ["loyalty.example"]')],
  ])("refuses %s", async ([, says, programs], { expect }) => {
    writePrograms(programs);

    const { status, output } = await run("deploy", ["--all"]);

    expect(status).toBe(1);
    expect(output).toContain(says);
  });

  it("refuses a wrong variable as npm start does", async ({ expect }) => {
    writePrograms('[production]\nvars = { NEARBY_RADIUS_MILES = "lots" }\n');

    const { status, output } = await run("start", ["--no-demo"]);

    expect(status).toBe(1);
    expect(output).toContain(`NEARBY_RADIUS_MILES of production ${RADIUS_RULE}`);
  });
});
