import { beforeEach, describe, it } from "vitest";
import { readMigrations } from "../../scripts/lib/migrations.ts";
import { temporaryFolder } from "./clone.ts";
import { pressCtrlC, startCommand, untilPrinted } from "./command.ts";
import { account, CONFIG, clone, run, SCHEMA, STAGING, schemaOf, WORKER, writeConfig } from "./deploying.ts";

const COUNT = readMigrations().length;

describe("a first deployment", () => {
  it.for([
    { what: "it looks the account up", reachedAt: /subdomain/, forMs: 2_000, args: ["--migrate"] },
    { what: "it migrates", reachedAt: /query/, forMs: 2_000, args: ["--migrate"] },
    // Wrangler itself would give up before 15 seconds.
    { what: "it uploads", reachedAt: /assets-upload-session/, forMs: 15_000, args: [] },
  ])("waits if the API refuses calls while $what", async ({ reachedAt, forMs, args }, { expect }) => {
    const { cloudflare, env, script } = await account();
    cloudflare.faults.callLimit = { reachedAt, forMs };

    const { status, output } = await run("deploy", [...args, ...STAGING], { env });

    expect(status, output).toBe(0);
    expect(cloudflare.faults.refusedCalls).toBeGreaterThan(1);
    expect(schemaOf(cloudflare)).toBe(SCHEMA);
    expect(script()?.deployments).toHaveLength(args.length === 0 ? 1 : 0);
  });

  it("applies no migration in part or twice, and says which are applied", async ({ expect }) => {
    const { cloudflare, env } = await account();
    const migrate = () => run("deploy", ["--migrate", ...STAGING], { env });
    const { sql } = cloudflare.databases.make(WORKER);
    // The last statement of the third migration makes an index of this name.
    sql.exec("CREATE TABLE stores_deleted (id)");

    const refused = await migrate();
    sql.exec("DROP TABLE stores_deleted");
    cloudflare.faults.losesAnswerTo = "('0006_search.sql')";
    const cutOff = await migrate();
    cloudflare.faults.losesAnswerTo = undefined;
    const completed = await migrate();

    expect([refused.status, cutOff.status, completed.status], completed.output).toEqual([1, 1, 0]);
    expect(refused.output).toContain(`The migration of ${WORKER} failed, so nothing was deployed.`);
    expect(refused.output).toContain(`2 of ${COUNT} migrations are applied; the next is 0003_stores.sql.`);
    expect(cutOff.output).toContain("The temporary Worker was cut off");
    expect(completed.output).toContain(`${COUNT - 6} of ${COUNT} migrations were new.`);
    expect(schemaOf(cloudflare)).toBe(SCHEMA);
    expect([...cloudflare.scripts.keys()]).toEqual([WORKER]);
  });

  it("says what replication needs, and reuses what it had made before a failed upload", async ({ expect }) => {
    const { cloudflare, env, script } = await account();
    Object.assign(cloudflare.faults, { refusesUploads: true, mayEditDatabases: false });
    // The namespace is on the second page of the list.
    for (let index = 0; index < 150; index += 1) cloudflare.namespaces.set(`other-${index}`, { id: `other-${index}` });
    // Without an account's id, the only account of the login counts. Wrangler would store its id for real deployments.
    const withoutAccount = { ...env, CLOUDFLARE_ACCOUNT_ID: "", WRANGLER_CACHE_DIR: temporaryFolder() };

    const first = await run("deploy", STAGING, { env: withoutAccount });
    const madeNamespace = cloudflare.namespaces.get(`${WORKER}-cache`);
    const replication = cloudflare.databases.get(WORKER)?.replication;
    Object.assign(cloudflare.faults, { refusesUploads: false, mayEditDatabases: true });
    const second = await run("deploy", STAGING, { env });

    expect(first.status).toBe(1);
    expect(first.output).toContain("Read replication could not be switched on");
    expect(first.output).toContain("Cloudflare answers 403: Authentication error");
    expect(first.output).toContain("Give the API token the permission D1 Edit");
    expect(first.output).toContain("The deployment failed; see wrangler's output above. The database is migrated");
    expect(replication).toBe("disabled");
    expect(second, second.output).toMatchObject({ status: 0 });
    expect(script()?.bindings.find(({ name }) => name === "CACHE")).toMatchObject({ namespace_id: madeNamespace?.id });
    expect([cloudflare.namespaces.size, cloudflare.databases.size]).toEqual([151, 1]);
  });
});

describe("the temporary Worker", () => {
  it("answers only callers who know its secret, and is deleted after Ctrl-C", async ({ expect }) => {
    const { cloudflare, env } = await account();
    const name = `${WORKER}-migrations`;
    const [firstRequest, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    cloudflare.scripts.beforeAnswer = () => {
      firstRequest.resolve();
      return mayAnswer.promise;
    };

    const deployment = startCommand("deploy", ["--migrate", ...STAGING], { env, cwd: clone });
    await firstRequest.promise;
    cloudflare.scripts.beforeAnswer = undefined;
    const stranger = await fetch(`${env.CLOUDFLARE_API_BASE_URL}/workers.dev/${name}`, { method: "POST", body: "[]" });
    const secret = cloudflare.scripts.get(name)?.bindings.find(({ type }) => type === "secret_text")?.text;
    pressCtrlC(deployment);
    await untilPrinted(deployment, `Stopping, once the temporary Worker ${name} is deleted`);
    mayAnswer.resolve();

    expect(await deployment.ended).toBe(130);
    expect(stranger.status).toBe(403);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(deployment.output()).not.toContain(secret);
    expect([...cloudflare.scripts.keys()]).toEqual([WORKER]);
  });
});

describe("an account that lacks something", () => {
  beforeEach(() => {
    const bindings = /# (\[\[.*(?:r2_buckets|analytics_engine_datasets)\]\])\n# (.*)\n# (.*)\n/g;
    const config = CONFIG.replaceAll(bindings, "$1\n$2\n$3\n");
    writeConfig(config.replaceAll('HISTORY_MONTHS = ""', 'HISTORY_MONTHS = "13"'));
  });

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
  ])("gets nothing without %s, and everything once they are switched on", async ([, missing], { expect }) => {
    const { cloudflare, env } = await account({ hasSecret: false });
    cloudflare.scripts.make("another").schedules = ["", "", "", "", ""];
    for (const name of missing) Object.assign(cloudflare.faults, { [name]: name === "cronLimit" ? 5 : false });

    const { status, output } = await run("deploy", STAGING, { env });

    expect(status).toBe(1);
    for (const [name, words] of Object.entries(MISSING))
      expect(output.includes(words), output).toBe(missing.includes(name as keyof typeof MISSING));
    expect([...cloudflare.databases, ...cloudflare.namespaces, ...cloudflare.buckets]).toEqual([]);
    expect([...cloudflare.scripts.keys()]).toEqual(["another"]);
    if (missing.length < 3) return;
    // Now everything is switched on.
    Object.assign(cloudflare.faults, { hasR2: true, hasAnalyticsEngine: true, cronLimit: 250 });
    const [, advice = ""] = /npm run wrangler -- (secret put .*)/.exec(output) ?? [];
    const secret = await run("wrangler", advice.split(" "), { env, stdin: "a-secret" });
    const second = await run("deploy", STAGING, { env });
    expect(advice).toBe("secret put JWT_SECRET --env=staging");
    expect(secret, secret.output).toMatchObject({ status: 0 });
    expect(second, second.output).toMatchObject({ status: 0 });
    expect(cloudflare.unknown).toEqual([]);
  });
});
