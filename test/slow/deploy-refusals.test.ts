import { afterEach, describe, it } from "vitest";
import { config, run, STAGING, write } from "./deploying.ts";

type Edit = (text: string) => string;

const replace =
  (from: string | RegExp, to: string): Edit =>
  (text) =>
    text.replaceAll(from, to);
const inStaging =
  (from: string, to: string): Edit =>
  (text) => {
    const at = text.indexOf("[env.staging]");
    return text.slice(0, at) + text.slice(at).replace(from, to);
  };
const together =
  (...edits: Edit[]): Edit =>
  (text) =>
    edits.reduce((edited, edit) => edit(edited), text);
const shared = (what: string) => `staging and production would share ${what}: give each its own.`;

const LOTS = replace('NEARBY_RADIUS_MILES = "25"', 'NEARBY_RADIUS_MILES = "lots"');
const MUST = "must be a number of miles, above 0 and below 100,000. docs/deploying.md, Variables";
const PROVIDER = replace('JWKS_URL = ""', 'JWKS_URL = "https://id.example/keys"');
const AUDIENCE = replace('JWT_AUDIENCE = ""', 'JWT_AUDIENCE = "loyalty"');
const MONTHS = replace('HISTORY_MONTHS = ""', 'HISTORY_MONTHS = "13"');
const ROUTE = 'routes = [{ pattern = "loyalty.example", custom_domain = true }]\n[assets]';
const BUCKETS = replace(/# (\[\[.*r2_buckets\]\])\n# (.*)\n# .*\n/g, '$1\n$2\nbucket_name = "bucket"\n');

describe("npm run deploy", () => {
  afterEach(() => write(config()));

  // test/service/variables.test.ts has the rule of each variable.
  it.for<[what: string, edit: Edit, args: readonly string[], words: string]>([
    ["a wrong variable", LOTS, STAGING, `NEARBY_RADIUS_MILES of staging ${MUST}`],
    [
      "a misspelt variable",
      replace("JWT_ISSUER =", "JWT_ISUER ="),
      [],
      "There is no variable JWT_ISUER, which production sets.",
    ],
    [
      "the name development",
      replace(/\bstaging\b/g, "development"),
      ["--env", "development"],
      "No environment can be deployed as development: give it another name.",
    ],
    [
      "another ENVIRONMENT",
      inStaging('ENVIRONMENT = "staging"', 'ENVIRONMENT = "x"'),
      STAGING,
      "ENVIRONMENT of staging must be the name of its environment, staging.",
    ],
    [
      "another WORKER_NAME",
      inStaging('WORKER_NAME = "loyalty-edge-staging"', 'WORKER_NAME = "x"'),
      ["--all"],
      "WORKER_NAME of staging must be the name of its Worker, loyalty-edge-staging.",
    ],
    [
      "another environment's tokens",
      together(PROVIDER, AUDIENCE),
      STAGING,
      shared('the tokens of https://id.example/keys for "loyalty"'),
    ],
    ["another environment's bucket", together(BUCKETS, MONTHS), STAGING, shared("the bucket bucket")],
    [
      "another environment's database",
      inStaging('database_name = "loyalty-edge-staging"', 'database_name = "loyalty-edge"'),
      STAGING,
      shared("the database loyalty-edge"),
    ],
    [
      "another environment's KV namespace",
      replace('binding = "CACHE"', 'binding = "CACHE"\nid = "k"'),
      STAGING,
      shared("the KV namespace k"),
    ],
    [
      "another environment's rate limits",
      replace(/namespace_id = "\d+"/g, 'namespace_id = "7"'),
      STAGING,
      shared("the namespace_id of rate limits 7"),
    ],
    [
      "another environment's Worker",
      replace("loyalty-edge-staging", "loyalty-edge"),
      STAGING,
      shared("the Worker loyalty-edge"),
    ],
    ["another environment's route", replace("[assets]", ROUTE), STAGING, shared("the route loyalty.example")],
  ])("refuses %s", async ([, edit, args, words], { expect }) => {
    write(edit(config()));

    const { status, output } = await run("deploy", ["--dry-run", ...args]);

    expect({ status, output: output.trim() }).toEqual({ status: 1, output: words });
  });

  it("refuses a wrong variable as npm start does", async ({ expect }) => {
    write(LOTS(config()));

    const { status, output } = await run("start", ["--no-demo"]);

    expect(status).toBe(1);
    expect(output).toContain(`NEARBY_RADIUS_MILES of production ${MUST}`);
  });
});
