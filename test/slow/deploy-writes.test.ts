import { isDeepStrictEqual } from "node:util";
import { describe, it } from "vitest";
import { readMigrations } from "../../scripts/lib/migrations.ts";
import { configOf } from "../../scripts/lib/wrangler.ts";
import { refusal } from "./cloudflare/reply.ts";
import type { Cloudflare } from "./cloudflare.ts";
import { openAccount, run, STAGING, WORKER, writePrograms } from "./deploying.ts";

// Refuses each write of a deployment in turn. What the command says must be what the account has afterwards.

const DOMAIN = "loyalty.example";
const ROUTE = "www.loyalty.example/*";
const PROGRAMS = `[production]\n[staging]\nroutes = [{ pattern = "${DOMAIN}", custom_domain = true }, "${ROUTE}"]\n`;
// The parser of TOML makes objects without a prototype.
const OBSERVABILITY = JSON.parse(JSON.stringify(configOf("staging").observability));

/** A write without the ids in it, such as "PUT /d1/database/ID". */
const nameOf = (route: string) =>
  route.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, "ID").replace(/-migrations-[0-9a-f]{6}/, "-migrations-ID");

interface Account {
  cloudflare: Cloudflare;
  env: Record<string, string>;
}

/** Deploys, and refuses each write of this name. Resolves with the names of all writes. */
async function deploy({ cloudflare, env }: Account, refused?: string) {
  const writes = new Set<string>();
  cloudflare.intercept = ({ route, answer }) => {
    const name = nameOf(route);
    const isRead = /^GET |\/changeset$|\/workers\.dev\//.test(route);
    if (!isRead) writes.add(name);
    // Wrangler then adds each route to its zone.
    const isRefused = name === refused || (refused?.endsWith("/routes") && name.endsWith("/routes"));
    return isRefused && !isRead ? refusal(403, 10000, "Authentication error") : answer();
  };
  const result = await run("deploy", STAGING, { env });
  return { ...result, writes: [...writes] };
}

/** The id of the version that runs. */
function versionIn({ scripts }: Cloudflare): string | undefined {
  return scripts.get(WORKER)?.deployments[0]?.[0]?.version_id;
}

/** What an account has of the program. */
function stateOf(cloudflare: Cloudflare, versionBefore: string | undefined) {
  const script = cloudflare.scripts.get(WORKER);
  const { sql, replication } = cloudflare.databases.get(WORKER) ?? {};
  const isService = script?.bindings.some(({ name }) => name === "DB");
  const runs = versionIn(cloudflare) !== versionBefore ? "new" : isService ? "former" : "none";
  const hasTable = sql?.prepare("SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'").get() !== undefined;
  const migrated = hasTable ? sql?.prepare("SELECT count(*) AS count FROM d1_migrations").get()?.count : 0;
  const missing = [
    ...(script?.schedules.length === 1 ? [] : ["the schedule * * * * *"]),
    ...(script?.domains.includes(DOMAIN) ? [] : [`the address ${DOMAIN}`]),
    ...(script?.routes.includes(ROUTE) ? [] : [`the address ${ROUTE}`]),
    ...(script?.hasOpenVersions ? ["closed addresses of its versions"] : []),
    ...(isDeepStrictEqual(script?.observability, OBSERVABILITY) ? [] : ["its settings of logs and traces"]),
  ];
  return {
    runs,
    missing: runs === "new" ? missing : [],
    isMigrated: migrated === readMigrations().length,
    isReplicated: replication === "auto",
    left: [...cloudflare.scripts.keys()].filter((name) => name !== WORKER),
  };
}

/** What the command says of the same. What it leaves open is taken from the state. */
function claimsIn({ status, output }: { status: number; output: string }, state: ReturnType<typeof stateOf>) {
  const [, missing] = /The new version of staging runs, but without (.*?)\. /.exec(output) ?? [];
  const isNew = /^Deployed staging\.|The new version of staging runs/m.test(output);
  const saysFormer = output.includes("the version that ran before still runs");
  const saysNone = output.includes("no version of the service runs");
  // A command that fails before it deploys says nothing of the version: then it must be what it was.
  const runs = isNew ? "new" : saysFormer ? "former" : saysNone || state.runs === "none" ? "none" : "former";
  return {
    status,
    runs,
    missing: missing?.split(", ") ?? [],
    isMigrated:
      /The database is migrated|migrations were new|^Deployed/m.test(output) ||
      (state.runs === "former" && state.isMigrated),
    isReplicated: output.includes("is automatic"),
    left: [...output.matchAll(/The Worker (\S+-migrations-\S+) could not be deleted/g)].map(([, name]) => name),
  };
}

/** Somebody has changed in the dashboard what belongs to no version. */
function changeInDashboard({ databases, scripts }: Cloudflare): void {
  const changes = { schedules: [], domains: [], routes: [], hasOpenVersions: true, observability: { enabled: false } };
  Object.assign(scripts.get(WORKER) ?? {}, changes);
  Object.assign(databases.get(WORKER) ?? {}, { replication: "disabled" });
}

describe.each(["first", "later"])("a %s deployment, where a write is refused", { timeout: 1_200_000 }, (which) => {
  it("says what the account has afterwards", async ({ expect }) => {
    writePrograms(PROGRAMS);
    const complete = await openAccount();
    if (which === "later") await deploy(complete);
    changeInDashboard(complete.cloudflare);
    const { writes, ...good } = await deploy(complete);
    const rows: string[] = [];

    for (const write of writes) {
      const account = which === "later" ? complete : await openAccount();
      const { cloudflare } = account;
      if (which === "later") changeInDashboard(cloudflare);
      const versionBefore = versionIn(cloudflare);

      const result = await deploy(account, write);

      const state = stateOf(cloudflare, versionBefore);
      const claims = claimsIn(result, state);
      rows.push([write, result.status, JSON.stringify(state)].join(" | "));
      expect.soft({ write, ...claims }, result.output).toEqual({ write, ...state, status: result.status });
      expect.soft(claims.status === 0 && (state.runs !== "new" || state.missing.length > 0), write).toBe(false);
      for (const name of state.left) cloudflare.scripts.delete(name);
    }

    expect(good.status, good.output).toBe(0);
    expect(writes.length).toBeGreaterThan(8);
    console.log(rows.join("\n"));
  });
});
