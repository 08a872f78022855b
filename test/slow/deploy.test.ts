import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, it, onTestFinished } from "vitest";
import { cloneCheckout, removeFolder } from "./clone.ts";
import { ROOT } from "./command.ts";
import { account, config, run, SCHEMA, STAGING, schemaOf, WORKER } from "./deploying.ts";

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
    expect([...cloudflare.databases, ...cloudflare.namespaces, ...cloudflare.scripts]).toEqual([]);
    expect((await run("wrangler", line.split(" "), { env, stdin: "a-secret" })).status).toBe(0);
    expect(script()?.secrets).toEqual(new Set(["JWT_SECRET"]));
    expect(cloudflare.unknown).toEqual([]);
  });

  it("makes the database, migrates it and deploys, then finds all of it again without an id", async ({ expect }) => {
    const { cloudflare, env, script } = await account({ hasSecret: true });
    const before = config();

    const first = await run("deploy", STAGING, { env });
    const { bindings = [], deployments } = script() ?? {};
    const written = cloudflare.writes.splice(0).filter((write) => !write.includes("-check"));
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
    expect(bindings.find(({ name }) => name === "CACHE")).toMatchObject({ namespace_id: namespace?.id });
    expect(sql?.prepare("SELECT count(*) AS n FROM accounts").get()).toEqual({ n: 0 });
    // The database is migrated before anything that uses it runs.
    const uuidOf = (name: string) => cloudflare.databases.get(name)?.uuid;
    expect(written.slice(0, 4)).toEqual([
      "POST /storage/kv/namespaces",
      "POST /d1/database",
      `PUT /d1/database/${uuidOf(WORKER)}`,
      expect.stringContaining("assets-upload-session"),
    ]);
    expect(deployments).toBe(2);
    expect(cloudflare.databases.get(WORKER)?.replication).toBe("auto");
    expect(first.output).toContain(`read replication of ${WORKER} is automatic`);
    expect(first.output).toMatch(/(\d+) of \1 migrations were new\./);
    expect(first.output).toContain(`Ask https://${WORKER}.example.workers.dev/health`);
    expect(second.output).toMatch(/\n0 of \d+ migrations were new\./);
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
    cloudflare.faults.mayEditDatabases = false;

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

  it("migrates and deploys no Worker with --migrate", async ({ expect }) => {
    const { cloudflare, env, script } = await account({ hasSecret: true });

    const { status, output } = await run("deploy", ["--migrate", ...STAGING], { env });

    expect(status, output).toBe(0);
    expect(schemaOf(cloudflare)).toBe(SCHEMA);
    expect(script()).toMatchObject({ deployments: 1, bindings: [] });
  });
});

describe("npm run deploy of a changed wrangler.toml", () => {
  let clone = "";
  beforeAll(() => {
    clone = cloneCheckout();
  });
  afterEach(() => write(config()));
  afterAll(() => removeFolder(clone));

  const write = (text: string) => writeFileSync(path.join(clone, "wrangler.toml"), text);
  const setAll = (name: string, value: string) => (text: string) =>
    text.replaceAll(`${name} = ""`, `${name} = "${value}"`);

  it("makes the database and the KV namespace in the jurisdiction", { timeout: 300_000 }, async ({ expect }) => {
    const { cloudflare, env } = await account({ hasSecret: true });
    write(setAll("JURISDICTION", "eu")(config()));

    const { status, output } = await run("deploy", STAGING, { cwd: clone, env });

    expect(status, output).toBe(0);
    const made = [...cloudflare.databases.values(), ...cloudflare.namespaces.values()];
    expect(made.map(({ jurisdiction }) => jurisdiction)).toEqual(["eu", "eu"]);
  });

  it("uses a KV namespace in the jurisdiction only", { timeout: 300_000 }, async ({ expect }) => {
    const { cloudflare, env } = await account({ hasSecret: true });
    cloudflare.namespaces.set(`${WORKER}-cache`, { id: "elsewhere" });
    write(setAll("JURISDICTION", "eu")(config()));

    const { status, output } = await run("deploy", STAGING, { cwd: clone, env });

    expect(status).toBe(1);
    expect(output).toContain(`The KV namespace ${WORKER}-cache is not in the jurisdiction eu`);
    expect(output).toContain("npm run wrangler -- kv namespace delete --namespace-id elsewhere");
    expect(cloudflare.databases.size).toBe(0);
  });

  it("deploys staging first with --all, stops at the first that fails, and says which are done", {
    timeout: 600_000,
  }, async ({ expect }) => {
    for (const name of ["acme", "globex"]) await run("programs", ["add", name], { cwd: clone });
    const { cloudflare, env } = await account({ hasSecret: true });
    const withSecret = { secrets: new Set(["JWT_SECRET"]), bindings: [], deployments: 1 };
    const workers = ["loyalty-edge", "loyalty-edge-globex"];
    for (const name of workers) cloudflare.scripts.set(name, { ...withSecret });

    const unready = await run("deploy", ["--all"], { cwd: clone, env });
    const made = [...cloudflare.databases, ...cloudflare.namespaces];
    cloudflare.scripts.set("loyalty-edge-acme", { ...withSecret });
    cloudflare.databases.make("loyalty-edge-acme");
    cloudflare.databases.get("loyalty-edge-acme")?.sql.exec("CREATE TABLE d1_migrations (wrong)");
    const { status, output } = await run("deploy", ["--all"], { cwd: clone, env });

    expect(unready.output).toContain("Give acme a JWT_SECRET for it alone");
    expect(made).toEqual([]);

    expect(status, output).toBe(1);
    expect([...output.matchAll(/^Deploying (\S+) …$/gm)].map(([, name]) => name)).toEqual([
      ...["staging", "production", "acme"],
    ]);
    expect(output).toContain("Deployed: staging, production. Not deployed: acme, globex.");
    expect([...cloudflare.databases.keys()].sort()).toEqual(["loyalty-edge", "loyalty-edge-acme", WORKER]);
    const deployments = [...cloudflare.scripts].map(([name, script]) => [name, script.deployments]);
    expect(Object.fromEntries(deployments)).toMatchObject({
      ...{ [WORKER]: 2, "loyalty-edge": 2, "loyalty-edge-acme": 1, "loyalty-edge-globex": 1 },
    });
    expect(cloudflare.unknown).toEqual([]);
  });
});
