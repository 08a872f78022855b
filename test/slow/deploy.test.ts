import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { account, CONFIG, clone, run, STAGING, WORKER, writeConfig } from "./deploying.ts";
import { blocksIn, readDoc } from "./docs.ts";

const IN_EUROPE = CONFIG.replaceAll('JURISDICTION = ""', 'JURISDICTION = "eu"');

describe("npm run deploy", () => {
  it("builds the Worker without a token or the network, and prints its size", async ({ expect }) => {
    const { status, output } = await run("deploy", ["--dry-run"]);

    expect(status).toBe(0);
    expect(output).toMatch(/^The Worker: src\/index\.ts [\d.]+ KiB gzip\.\nNothing was deployed\.$/m);
    const settings = readFileSync(path.join(clone, "dist", "reference", "settings.json"), "utf8");
    expect(JSON.parse(settings)).toEqual({});
  });

  it("makes the database, migrates it and deploys, and finds them again without an id", async ({ expect }) => {
    const { cloudflare, env, script } = await account();

    const first = await run("deploy", STAGING, { env });
    const { bindings = [], deployments = [] } = script() ?? {};
    const written = cloudflare.writes.splice(0).filter((write) => !/-(check|migrations)/.test(write));
    const second = await run("deploy", STAGING, { env });

    expect(first, first.output).toMatchObject({ status: 0 });
    expect(second, second.output).toMatchObject({ status: 0 });
    expect(cloudflare.unknown).toEqual([]);
    expect(readFileSync(path.join(clone, "wrangler.toml"), "utf8")).toBe(CONFIG);
    const { uuid, sql, replication } = cloudflare.databases.get(WORKER) ?? {};
    expect(bindings.find(({ name }) => name === "DB")).toMatchObject({ type: "d1", id: uuid });
    expect(bindings.find(({ name }) => name === "INBOXES")).toMatchObject({ class_name: "Inbox" });
    expect(script()?.migrationTag).toBe("inboxes");
    const namespace = cloudflare.namespaces.get(`${WORKER}-cache`);
    expect(bindings.find(({ name }) => name === "CACHE")).toMatchObject({ namespace_id: namespace?.id });
    expect(sql?.prepare("SELECT count(*) AS n FROM accounts").get()).toEqual({ n: 0 });
    // The database is made and set up before the Worker is uploaded.
    expect(written.slice(0, 4)).toEqual([
      "POST /storage/kv/namespaces",
      "POST /d1/database",
      `PUT /d1/database/${uuid}`,
      expect.stringContaining("assets-upload-session"),
    ]);
    expect(deployments).toHaveLength(1);
    expect(replication).toBe("auto");
    expect(first.output).toContain(`read replication of ${WORKER} is automatic`);
    expect(first.output).toMatch(/(\d+) of \1 migrations were new\./);
    expect(first.output).toContain(`ask https://${WORKER}.example.workers.dev/health`);
    expect(second.output).toMatch(/\n0 of \d+ migrations were new\./);
    expect(script()?.bindings).toEqual(bindings);
    expect(script()?.deployments).toHaveLength(2);
    expect(cloudflare.writes).not.toContain("POST /d1/database");
    expect(cloudflare.writes).not.toContain("POST /storage/kv/namespaces");
  });

  it("finds by its name a database that somebody has made, and verifies it", async ({ expect }) => {
    const { cloudflare, env } = await account();
    cloudflare.databases.make(WORKER);

    const unmigrated = await run("verify-totals", ["--remote", ...STAGING], { env });
    const { status } = await run("deploy", ["--migrate", ...STAGING], { env });
    const verified = await run("verify-totals", ["--remote", ...STAGING], { env });

    expect(unmigrated.output).toContain("The database lacks migrations: npm run deploy applies them.");
    expect(status).toBe(0);
    expect([...cloudflare.databases.keys()]).toEqual([WORKER]);
    expect(verified.output).toContain(
      "Compared with 0 customers, 0 stores, 0 campaigns, 0 message groups.\nAll derived data agrees with the records.",
    );
  });

  it("makes the database and the KV namespace in the jurisdiction", async ({ expect }) => {
    const { cloudflare, env } = await account();
    writeConfig(IN_EUROPE);

    const { status, output } = await run("deploy", ["--migrate", ...STAGING], { env });

    expect(status, output).toBe(0);
    const made = [...cloudflare.databases.values(), ...cloudflare.namespaces.values()];
    expect(made.map(({ jurisdiction }) => jurisdiction)).toEqual(["eu", "eu"]);
  });

  it("refuses a KV namespace outside the jurisdiction", async ({ expect }) => {
    const { cloudflare, env } = await account();
    cloudflare.namespaces.set(`${WORKER}-cache`, { id: "elsewhere" });
    writeConfig(IN_EUROPE);

    const { status, output } = await run("deploy", ["--migrate", ...STAGING], { env });

    expect(status).toBe(1);
    expect(output).toContain(`The KV namespace ${WORKER}-cache is not in the jurisdiction eu`);
    expect(output).toContain("npm run wrangler -- kv namespace delete --namespace-id elsewhere");
    expect(cloudflare.databases.size).toBe(0);
  });

  it("deploys staging first with --all, stops at the first failure, and says which are deployed", async ({
    expect,
  }) => {
    for (const name of ["acme", "globex"]) await run("programs", ["add", name]);
    const { cloudflare, env } = await account();
    for (const name of ["loyalty-edge", "loyalty-edge-globex"]) cloudflare.scripts.make(name, "JWT_SECRET");

    const withoutSecret = await run("deploy", ["--all"], { env });
    const resourcesBefore = [...cloudflare.databases, ...cloudflare.namespaces];
    cloudflare.scripts.make("loyalty-edge-acme", "JWT_SECRET");
    cloudflare.databases.make("loyalty-edge-acme").sql.exec("CREATE TABLE d1_migrations (wrong)");
    const { status, output } = await run("deploy", ["--all", "--migrate"], { env });

    expect(withoutSecret.output).toContain("Give acme a JWT_SECRET for it alone");
    expect(resourcesBefore).toEqual([]);
    expect(status, output).toBe(1);
    const begun = [...output.matchAll(/^Deploying (\S+) …$/gm)].map(([, name]) => name);
    expect(begun).toEqual(["staging", "production", "acme"]);
    expect(output).toContain("Deployed: staging, production. Not deployed: acme, globex.");
    expect([...cloudflare.databases.keys()].sort()).toEqual(["loyalty-edge", "loyalty-edge-acme", WORKER]);
    expect(cloudflare.unknown).toEqual([]);
  });
});

describe("docs/deploying.md", () => {
  it("leads from nothing to both environments, each on its own domain", async ({ expect }) => {
    const { cloudflare, env } = await account({ hasSecret: false });
    const [production = "", staging = ""] = blocksIn(readDoc("deploying.md"), "toml");
    const config = CONFIG.replace("[assets]", `${production}\n[assets]`);
    writeConfig(config.replace("[env.staging]\n", `[env.staging]\n${staging}`));

    for (const environment of ["staging", "production"]) {
      const flag = environment === "production" ? "--env=" : `--env=${environment}`;
      const secret = await run("wrangler", ["secret", "put", "JWT_SECRET", flag], { env, stdin: "a-secret" });
      const deployed = await run("deploy", ["--env", environment], { env });
      expect(secret, secret.output).toMatchObject({ status: 0 });
      expect(deployed, deployed.output).toMatchObject({ status: 0 });
    }

    expect(cloudflare.unknown).toEqual([]);
    expect(cloudflare.scripts.get("loyalty-edge")?.domains).toEqual(["loyalty.example"]);
    expect(cloudflare.scripts.get("loyalty-edge-staging")?.domains).toEqual(["staging.loyalty.example"]);
  });
});
