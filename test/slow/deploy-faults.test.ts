import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { readMigrations } from "../../scripts/lib/migrations.ts";
import { cloneCheckout, removeFolder } from "./clone.ts";
import type { Faults } from "./cloudflare/faults.ts";
import { SPLITTERS } from "./cloudflare/splitters.ts";
import { pressCtrlC, printed } from "./command.ts";
import { account, config, run, SCHEMA, STAGING, schemaOf, start, WORKER } from "./deploying.ts";

const MIGRATIONS = readMigrations();
const SIXTH = MIGRATIONS[5]?.name ?? "";

/** Longer than wrangler itself tries again. */
const REFUSED_MS = 15_000;

// Of its own, because a deployment writes into dist/deploy.
let clone = "";
beforeAll(() => {
  clone = cloneCheckout();
});
afterAll(() => removeFolder(clone));

describe("a first deployment", () => {
  it.for<[what: string, faults: Partial<Faults>]>([
    ...[...SPLITTERS].map(([what, split]) => [`cuts statements ${what}`, { split }] as [string, Partial<Faults>]),
    ["refuses triggers in a file", { refusesTriggers: true }],
    ["refuses triggers in a file, and undoes it", { refusesTriggers: true, undoes: true }],
  ])("migrates where D1 %s", async ([, faults], { expect }) => {
    const { cloudflare, env } = await account({ hasSecret: true });
    Object.assign(cloudflare.faults, faults);

    const { status, output } = await run("deploy", ["--migrate", ...STAGING], { env, cwd: clone });

    expect(status, output).toBe(0);
    expect(schemaOf(cloudflare)).toBe(SCHEMA);
    expect([...cloudflare.scripts.keys()]).toEqual([WORKER]);
    expect(cloudflare.scripts.everUploaded.includes(`${WORKER}-migrations`)).toBe(faults.refusesTriggers === true);
    expect(cloudflare.unknown).toEqual([]);
  });

  it.for([
    ["it looks the account up", /subdomain/],
    ["it migrates", /query/],
    ["it uploads", /assets-upload-session/],
  ] as const)("waits where the API takes no more calls while %s", async ([, reachedAt], { expect }) => {
    const { cloudflare, env, script } = await account({ hasSecret: true });
    cloudflare.faults.callLimit = { reachedAt, forMs: REFUSED_MS };

    const { status, output } = await run("deploy", STAGING, { env, cwd: clone });

    expect(status, output).toBe(0);
    expect(cloudflare.faults.refusedCalls).toBeGreaterThan(3);
    expect(script()?.deployments).toBe(2);
  });

  it.for<[when: string, before: number | "the answer", state: string]>([
    ["before its first statement", 1, "5 of ALL migrations; next is 0006_search.sql, with 19 statements to run"],
    ["in the middle", 6, "5 of ALL migrations; next is 0006_search.sql, with 16 statements to run"],
    ["before its row in the ledger", 20, "5 of ALL migrations; next is 0006_search.sql, with 3 statements to run"],
    ["before its answer", "the answer", "6 of ALL migrations; next is 0007_balances.sql, with 2 statements to run"],
  ])("goes on where it stopped after a migration was cut off %s", async ([, before, state], { expect }) => {
    const { cloudflare, env } = await account({ hasSecret: true });
    cloudflare.faults.interruption = { migration: SIXTH, before };

    const first = await run("deploy", ["--migrate", ...STAGING], { env, cwd: clone });
    cloudflare.faults.interruption = undefined;
    const second = await run("deploy", ["--migrate", ...STAGING], { env, cwd: clone });

    expect(first.status).toBe(1);
    expect(first.output).toContain(`The migration of ${WORKER} failed, so nothing was deployed.`);
    expect(first.output).toContain(`  ${WORKER}: ${state.replace("ALL", String(MIGRATIONS.length))}`);
    expect(second, second.output).toMatchObject({ status: 0 });
    expect(schemaOf(cloudflare)).toBe(SCHEMA);
  });

  it("goes on where it stopped after the upload failed, with what it had made", async ({ expect }) => {
    const { cloudflare, env, script } = await account({ hasSecret: true });
    cloudflare.faults.refusesUploads = true;

    const first = await run("deploy", STAGING, { env, cwd: clone });
    const [made] = [...cloudflare.namespaces.values()];
    cloudflare.faults.refusesUploads = false;
    const second = await run("deploy", STAGING, { env, cwd: clone });

    expect(first.status).toBe(1);
    expect(first.output).toContain("The deployment failed; see wrangler's output above. The database is migrated");
    expect(second, second.output).toMatchObject({ status: 0 });
    expect(script()?.bindings.find(({ name }) => name === "CACHE")).toMatchObject({ namespace_id: made?.id });
    expect([cloudflare.namespaces.size, cloudflare.databases.size]).toEqual([1, 1]);
  });

  it("uses the KV namespace that is there, on whatever page of the list", async ({ expect }) => {
    const { cloudflare, env, script } = await account({ hasSecret: true });
    for (let index = 0; index < 150; index += 1) cloudflare.namespaces.set(`other-${index}`, { id: `other-${index}` });
    cloudflare.namespaces.set(`${WORKER}-cache`, { id: "from-before" });

    const { status, output } = await run("deploy", STAGING, { env, cwd: clone });

    expect(status, output).toBe(0);
    expect(script()?.bindings.find(({ name }) => name === "CACHE")).toMatchObject({ namespace_id: "from-before" });
  });
});

