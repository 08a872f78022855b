import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, it, onTestFinished } from "vitest";
import { SCHEMA_QUERY, schemaDump } from "../../scripts/lib/schema-dump.ts";
import { cloneCheckout, removeFolder } from "./clone.ts";
import { Cloudflare } from "./cloudflare.ts";
import { ROOT, running } from "./command.ts";

const WORKER = "loyalty-edge-staging";
const STAGING = ["--env", "staging"];
const opened: Cloudflare[] = [];

afterEach(() => {
  for (const cloudflare of opened.splice(0)) cloudflare.close();
});

/** An account in which nothing is, or only a Worker with its secret, as `secret put` leaves it. */
async function account({ hasSecret = false } = {}) {
  const cloudflare = new Cloudflare();
  const env = await cloudflare.open();
  opened.push(cloudflare);
  if (hasSecret) cloudflare.scripts.set(WORKER, { secrets: new Set(["JWT_SECRET"]), bindings: [], deployments: 1 });
  return { cloudflare, env, script: () => cloudflare.scripts.get(WORKER) };
}

async function run(name: string, args: readonly string[], { env = {}, stdin = "", cwd = ROOT } = {}) {
  const started = running("node", ["scripts/run.mjs", name, ...args], { stdin, env, cwd });
  return { status: await started.ended, output: started.output() };
}

const MIGRATIONS = readdirSync(path.join(ROOT, "migrations")).sort();
const stateAfter = (applied: number) =>
  `${applied} of ${MIGRATIONS.length} migrations; next is ${MIGRATIONS[applied]}, of which nothing was applied`;

const config = () => readFileSync(path.join(ROOT, "wrangler.toml"), "utf8");

