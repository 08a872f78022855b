import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, it } from "vitest";
import { clone, openAccount, run, STAGING, WORKER, writePrograms } from "./deploying.ts";

const inMigrations = (name: string) => path.join(clone, "migrations", name);
const NEW_MIGRATION = inMigrations("9999_mottos.sql");
const OLD_MIGRATION = inMigrations("0003_stores.sql");
const OLD_TEXT = readFileSync(OLD_MIGRATION, "utf8");

afterEach(() => {
  rmSync(NEW_MIGRATION, { force: true });
  writeFileSync(OLD_MIGRATION, OLD_TEXT);
});

/** An account in which staging is deployed. */
async function deployed() {
  const account = await openAccount();
  const deploy = (...args: string[]) => run("deploy", [...STAGING, ...args], { env: account.env });
  const first = await deploy();
  if (first.status !== 0) throw new Error(first.output);
  account.cloudflare.writes.splice(0);
  return { ...account, deploy };
}

describe("npm run deploy, where another Worker", () => {
  it("binds the database after a rename, refuses it until the former Worker is deleted", async ({ expect }) => {
    const { cloudflare, env, deploy } = await deployed();
    const renamed = { name: "club", database: `database_name = "${WORKER}"` };
    writePrograms(`[production]\n\n[staging]\nname = "${renamed.name}"\n${renamed.database}\n`);
    cloudflare.scripts.make(renamed.name, "JWT_SECRET", "FEED_JWT_SECRET");

    const refused = await deploy();
    const writesOfRefused = [...cloudflare.writes];
    const deleted = await run("wrangler", ["delete", "--name", WORKER], { env });
    const accepted = await deploy();

    expect(refused.status).toBe(1);
    expect(refused.output).toContain(`The Worker ${WORKER} binds the database of staging`);
    expect(refused.output).toContain("docs/deploying.md, Renaming");
    expect(writesOfRefused).toEqual([]);
    expect(deleted.status, deleted.output).toBe(0);
    expect(accepted.status, accepted.output).toBe(0);
    expect(cloudflare.databases.size).toBe(1);
  });

  it.for([
    ["the database", "d1", true],
    ["the KV namespace", "kv_namespace", true],
    ["the database, and is its probe", "d1", false],
  ] as const)("binds %s", async ([what, type, isRefused], { expect }) => {
    const { cloudflare, deploy } = await deployed();
    const bindings = cloudflare.scripts.get(WORKER)?.bindings.filter((binding) => binding.type === type) ?? [];
    const other = isRefused ? "somebody" : `${WORKER}-probe`;
    Object.assign(cloudflare.scripts.make(other), { bindings });

    const { status, output } = await deploy("--migrate");

    expect(status, output).toBe(isRefused ? 1 : 0);
    if (isRefused) expect(output).toContain(`The Worker somebody binds ${what} of staging`);
  });
});

describe("npm run deploy, where the database", () => {
  it("has migrations of a newer version, names them, and deploys only with --older", async ({ expect }) => {
    const { cloudflare, deploy } = await deployed();
    writeFileSync(NEW_MIGRATION, "CREATE TABLE mottos (id TEXT PRIMARY KEY);\n");
    const newer = await deploy("--migrate");
    rmSync(NEW_MIGRATION);
    const deploymentsBefore = cloudflare.scripts.get(WORKER)?.deployments.length;

    const refused = await deploy();
    const deploymentsAfter = cloudflare.scripts.get(WORKER)?.deployments.length;
    let modes: unknown[] = [];
    cloudflare.intercept = async ({ route, body, answer }) => {
      if (route.endsWith("/deployments") && body !== "") modes = [...modes, JSON.parse(body)];
      return answer();
    };
    const older = await deploy("--older", "--close-sockets");

    expect([newer.status, refused.status, older.status], older.output).toEqual([0, 1, 0]);
    expect(refused.output).toContain("migrations that this version does not know: 9999_mottos.sql.");
    expect(deploymentsAfter).toBe(deploymentsBefore);
    expect(JSON.stringify(modes)).toContain('"immediate"');
    expect(cloudflare.databases.get(WORKER)?.sql.prepare("SELECT * FROM mottos").all()).toEqual([]);
  });

  it("was migrated with another text of a file, refuses it, also with --older", async ({ expect }) => {
    const { deploy } = await deployed();
    appendFileSync(OLD_MIGRATION, "CREATE TABLE mottos (id TEXT PRIMARY KEY);\n");

    const outcomes = [await deploy(), await deploy("--older")];

    for (const { status, output } of outcomes) {
      expect(status).toBe(1);
      expect(output).toContain("not those that the database of staging was migrated with: 0003_stores.sql.");
    }
  });
});