describe("the temporary Worker", () => {
  it("answers only who knows its secret, and is deleted after Ctrl-C", async ({ expect }) => {
    const { cloudflare, env } = await account({ hasSecret: true });
    const name = `${WORKER}-migrations`;
    cloudflare.faults.refusesTriggers = true;
    const held = Promise.withResolvers<void>();
    const asked = new Promise<void>((resolve) => {
      cloudflare.scripts.beforeAnswer = () => {
        resolve();
        return held.promise;
      };
    });

    const deployment = start("deploy", ["--migrate", ...STAGING], { env, cwd: clone });
    await asked;
    cloudflare.scripts.beforeAnswer = undefined;
    const stranger = await fetch(`${env.CLOUDFLARE_API_BASE_URL}/workers.dev/${name}`, { method: "POST", body: "[]" });
    const secret = cloudflare.scripts.get(name)?.bindings.find(({ type }) => type === "secret_text")?.text;
    pressCtrlC(deployment);
    await printed(deployment, `Stopping, once the temporary Worker ${name} is deleted`);
    held.resolve();

    expect(await deployment.ended).toBe(130);
    expect(stranger.status).toBe(403);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(deployment.output()).not.toContain(secret);
    expect([...cloudflare.scripts.keys()]).toEqual([WORKER]);
  });

  it("is deleted where the database refuses a statement, and says how far the database is migrated", async ({
    expect,
  }) => {
    const { cloudflare, env } = await account({ hasSecret: true });
    cloudflare.faults.refusesTriggers = true;
    cloudflare.databases.make(WORKER);
    cloudflare.databases.get(WORKER)?.sql.exec("CREATE TABLE stores (id)");

    const { status, output } = await run("deploy", ["--migrate", ...STAGING], { env, cwd: clone });

    expect(status).toBe(1);
    expect(output).toContain(
      `${WORKER}: 2 of ${MIGRATIONS.length} migrations; next is 0003_stores.sql, with 2 statements to run`,
    );
    expect([...cloudflare.scripts.keys()]).toEqual([WORKER]);
  });
});

describe("an account that lacks something", () => {
  beforeAll(() => {
    const bound = config()
      .replaceAll(/# (\[\[.*(?:r2_buckets|analytics_engine_datasets)\]\])\n# (.*)\n# (.*)\n/g, "$1\n$2\n$3\n")
      .replaceAll('HISTORY_MONTHS = ""', 'HISTORY_MONTHS = "13"');
    writeFileSync(path.join(clone, "wrangler.toml"), bound);
  });
  afterAll(() => writeFileSync(path.join(clone, "wrangler.toml"), config()));

  const MISSING = {
    hasSubdomain: "Open https://dash.cloudflare.com/0123456789abcdef0123456789abcdef/workers/onboarding once",
    hasR2: "Switch on R2, for history [code: 10042]",
    hasAnalyticsEngine: "Switch on Analytics Engine, for METRICS [code: 10089]",
    cronLimit: "more [code: 10072]. The free plan takes 5 an account",
  };

  it.for<[what: string, missing: (keyof typeof MISSING)[]]>([
    ["a workers.dev subdomain and R2", ["hasSubdomain", "hasR2"]],
    ["Analytics Engine", ["hasAnalyticsEngine"]],
    ["room for cron triggers", ["cronLimit"]],
    ["R2, Analytics Engine and cron triggers", ["hasR2", "hasAnalyticsEngine", "cronLimit"]],
  ])("gets nothing without %s, and everything after that is switched on", async ([, missing], { expect }) => {
    const { cloudflare, env } = await account();
    cloudflare.scripts.set("another", {
      secrets: new Set(),
      bindings: [],
      deployments: 1,
      schedules: ["", "", "", "", ""],
    });
    for (const name of missing) Object.assign(cloudflare.faults, { [name]: name === "cronLimit" ? 5 : false });

    const first = await run("deploy", STAGING, { env, cwd: clone });
    const made = [...cloudflare.databases, ...cloudflare.namespaces, ...cloudflare.buckets];
    const workers = [...cloudflare.scripts.keys()];
    Object.assign(cloudflare.faults, { hasSubdomain: true, hasR2: true, hasAnalyticsEngine: true, cronLimit: 250 });
    await run("wrangler", ["secret", "put", "JWT_SECRET", "--env=staging"], { env, cwd: clone, stdin: "a-secret" });
    const second = await run("deploy", STAGING, { env, cwd: clone });

    expect(first.status).toBe(1);
    for (const [name, words] of Object.entries(MISSING))
      expect(first.output.includes(words), first.output).toBe(missing.some((one) => one === name));
    expect(first.output).toContain("npm run wrangler -- secret put JWT_SECRET --env=staging");
    expect(made).toEqual([]);
    expect(workers).toEqual(["another"]);
    expect(second, second.output).toMatchObject({ status: 0 });
    expect(cloudflare.unknown).toEqual([]);
  });
});