describe("npm run deploy", () => {
  it.for(["production", "staging"])(
    "builds %s without reaching anything, and without a token",
    async (env, { expect }) => {
      const { status, output } = await run("deploy", ["--env", env, "--dry-run"]);

      expect(status).toBe(0);
      expect(output).toContain("Nothing was deployed.");
      const settings = readFileSync(path.join(ROOT, "dist", "reference", "settings.json"), "utf8");
      expect(JSON.parse(settings)).toEqual({});
    },
  );

  it("says in a line what is wrong with an environment", async ({ expect }) => {
    const { status, output } = await run("deploy", ["--env", "nowhere"]);

    expect(status).toBe(1);
    expect(output).toContain("It must be production or staging.");
    expect(output).not.toContain("    at ");
  });

  it("refuses at once where the secret is missing, with the line that puts it", async ({ expect }) => {
    const { cloudflare, env, script } = await account();

    const { status, output } = await run("deploy", STAGING, { env });
    const [, line = ""] = /npm run wrangler -- (secret put .*)/.exec(output) ?? [];

    expect(status).toBe(1);
    expect(line).toBe("secret put JWT_SECRET --env=staging");
    expect(cloudflare.writes).toEqual([]);
    expect((await run("wrangler", line.split(" "), { env, stdin: "a-secret" })).status).toBe(0);
    expect(script()?.secrets).toEqual(new Set(["JWT_SECRET"]));
    expect(cloudflare.unknown).toEqual([]);
  });

  it("makes the database, migrates it and deploys, then finds all of it again without an id", async ({ expect }) => {
    const { cloudflare, env, script } = await account({ hasSecret: true });
    const before = config();

    const first = await run("deploy", STAGING, { env });
    const { bindings = [], deployments } = script() ?? {};
    const written = cloudflare.writes.splice(0);
    const second = await run("deploy", STAGING, { env });

    expect(first, first.output).toMatchObject({ status: 0 });
    expect(second, second.output).toMatchObject({ status: 0 });
    expect(cloudflare.unknown).toEqual([]);
    expect(config()).toBe(before);
    const { uuid, sql } = cloudflare.databases.get(WORKER) ?? {};
    expect(bindings.find(({ name }) => name === "DB")).toMatchObject({ type: "d1", id: uuid });
    expect(bindings.find(({ name }) => name === "INBOXES")).toMatchObject({ class_name: "Inbox" });
    expect(script()?.migrationTag).toBe("inboxes");
    const namespace = cloudflare.namespaces.get(`${WORKER}-cache`);
    expect(bindings.find(({ name }) => name === "CACHE")).toMatchObject({ namespace_id: namespace });
    expect(sql?.prepare("SELECT count(*) AS n FROM accounts").get()).toEqual({ n: 0 });
    // The database is migrated before anything that uses it runs.
    const uuidOf = (name: string) => cloudflare.databases.get(name)?.uuid;
    expect(written.slice(0, 3)).toEqual([
      "POST /d1/database",
      `PUT /d1/database/${uuidOf(WORKER)}`,
      expect.stringContaining("assets-upload-session"),
    ]);
    expect(deployments).toBe(2);
    expect(cloudflare.databases.get(WORKER)?.replication).toBe("auto");
    expect(first.output).toContain(`read replication of ${WORKER} is automatic`);
    expect(second.output).toContain("No migrations to apply!");
    expect(script()).toMatchObject({ bindings, deployments: 3 });
    expect(cloudflare.writes).not.toContain("POST /d1/database");
    expect(cloudflare.writes).not.toContain("POST /storage/kv/namespaces");
  });

  it("takes a database that somebody has made by its name, and verifies it", { timeout: 300_000 }, async ({
    expect,
  }) => {
    const { cloudflare, env } = await account({ hasSecret: true });
    await run("wrangler", ["d1", "create", WORKER, "--location", "weur", "--env=staging"], { env });

    const unmigrated = await run("verify-totals", ["--remote", ...STAGING], { env });
    const { status } = await run("deploy", STAGING, { env });
    const verified = await run("verify-totals", ["--remote", ...STAGING], { env });

    expect(unmigrated.output).toContain("The database lacks migrations: npm run deploy applies them.");
    expect(status).toBe(0);
    expect([...cloudflare.databases.keys()]).toEqual([WORKER]);
    expect(verified.output).toContain("All derived data agrees with the records.");
  });

  it("deploys where the token may not switch on replication, and says what to do", { timeout: 300_000 }, async ({
    expect,
  }) => {
    const { cloudflare, env, script } = await account({ hasSecret: true });
    cloudflare.mayEditDatabases = false;

    // Where no account is named, it is the only one of the login, which wrangler remembers: not for our own deployments.
    const WRANGLER_CACHE_DIR = mkdtempSync(path.join(tmpdir(), "loyalty-edge-deploy-"));
    onTestFinished(() => removeFolder(WRANGLER_CACHE_DIR));
    const stranger = { ...env, CLOUDFLARE_ACCOUNT_ID: "", WRANGLER_CACHE_DIR };
    const { status, output } = await run("deploy", STAGING, { env: stranger });

    expect(status, output).toBe(0);
    expect(script()?.deployments).toBe(2);
    expect(output).toContain("Read replication could not be switched on");
    expect(output).toContain("Cloudflare answers 403: Authentication error");
    expect(output).toContain("Give the API token the permission D1 Edit");
    expect(cloudflare.databases.get(WORKER)?.replication).toBe("disabled");
  });

  it.for([
    ["before the commit", 3],
    ["after the commit", 4],
  ] as const)(
    "deploys nothing where a migration is cut off %s, says how far it came, and goes on from there",
    { timeout: 300_000 },
    async ([when, applied], { expect }) => {
      const { cloudflare, env, script } = await account({ hasSecret: true });
      cloudflare.interruption = { migration: MIGRATIONS[3] ?? "", when };

      const first = await run("deploy", STAGING, { env });
      const deployments = script()?.deployments;
      cloudflare.interruption = undefined;
      const second = await run("deploy", STAGING, { env });

      expect(first.status).toBe(1);
      expect(first.output).toContain(`The migration of ${WORKER} failed, so nothing was deployed`);
      expect(first.output).toContain(`  ${WORKER}: ${stateAfter(applied)}`);
      expect(first.output).toContain("npm run deploy -- --env staging");
      expect(deployments).toBe(1);
      expect(second, second.output).toMatchObject({ status: 0 });
      const rows = cloudflare.databases.get(WORKER)?.sql.prepare(SCHEMA_QUERY).all() ?? [];
      expect(schemaDump(rows)).toBe(readFileSync(path.join(ROOT, "docs", "schema.sql"), "utf8"));
    },
  );
});

