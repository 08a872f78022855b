import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { readMigrations } from "../../scripts/lib/migrations.ts";
import { SECRET_NAMES } from "../../scripts/lib/sign.ts";
import { temporaryFolder } from "./clone.ts";
import { refusal } from "./cloudflare/reply.ts";
import { pressCtrlC, startCommand, untilPrinted } from "./command.ts";
import { clone, openAccount, PROGRAMS, run, SCHEMA, STAGING, schemaOf, WORKER, writePrograms } from "./deploying.ts";
import { blocksIn, readDoc } from "./docs.ts";

const MIGRATION_COUNT = readMigrations().length;

describe("npm run deploy", () => {
  it("completes what a failed deployment began, and later finds everything by name", async ({ expect }) => {
    const { cloudflare, env, script } = await openAccount();
    cloudflare.intercept = ({ route, body, answer }) => {
      if (route.startsWith("PUT /d1/database/")) return refusal(403, 10000, "Authentication error");
      return body.includes('"kv_namespace"')
        ? refusal(400, 10021, "Script startup exceeded CPU time limit.")
        : answer();
    };
    // The namespace is on the second page of the list.
    for (let index = 0; index < 150; index += 1)
      cloudflare.namespaces.set(`other-${index}`, { title: `other-${index}`, id: `other-${index}` });
    // Without an account's id, the only account of the login counts. Wrangler would store its id for real deployments.
    const withoutAccount = { ...env, CLOUDFLARE_ACCOUNT_ID: "", WRANGLER_CACHE_DIR: temporaryFolder() };

    const failed = await run("deploy", STAGING, { env: withoutAccount });
    const namespace = cloudflare.namespaces.get(`${WORKER}-cache`);
    const { uuid, replication } = { ...cloudflare.databases.get(WORKER) };
    const writesOfFailed = cloudflare.writes.splice(0).filter((write) => !write.includes("-migrations"));
    cloudflare.intercept = ({ answer }) => answer();
    const completed = await run("deploy", STAGING, { env });
    const { bindings = [] } = script() ?? {};
    const repeated = await run("deploy", STAGING, { env });

    expect([failed.status, completed.status, repeated.status], completed.output).toEqual([1, 0, 0]);
    expect(failed.output).toContain("Read replication could not be switched on");
    expect(failed.output).toContain(`Cloudflare answers PUT /d1/database/${uuid} with 403: Authentication error`);
    expect(failed.output).toContain("The login needs the permission D1: Edit.");
    expect(failed.output).toContain(
      "The deployment failed. The database is migrated, but no version of the service runs.",
    );
    expect(failed.output).toMatch(/(\d+) of \1 migrations were new\./);
    expect(failed.output).toContain("Script startup exceeded CPU time limit");
    // The resources are made and the database is migrated before the Worker is uploaded.
    expect(writesOfFailed.slice(0, 2)).toEqual(["POST /storage/kv/namespaces", "POST /d1/database"]);
    expect(replication).toBe("disabled");
    expect(completed.output).toContain(`read replication of ${WORKER} is automatic`);
    expect(completed.output).toContain(`ask https://${WORKER}.example.workers.dev/health`);
    expect(cloudflare.databases.get(WORKER)?.replication).toBe("auto");
    expect(bindings.find(({ name }) => name === "DB")).toMatchObject({ type: "d1", id: uuid });
    expect(bindings.find(({ name }) => name === "CACHE")).toMatchObject({ namespace_id: namespace?.id });
    expect(bindings.find(({ name }) => name === "INBOXES")).toMatchObject({ class_name: "Inbox" });
    expect(script()).toMatchObject({ migrationTag: "inboxes", bindings });
    expect(script()?.deployments).toHaveLength(2);
    expect(repeated.output).toMatch(/\n0 of \d+ migrations were new\./);
    expect([cloudflare.namespaces.size, cloudflare.databases.size]).toEqual([151, 1]);
    expect(readFileSync(path.join(clone, "environments.toml"), "utf8")).toBe(PROGRAMS);
  });

  it("applies no migration in part or twice, says which fails, and verifies the database", async ({ expect }) => {
    const { cloudflare, env } = await openAccount();
    const migrate = () => run("deploy", ["--migrate", ...STAGING], { env });
    const verify = () => run("verify-totals", ["--remote", ...STAGING], { env });
    // Somebody has made the database before.
    const { sql } = cloudflare.databases.make(WORKER);
    // The last statement of the third migration makes an index of this name.
    sql.exec("CREATE TABLE stores_deleted (id)");

    const refused = await migrate();
    const unmigrated = await verify();
    sql.exec("DROP TABLE stores_deleted");
    cloudflare.intercept = async ({ body, answer }) => {
      const answered = await answer();
      return body.includes("('0006_search.sql'") ? null : answered;
    };
    const cutOff = await migrate();
    cloudflare.intercept = ({ answer }) => answer();
    const completed = await migrate();
    const verified = await verify();

    expect([refused.status, cutOff.status, completed.status], completed.output).toEqual([1, 1, 0]);
    expect(refused.output).toMatch(
      /Applying 0003_stores\.sql …\nError: there is already a table named stores_deleted\n$/,
    );
    expect(unmigrated.output).toContain("The database lacks migrations: npm run deploy applies them.");
    expect(cutOff.output).toContain("The temporary Worker was cut off");
    expect(completed.output).toContain(`${MIGRATION_COUNT - 6} of ${MIGRATION_COUNT} migrations were new.`);
    expect(verified.output).toContain(
      "Compared with 0 customers, 0 stores, 0 campaigns, 0 message groups.\nAll derived data agrees with the records.",
    );
    expect(schemaOf(cloudflare)).toBe(SCHEMA);
    expect([...cloudflare.databases.keys(), ...cloudflare.scripts.keys()]).toEqual([WORKER, WORKER]);
  });

  it("takes a database that wrangler has migrated, and adds the checksums", async ({ expect }) => {
    const { cloudflare, env } = await openAccount();
    const { sql } = cloudflare.databases.make(WORKER);
    const byWrangler = await run("wrangler", ["d1", "migrations", "apply", "DB", "--remote", ...STAGING], { env });

    const { status, output } = await run("deploy", ["--migrate", ...STAGING], { env });

    expect(byWrangler.status, byWrangler.output).toBe(0);
    expect([status, output]).toEqual([0, expect.stringContaining(`0 of ${MIGRATION_COUNT} migrations were new.`)]);
    const checksums = readMigrations().map(({ name, checksum }) => ({ name, checksum }));
    expect(sql.prepare("SELECT name, checksum FROM d1_migrations ORDER BY name").all()).toEqual(checksums);
  });

  it("answers only callers who know the temporary Worker's secret, and deletes the Worker after Ctrl-C", async ({
    expect,
  }) => {
    const { cloudflare, env } = await openAccount();
    const temporary = () => [...cloudflare.scripts].find(([name]) => name.startsWith(`${WORKER}-migrations-`));
    const [firstRequest, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    cloudflare.intercept = async ({ route, answer }) => {
      if (!route.includes("/workers.dev/")) return answer();
      cloudflare.intercept = (later) => later.answer();
      firstRequest.resolve();
      await mayAnswer.promise;
      return answer();
    };

    const deployment = startCommand("deploy", ["--migrate", ...STAGING], { env, cwd: clone });
    await firstRequest.promise;
    const [name = "", script] = temporary() ?? [];
    const stranger = await fetch(`${env.CLOUDFLARE_API_BASE_URL}/workers.dev/${name}`, { method: "POST", body: "[]" });
    const secret = script?.bindings.find(({ type }) => type === "secret_text")?.text;
    pressCtrlC(deployment);
    await untilPrinted(deployment, `Stopping, once the temporary Worker ${name} is deleted`);
    mayAnswer.resolve();

    expect(await deployment.ended).toBe(130);
    expect(stranger.status).toBe(403);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(deployment.output()).not.toContain(secret);
    expect([...cloudflare.scripts.keys()]).toEqual([WORKER]);
  });

  it("makes the database and the KV namespace in the jurisdiction, and refuses a namespace outside it", async ({
    expect,
  }) => {
    const { cloudflare, env } = await openAccount();
    const title = `${WORKER}-cache`;
    cloudflare.namespaces.set(title, { title, id: "elsewhere" });
    writePrograms('[staging]\nvars = { JURISDICTION = "eu" }\n');

    const refused = await run("deploy", ["--migrate", ...STAGING], { env });
    const databasesBefore = cloudflare.databases.size;
    cloudflare.namespaces.clear();
    const { status, output } = await run("deploy", ["--migrate", ...STAGING], { env });

    expect([refused.status, databasesBefore]).toEqual([1, 0]);
    expect(refused.output).toContain(`The KV namespace ${title} is not in the jurisdiction eu`);
    expect(refused.output).toContain("npm run wrangler -- kv namespace delete --namespace-id elsewhere");
    expect(status, output).toBe(0);
    const madeResources = [...cloudflare.databases.values(), ...cloudflare.namespaces.values()];
    expect(madeResources.map(({ jurisdiction }) => jurisdiction)).toEqual(["eu", "eu"]);
  });

  it("deploys staging first with --all, and stops at the first failure", async ({ expect }) => {
    for (const name of ["acme", "globex"]) await run("programs", ["add", name]);
    const { cloudflare, env } = await openAccount();
    for (const name of ["loyalty-edge", "loyalty-edge-globex"]) cloudflare.scripts.make(name, ...SECRET_NAMES);

    const withoutSecret = await run("deploy", ["--all"], { env });
    const resourcesBefore = [...cloudflare.databases, ...cloudflare.namespaces];
    cloudflare.scripts.make("loyalty-edge-acme", ...SECRET_NAMES);
    cloudflare.databases.make("loyalty-edge-acme").sql.exec("CREATE TABLE d1_migrations (wrong)");
    const { status, output } = await run("deploy", ["--all", "--migrate"], { env });

    expect(withoutSecret).toMatchObject({ status: 1 });
    expect(withoutSecret.output).toContain("Give acme a JWT_SECRET for it alone");
    expect(resourcesBefore).toEqual([]);
    expect(status, output).toBe(1);
    const begunEnvironments = [...output.matchAll(/^Deploying (\S+) …$/gm)].map(([, name]) => name);
    expect(begunEnvironments).toEqual(["staging", "production", "acme"]);
    expect([...cloudflare.databases.keys()].sort()).toEqual(["loyalty-edge", "loyalty-edge-acme", WORKER]);
  });

  it("makes nothing in an account without a subdomain and the secrets, and says what to do", async ({ expect }) => {
    const { cloudflare, env } = await openAccount({ hasSecrets: false });
    cloudflare.intercept = ({ route, answer }) => (route === "GET /workers/subdomain" ? refusal(403, 10007) : answer());

    const { status, output } = await run("deploy", STAGING, { env });

    expect({ status, output }).toEqual({
      status: 1,
      output: expect.stringMatching(
        /^Nothing was made.*\n- Open https:.*\/workers\/onboarding.*\n- Give staging a JWT_SECRET.*\n- Give staging a FEED_JWT_SECRET.*/,
      ),
    });
    const { databases, namespaces, scripts } = cloudflare;
    expect([...databases, ...namespaces, ...scripts]).toEqual([]);
  });
});

describe("docs/deploying.md", () => {
  it("leads from nothing to both environments, each on its own domain", async ({ expect }) => {
    const { cloudflare, env } = await openAccount({ hasSecrets: false });
    const [programs = ""] = blocksIn(readDoc("deploying.md"), "toml");
    writePrograms(programs);

    for (const [environment, flag] of [
      ["staging", " --env staging"],
      ["production", ""],
    ] as const) {
      const withoutSecrets = await run("deploy", ["--env", environment], { env });
      const advice = [...withoutSecrets.output.matchAll(/npm run wrangler -- (secret put .*)/g)].map(
        ([, args = ""]) => args,
      );
      for (const args of advice) {
        const secret = await run("wrangler", args.split(" "), { env, stdin: `the secret of ${args}` });
        expect(secret, secret.output).toMatchObject({ status: 0 });
      }
      const deployed = await run("deploy", ["--env", environment], { env });

      expect(advice).toEqual(SECRET_NAMES.map((name) => `secret put ${name}${flag}`));
      expect(deployed, deployed.output).toMatchObject({ status: 0 });
    }

    expect(cloudflare.scripts.get("loyalty-edge")?.domains).toEqual(["loyalty.example"]);
    expect(cloudflare.scripts.get("loyalty-edge-staging")?.domains).toEqual(["staging.loyalty.example"]);
  });
});
