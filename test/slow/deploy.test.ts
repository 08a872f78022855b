import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, it } from "vitest";
import { Cloudflare } from "./cloudflare.ts";
import { command, ROOT } from "./command.ts";

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

async function run(name: string, args: string[], { env = {}, stdin = "" } = {}) {
  const running = command(name, args, { stdin, env });
  return { status: await running.ended, output: running.output() };
}

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
    expect(written.slice(0, 2)).toEqual(["POST /d1/database", expect.stringContaining("assets-upload-session")]);
    expect(deployments).toBe(2);
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

  it("deploys nothing where a migration fails", async ({ expect }) => {
    const { cloudflare, env, script } = await account({ hasSecret: true });
    await run("wrangler", ["d1", "create", WORKER, "--env=staging"], { env });
    cloudflare.databases.get(WORKER)?.sql.exec("CREATE TABLE accounts (somebody_elses TEXT)");

    const { status, output } = await run("deploy", STAGING, { env });

    expect(status).toBe(1);
    expect(output).toContain("The migration failed");
    expect(script()?.deployments).toBe(1);
  });
});
