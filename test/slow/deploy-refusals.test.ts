import { describe, it } from "vitest";
import { CONFIG, run, STAGING, writeConfig } from "./deploying.ts";

/** wrangler.toml with a text replaced after `[env.staging]` only. */
function editStaging(from: string, to: string): string {
  const [production = "", staging = ""] = CONFIG.split("[env.staging]");
  return `${production}[env.staging]${staging.replace(from, to)}`;
}

const shared = (what: string) => `staging and production would share ${what}: give each its own.`;

const WRONG_RADIUS = CONFIG.replaceAll('NEARBY_RADIUS_MILES = "25"', 'NEARBY_RADIUS_MILES = "lots"');
const RADIUS_RULE = "must be a number of miles, above 0 and below 100,000. docs/deploying.md, Variables";
const SAME_TOKENS = CONFIG.replaceAll('JWKS_URL = ""', 'JWKS_URL = "https://id.example/keys"').replaceAll(
  'JWT_AUDIENCE = ""',
  'JWT_AUDIENCE = "loyalty"',
);
const SAME_BUCKET = CONFIG.replaceAll('HISTORY_MONTHS = ""', 'HISTORY_MONTHS = "13"').replaceAll(
  /# (\[\[.*r2_buckets\]\])\n# (.*)\n# .*\n/g,
  '$1\n$2\nbucket_name = "bucket"\n',
);
const SAME_ROUTE = CONFIG.replace(
  "[assets]",
  'routes = [{ pattern = "loyalty.example", custom_domain = true }]\n[assets]',
);

describe("npm run deploy", () => {
  // test/service/variables.test.ts has the rule of each variable.
  it.for<{ what: string; config: string; says: string; args?: readonly string[] }>([
    { what: "a wrong variable", config: WRONG_RADIUS, says: `NEARBY_RADIUS_MILES of staging ${RADIUS_RULE}` },
    {
      what: "a misspelt variable",
      config: CONFIG.replaceAll("JWT_ISSUER =", "JWT_ISUER ="),
      args: [],
      says: "There is no variable JWT_ISUER, which production sets.",
    },
    {
      what: "the name development",
      config: CONFIG.replaceAll(/\bstaging\b/g, "development"),
      args: ["--env", "development"],
      says: "No environment can be deployed as development: give it another name.",
    },
    {
      what: "another ENVIRONMENT",
      config: editStaging('ENVIRONMENT = "staging"', 'ENVIRONMENT = "x"'),
      says: "ENVIRONMENT of staging must be the name of its environment, staging.",
    },
    {
      what: "another WORKER_NAME",
      config: editStaging('WORKER_NAME = "loyalty-edge-staging"', 'WORKER_NAME = "x"'),
      args: ["--all"],
      says: "WORKER_NAME of staging must be the name of its Worker, loyalty-edge-staging.",
    },
    {
      what: "another environment's tokens",
      config: SAME_TOKENS,
      says: shared('the tokens of https://id.example/keys for "loyalty"'),
    },
    { what: "another environment's bucket", config: SAME_BUCKET, says: shared("the bucket bucket") },
    {
      what: "another environment's database",
      config: editStaging('database_name = "loyalty-edge-staging"', 'database_name = "loyalty-edge"'),
      says: shared("the database loyalty-edge"),
    },
    {
      what: "another environment's KV namespace",
      config: CONFIG.replaceAll('binding = "CACHE"', 'binding = "CACHE"\nid = "k"'),
      says: shared("the KV namespace k"),
    },
    {
      what: "another environment's rate limits",
      config: CONFIG.replaceAll(/namespace_id = "\d+"/g, 'namespace_id = "7"'),
      says: shared("the namespace_id of rate limits 7"),
    },
    {
      what: "another environment's Worker",
      config: CONFIG.replaceAll("loyalty-edge-staging", "loyalty-edge"),
      says: shared("the Worker loyalty-edge"),
    },
    { what: "another environment's route", config: SAME_ROUTE, says: shared("the route loyalty.example") },
  ])("refuses $what", async ({ config, says, args = STAGING }, { expect }) => {
    writeConfig(config);

    const { status, output } = await run("deploy", ["--dry-run", ...args]);

    expect({ status, output: output.trim() }).toEqual({ status: 1, output: says });
  });

  it("refuses a wrong variable as npm start does", async ({ expect }) => {
    writeConfig(WRONG_RADIUS);

    const { status, output } = await run("start", ["--no-demo"]);

    expect(status).toBe(1);
    expect(output).toContain(`NEARBY_RADIUS_MILES of production ${RADIUS_RULE}`);
  });
});
