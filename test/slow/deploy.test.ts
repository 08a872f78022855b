import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it, onTestFinished } from "vitest";
import { account, clone, config, run, STAGING, WORKER, write } from "./deploying.ts";

describe("npm run deploy", () => {
  it("builds the Worker without a token or the network, and prints its size", async ({ expect }) => {
    const { status, output } = await run("deploy", ["--dry-run"]);

    expect(status).toBe(0);
    expect(output).toMatch(/^The Worker: src\/index\.ts [\d.]+ KiB gzip\.\nNothing was deployed\.$/m);
    const settings = readFileSync(path.join(clone, "dist", "reference", "settings.json"), "utf8");
    expect(JSON.parse(settings)).toEqual({});
  });

  it("makes the database, migrates it and deploys, and finds them again without an id", async ({ expect }) => {
    const { cloudflare, env, script } = await account({ hasSecret: true });
    const before = config();

    const first = await run("deploy", STAGING, { env });
    const { bindings = [], deployments } = script() ?? {};
    const written = cloudflare.writes.splice(0).filter((write) => !/-(check|migrations)/.test(write));
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
    expect(first.output).toContain(`ask https://${WORKER}.example.workers.dev/health`);
    expect(second.output).toMatch(/\n0 of \d+ migrations were new\./);
    expect(script()).toMatchObject({ bindings, deployments: 3 });
    expect(cloudflare.writes).not.toContain("POST /d1/database");
    expect(cloudflare.writes).not.toContain("POST /storage/kv/namespaces");
  });

  it("finds a database that somebody has made by its name, and verifies it", async ({ expect }) => {
    const { cloudflare, env } = await account({ hasSecret: true });
    await run("wrangler", ["d1", "create", WORKER, "--location", "weur", "--env=staging"], { env });

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
    const { cloudflare, env } = await account({ hasSecret: true });
    write(config().replaceAll('JURISDICTION = ""', 'JURISDICTION = "eu"'));
    onTestFinished(() => write(config()));

    const { status, output } = await run("deploy", ["--migrate", ...STAGING], { env });

    expect(status, output).toBe(0);
    const made = [...cloudflare.databases.values(), ...cloudflare.namespaces.values()];
    expect(made.map(({ jurisdiction }) => jurisdiction)).toEqual(["eu", "eu"]);
  });

  it("refuses a KV namespace outside the jurisdiction", async ({ expect }) => {
    const { cloudflare, env } = await account({ hasSecret: true });
    cloudflare.namespaces.set(`${WORKER}-cache`, { id: "elsewhere" });
    write(config().replaceAll('JURISDICTION = ""', 'JURISDICTION = "eu"'));
    onTestFinished(() => write(config()));

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
    onTestFinished(() => write(config()));
    const { cloudflare, env } = await account({ hasSecret: true });
    const withSecret = { secrets: new Set(["JWT_SECRET"]), bindings: [], deployments: 1 };
    for (const name of ["loyalty-edge", "loyalty-edge-globex"]) cloudflare.scripts.set(name, { ...withSecret });

    const unready = await run("deploy", ["--all"], { env });
    const made = [...cloudflare.databases, ...cloudflare.namespaces];
    cloudflare.scripts.set("loyalty-edge-acme", { ...withSecret });
    cloudflare.databases.make("loyalty-edge-acme");
    cloudflare.databases.get("loyalty-edge-acme")?.sql.exec("CREATE TABLE d1_migrations (wrong)");
    const { status, output } = await run("deploy", ["--all", "--migrate"], { env });

    expect(unready.output).toContain("Give acme a JWT_SECRET for it alone");
    expect(made).toEqual([]);
    expect(status, output).toBe(1);
    expect([...output.matchAll(/^Deploying (\S+) …$/gm)].map(([, name]) => name)).toEqual([
      ...["staging", "production", "acme"],
    ]);
    expect(output).toContain("Deployed: staging, production. Not deployed: acme, globex.");
    expect([...cloudflare.databases.keys()].sort()).toEqual(["loyalty-edge", "loyalty-edge-acme", WORKER]);
    expect(cloudflare.unknown).toEqual([]);
  });
});

describe("docs/deploying.md", () => {
  it("leads from nothing to both environments, each on its own domain", async ({ expect }) => {
    const { cloudflare, env } = await account();
    const page = readFileSync(path.join(clone, "docs/deploying.md"), "utf8");
    const [ours = "", stagings = ""] = [...page.matchAll(/```toml\n([\s\S]*?)```/g)].map(([, lines = ""]) => lines);
    const text = config().replace("[assets]", `${ours}\n[assets]`);
    write(text.replace("[env.staging]\n", `[env.staging]\n${stagings}`));
    onTestFinished(() => write(config()));

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
