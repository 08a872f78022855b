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

describe("npm run deploy of three programs", () => {
  let clone = "";
  beforeAll(async () => {
    clone = cloneCheckout();
    for (const name of ["acme-eu", "globex"]) await run("programs", ["add", name, ...STAGING], { cwd: clone });
  });
  afterAll(() => removeFolder(clone));

  it("refuses a CUSTOMER_SEARCH that is misspelt", async ({ expect }) => {
    const file = path.join(clone, "wrangler.toml");
    const before = readFileSync(file, "utf8");
    writeFileSync(file, before.replace('CUSTOMER_SEARCH = "all"', 'CUSTOMER_SEARCH = "friend"'));

    const { status, output } = await run("deploy", ["--dry-run"], { cwd: clone });
    writeFileSync(file, before);

    expect(status).toBe(1);
    expect(output.trim()).toBe("CUSTOMER_SEARCH of production is friend. It must be all, friends, none.");
  });

  it("makes databases in the jurisdiction, and refuses one that there is not", { timeout: 300_000 }, async ({
    expect,
  }) => {
    const { cloudflare, env } = await account({ hasSecret: true });
    const file = path.join(clone, "wrangler.toml");
    const before = readFileSync(file, "utf8");
    const deployIn = async (jurisdiction: string) => {
      writeFileSync(file, before.replaceAll('JURISDICTION = ""', `JURISDICTION = "${jurisdiction}"`));
      const result = await run("deploy", STAGING, { cwd: clone, env });
      writeFileSync(file, before);
      return result;
    };

    const refused = await deployIn("europe");
    const deployed = await deployIn("eu");

    expect(refused.output.trim()).toBe("JURISDICTION of staging is europe. It must be eu, us, fedramp.");
    expect(deployed, deployed.output).toMatchObject({ status: 0 });
    expect([...cloudflare.databases.values()].map(({ jurisdiction }) => jurisdiction)).toEqual(["eu", "eu", "eu"]);
  });

  it.for([
    ["without an issuer", 'JWT_CUSTOMERS_WITHOUT_SCOPE = "true"', "is true, so JWT_ISSUER must be set"],
    ["of another word", 'JWT_CUSTOMERS_WITHOUT_SCOPE = "yes"', "is yes. It must be true, or empty."],
  ] as const)("refuses JWT_CUSTOMERS_WITHOUT_SCOPE %s", async ([, line, words], { expect }) => {
    const file = path.join(clone, "wrangler.toml");
    const before = readFileSync(file, "utf8");
    writeFileSync(file, before.replace('JWT_CUSTOMERS_WITHOUT_SCOPE = ""', line));

    const { status, output } = await run("deploy", ["--dry-run"], { cwd: clone });
    writeFileSync(file, before);

    expect(status).toBe(1);
    expect(output).toContain(`JWT_CUSTOMERS_WITHOUT_SCOPE of production ${words}`);
  });

  it.for([
    ["without a bucket", 'HISTORY_MONTHS = "13"', "HISTORY_MONTHS is set, but no bucket is bound as HISTORY"],
    ["without months", "[[r2_buckets]]", "a bucket is bound as HISTORY, but HISTORY_MONTHS is not set"],
  ] as const)("refuses history %s", async ([, lines, words], { expect }) => {
    const file = path.join(clone, "wrangler.toml");
    const before = readFileSync(file, "utf8");
    const bucket = /# (\[\[r2_buckets\]\])\n# (binding = "HISTORY")\n# (bucket_name = .*)\n/;
    writeFileSync(
      file,
      lines.startsWith("[[") ? before.replace(bucket, "$1\n$2\n$3\n") : before.replace('HISTORY_MONTHS = ""', lines),
    );

    const { status, output } = await run("deploy", ["--dry-run"], { cwd: clone });
    writeFileSync(file, before);

    expect(status).toBe(1);
    expect(output).toContain(`History of production is set up by half: ${words}.`);
  });

  it("refuses a bucket that another environment has", async ({ expect }) => {
    const file = path.join(clone, "wrangler.toml");
    const before = readFileSync(file, "utf8");
    const buckets = before.replaceAll(
      /# (\[\[.*r2_buckets\]\])\n# (binding = "HISTORY")\n# bucket_name = .*\n/g,
      '$1\n$2\nbucket_name = "b"\n',
    );
    writeFileSync(file, buckets.replaceAll('HISTORY_MONTHS = ""', 'HISTORY_MONTHS = "13"'));

    const { status, output } = await run("deploy", ["--dry-run", "--env", "staging"], { cwd: clone });
    writeFileSync(file, before);

    expect(status).toBe(1);
    expect(output).toContain("staging and production would share the bucket b: give each its own.");
  });

  const DATABASES = ["", "-acme-eu", "-globex"].map((suffix) => WORKER + suffix);
  const tables = (cloudflare: Cloudflare, name: string) =>
    cloudflare.databases
      .get(name)
      ?.sql.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'customers'")
      .get();

  it("makes what is missing, migrates and names each database, and binds each", { timeout: 300_000 }, async ({
    expect,
  }) => {
    const { cloudflare, env, script } = await account({ hasSecret: true });
    await run("wrangler", ["d1", "create", `${WORKER}-acme-eu`, "--env=staging"], { env, cwd: clone });
    cloudflare.writes.splice(0);

    const { status, output } = await run("deploy", STAGING, { env, cwd: clone });
    const verified = await run("verify-totals", ["--remote", "--program", "globex", ...STAGING], { env, cwd: clone });

    expect(status, output).toBe(0);
    expect(cloudflare.unknown).toEqual([]);
    expect(cloudflare.writes.filter((write) => write === "POST /d1/database")).toHaveLength(2);
    expect([...cloudflare.databases.values()].map(({ replication }) => replication)).toEqual(["auto", "auto", "auto"]);
    expect([...cloudflare.databases.keys()].sort()).toEqual(DATABASES);
    expect(DATABASES.map((name) => tables(cloudflare, name))).toEqual(DATABASES.map(() => ({ n: 1 })));
    const named = [...output.matchAll(/^Migrating (\S+), the database of the (.*) …$/gm)].map(([, ...which]) => which);
    expect(named).toEqual([
      [WORKER, "default program"],
      [`${WORKER}-acme-eu`, "program acme-eu"],
      [`${WORKER}-globex`, "program globex"],
    ]);
    const bound = script()?.bindings.filter(({ type }) => type === "d1");
    expect(bound?.map(({ name, id }) => [name, id])).toEqual(
      ["DB", "DB_ACME_EU", "DB_GLOBEX"].map((name, index) => [
        name,
        cloudflare.databases.get(DATABASES[index] ?? "")?.uuid,
      ]),
    );
    expect(verified.output).toContain("All derived data agrees with the records.");
  });

  it("stops at the first migration that fails, and deploys nothing", { timeout: 300_000 }, async ({ expect }) => {
    const { cloudflare, env, script } = await account({ hasSecret: true });
    await run("wrangler", ["d1", "create", `${WORKER}-acme-eu`, "--env=staging"], { env, cwd: clone });
    cloudflare.databases.get(`${WORKER}-acme-eu`)?.sql.exec("CREATE TABLE accounts (somebody_elses TEXT)");

    const { status, output } = await run("deploy", STAGING, { env, cwd: clone });

    expect(status, output).toBe(1);
    expect(output).toContain(`The migration of ${WORKER}-acme-eu failed, so nothing was deployed`);
    expect(output).toContain(`  ${WORKER}: migrated
  ${WORKER}-acme-eu: ${stateAfter(1)}
  ${WORKER}-globex: as before`);
    expect(output).toContain("npm run wrangler -- d1 migrations apply DB_ACME_EU --remote --env=staging");
    expect(output).not.toContain(`Migrating ${WORKER}-globex`);
    expect(DATABASES.map((name) => tables(cloudflare, name))).toEqual([{ n: 1 }, { n: 0 }, { n: 0 }]);
    expect(script()).toMatchObject({ deployments: 1, bindings: [] });
    expect([...cloudflare.databases.values()].map(({ replication }) => replication)).not.toContain("auto");
  });

  it("says in a line that there is no such program", async ({ expect }) => {
    const { env } = await account();

    const { status, output } = await run("verify-totals", ["--remote", "--program", "acme-eu"], { env, cwd: clone });

    expect(status).toBe(1);
    expect(output).toContain("There is no program acme-eu in production. Which there are: npm run programs -- list");
  });
});