describe("npm run deploy", () => {
  let clone = "";
  beforeAll(() => {
    clone = cloneCheckout();
  });
  afterEach(() => writeFileSync(path.join(clone, "wrangler.toml"), config()));
  afterAll(() => removeFolder(clone));

  const write = (text: string) => writeFileSync(path.join(clone, "wrangler.toml"), text);
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
      inStaging("1004", "1001"),
      [],
      "production and staging would share the namespace_id of rate limits 1001: give each its own.",
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

    const { status, output } = await run("deploy", ["--dry-run", ...args], { cwd: clone });

    expect(status).toBe(1);
    expect(output.trim()).toBe(words);
  });

  it("refuses as npm start does", async ({ expect }) => {
    write(config().replace('NEARBY_RADIUS_MILES = "25"', 'NEARBY_RADIUS_MILES = "lots"'));

    const { status, output } = await run("start", ["--no-demo"], { cwd: clone });

    expect(status).toBe(1);
    expect(output.trim().split("\n").at(-1)).toBe(
      "NEARBY_RADIUS_MILES of production must be a number of miles, above 0 and below 100,000. docs/deploying.md, Variables",
    );
  });

  it("makes the database in the jurisdiction", { timeout: 300_000 }, async ({ expect }) => {
    const { cloudflare, env } = await account({ hasSecret: true });
    write(setAll("JURISDICTION", "eu")(config()));

    const { status, output } = await run("deploy", STAGING, { cwd: clone, env });

    expect(status, output).toBe(0);
    expect([...cloudflare.databases.values()].map(({ jurisdiction }) => jurisdiction)).toEqual(["eu"]);
  });

  it("deploys staging first with --all, stops at the first that fails, and says which are done", {
    timeout: 600_000,
  }, async ({ expect }) => {
    for (const name of ["acme", "globex"]) await run("programs", ["add", name], { cwd: clone });
    const { cloudflare, env } = await account({ hasSecret: true });
    const withSecret = { secrets: new Set(["JWT_SECRET"]), bindings: [], deployments: 1 };
    for (const name of ["loyalty-edge", "loyalty-edge-globex"]) cloudflare.scripts.set(name, { ...withSecret });

    const { status, output } = await run("deploy", ["--all"], { cwd: clone, env });

    expect(status, output).toBe(1);
    expect([...output.matchAll(/^Deploying (\S+) …$/gm)].map(([, name]) => name)).toEqual([
      ...["staging", "production", "acme"],
    ]);
    expect(output).toContain("Deployed: staging, production. Not deployed: acme, globex.");
    expect(output).toContain("The Worker of acme has no JWT_SECRET yet.");
    expect([...cloudflare.databases.keys()]).toEqual([WORKER, "loyalty-edge"]);
    const deployments = [...cloudflare.scripts].map(([name, script]) => [name, script.deployments]);
    expect(Object.fromEntries(deployments)).toMatchObject({
      ...{ [WORKER]: 2, "loyalty-edge": 2, "loyalty-edge-globex": 1 },
    });
    expect(cloudflare.unknown).toEqual([]);
  });

  it("takes --all or --env, not both", async ({ expect }) => {
    const { status, output } = await run("deploy", ["--all", ...STAGING]);

    expect(status).toBe(1);
    expect(output).toContain("cannot be used with");
  });
});
