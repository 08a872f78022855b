import { afterEach, describe, it } from "vitest";
import { config, run, STAGING, write } from "./deploying.ts";

describe("npm run deploy", () => {
  afterEach(() => write(config()));

  const [BUCKET, BOUND] = [/# (\[\[.*r2_buckets\]\])\n# (.*)\n# (.*)\n/, "$1\n$2\n$3\n"];
  const set = (name: string, value: string) => (text: string) => text.replace(`${name} = ""`, `${name} = "${value}"`);
  const setAll = (name: string, value: string) => (text: string) =>
    text.replaceAll(`${name} = ""`, `${name} = "${value}"`);
  const inStaging = (from: string, to: string) => (text: string) => {
    const at = text.indexOf("[env.staging]");
    return text.slice(0, at) + text.slice(at).replace(from, to);
  };

  it.for<[what: string, edit: (text: string) => string, args: readonly string[], words: string]>([
    [
      "a CUSTOMER_SEARCH that is misspelt",
      (text) => text.replace('"all"', '"friend"'),
      [],
      "CUSTOMER_SEARCH of production must be all, friends, none, or empty. docs/deploying.md, Variables",
    ],
    [
      "a radius that is no number",
      inStaging('NEARBY_RADIUS_MILES = "25"', 'NEARBY_RADIUS_MILES = "lots"'),
      STAGING,
      "NEARBY_RADIUS_MILES of staging must be a number of miles, above 0 and below 100,000. docs/deploying.md, Variables",
    ],
    [
      "a variable whose name is misspelt",
      (text) => text.replace("JWT_ISSUER =", "JWT_ISUER ="),
      [],
      "There is no variable JWT_ISUER, which production sets.",
    ],
    [
      "an environment that is called development",
      (text) =>
        text
          .replaceAll("env.staging", "env.development")
          .replace('ENVIRONMENT = "staging"', 'ENVIRONMENT = "development"'),
      ["--env", "development"],
      "No environment can be deployed as development: give it another name.",
    ],
    [
      "an ENVIRONMENT of another name",
      inStaging('ENVIRONMENT = "staging"', 'ENVIRONMENT = "development"'),
      STAGING,
      "ENVIRONMENT of staging must be the name of its environment, staging.",
    ],
    [
      "a JURISDICTION that there is not",
      setAll("JURISDICTION", "europe"),
      STAGING,
      "JURISDICTION of staging must be eu, us, fedramp, or empty. docs/deploying.md, Variables",
    ],
    [
      "tokens without a scope of any issuer",
      set("JWT_CUSTOMERS_WITHOUT_SCOPE", "true"),
      [],
      "JWT_ISSUER of production must be set where JWT_CUSTOMERS_WITHOUT_SCOPE is. docs/deploying.md, Variables",
    ],
    [
      "another word for tokens without a scope",
      (text) => set("JWT_ISSUER", "https://id.example")(set("JWT_CUSTOMERS_WITHOUT_SCOPE", "yes")(text)),
      [],
      "JWT_CUSTOMERS_WITHOUT_SCOPE of production must be true, or empty. docs/deploying.md, Variables",
    ],
    [
      "a JWKS_URL without a JWT_AUDIENCE",
      set("JWKS_URL", "https://id.example/keys"),
      [],
      "JWT_AUDIENCE of production must be set where JWKS_URL or JWKS is. docs/deploying.md, Variables",
    ],
    [
      "an environment that would take another's tokens",
      (text) => setAll("JWT_AUDIENCE", "loyalty")(setAll("JWKS_URL", "https://id.example/keys")(text)),
      STAGING,
      'staging and production would share the tokens of https://id.example/keys for "loyalty": give each its own.',
    ],
    [
      "history without a bucket",
      set("HISTORY_MONTHS", "13"),
      [],
      "HISTORY_MONTHS of production must be 1 to 120 where a bucket is bound as HISTORY, and empty where none is. docs/deploying.md, Variables",
    ],
    [
      "history without months",
      (text) => text.replace(BUCKET, BOUND),
      [],
      "HISTORY_MONTHS of production must be 1 to 120 where a bucket is bound as HISTORY, and empty where none is. docs/deploying.md, Variables",
    ],
    [
      "a bucket that another environment has",
      (text) =>
        setAll("HISTORY_MONTHS", "13")(text).replaceAll(new RegExp(BUCKET, "g"), '$1\n$2\nbucket_name = "bucket"\n'),
      STAGING,
      "staging and production would share the bucket bucket: give each its own.",
    ],
    [
      "a database that another environment has",
      inStaging('database_name = "loyalty-edge-staging"', 'database_name = "loyalty-edge"'),
      STAGING,
      "staging and production would share the database loyalty-edge: give each its own.",
    ],
    [
      "a KV namespace that another environment has",
      (text) => text.replaceAll('binding = "CACHE"', 'binding = "CACHE"\nid = "k"'),
      STAGING,
      "staging and production would share the KV namespace k: give each its own.",
    ],
    [
      "rate limits that another environment has",
      (text) => text.replaceAll(/namespace_id = "\d+"/g, 'namespace_id = "700000001"'),
      [],
      "production and staging would share the namespace_id of rate limits 700000001: give each its own.",
    ],
    [
      "a Worker that another environment has",
      (text) => text.replaceAll("loyalty-edge-staging", "loyalty-edge"),
      STAGING,
      "staging and production would share the Worker loyalty-edge: give each its own.",
    ],
    [
      "a route that another environment has",
      (text) => text.replace("[assets]", 'routes = [{ pattern = "loyalty.example", custom_domain = true }]\n[assets]'),
      STAGING,
      "staging and production would share the route loyalty.example: give each its own.",
    ],
    [
      "a WORKER_NAME that is not the Worker's",
      inStaging('WORKER_NAME = "loyalty-edge-staging"', 'WORKER_NAME = "loyalty-edge"'),
      ["--all"],
      "WORKER_NAME of staging must be the name of its Worker, loyalty-edge-staging.",
    ],
  ])("refuses %s", async ([, edit, args, words], { expect }) => {
    write(edit(config()));

    const { status, output } = await run("deploy", ["--dry-run", ...args]);

    expect(status).toBe(1);
    expect(output.trim()).toBe(words);
  });

  it("refuses what npm start refuses", async ({ expect }) => {
    write(config().replace('NEARBY_RADIUS_MILES = "25"', 'NEARBY_RADIUS_MILES = "lots"'));

    const { status, output } = await run("start", ["--no-demo"]);

    expect(status).toBe(1);
    expect(output.trim().split("\n").at(-1)).toBe(
      "NEARBY_RADIUS_MILES of production must be a number of miles, above 0 and below 100,000. docs/deploying.md, Variables",
    );
  });

  it("takes --all or --env, not both", async ({ expect }) => {
    const { status, output } = await run("deploy", ["--all", ...STAGING]);

    expect(status).toBe(1);
    expect(output).toContain("cannot be used with");
  });
});
