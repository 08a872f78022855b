import { execFileSync } from "node:child_process";
import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Miniflare } from "miniflare";
import { afterAll, describe, expect, it } from "vitest";
import { SECRET_NAMES, signClaims } from "../../scripts/lib/sign.ts";
import { cloneCheckout, temporaryFolder } from "./clone.ts";
import { startCommand } from "./command.ts";
import { openAccount } from "./deploying.ts";
import { runUploaded, SECRETS, type Uploaded } from "./uploaded-workers.ts";

// An operator upgrades from one release to the next, and goes back. The next release has a migration, a binding and a variable
// more. It is made here from this clone, because nothing was released yet.

const WORKER = "club";
const MIGRATION = "9999_mottos.sql";
const upstream = cloneCheckout();
const operator = path.join(temporaryFolder(), "operator");

const git = (folder: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=Somebody", "-c", "user.email=somebody@club.example", ...args], {
    cwd: folder,
    encoding: "utf8",
  });

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(path.join(upstream, file), "utf8");
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
  writeFileSync(path.join(upstream, file), text.replace(from, to));
}

function release(tag: string): void {
  git(upstream, "add", "--all");
  git(upstream, "commit", "--quiet", "--message", tag);
  git(upstream, "tag", tag);
}

/** The operator's settings, with comments and in an order of their own. */
const SETTINGS = `# The club's own.
[staging]
[production] # Blue Cup
name = "${WORKER}"
vars = { NEARBY_RADIUS_MILES = "5", CUSTOMER_SEARCH = "friends" }
`;

const account = await openAccount({ hasSecrets: false });
account.cloudflare.scripts.make(WORKER, ...SECRET_NAMES);

/** Deploys production from the operator's clone. Each deployment has a process of its own, because the code differs. */
async function deploy(...args: string[]) {
  // Commands install packages if the lock file is newer than the last install.
  utimesSync(path.join(operator, "package-lock.json"), 0, 0);
  const { ended, output } = startCommand("deploy", args, { cwd: operator, env: account.env });
  return { status: await ended, output: output() };
}

function uploaded(): Uploaded {
  const script = account.cloudflare.scripts.get(WORKER);
  if (script === undefined) throw new Error("Nothing is deployed.");
  return { ...script };
}

const nameOf = ({ name }: { name: string }) => name;

const releases: Record<"former" | "latest", Uploaded | undefined> = { former: undefined, latest: undefined };

describe("an upgrade", () => {
  it("merges without conflict, and brings the migration, the binding and the variable", async () => {
    git(upstream, "init", "--quiet", "--initial-branch", "main");
    release("v0.1.0");
    git(path.dirname(operator), "clone", "--quiet", upstream, operator);
    execFileSync("cp", ["-al", path.join(upstream, "node_modules"), operator]);
    writeFileSync(path.join(operator, "environments.toml"), SETTINGS);
    git(operator, "commit", "--quiet", "--all", "--message", "Our settings");
    git(operator, "tag", "deploy-1");
    const first = await deploy();
    releases.former = uploaded();

    writeFileSync(
      path.join(upstream, "migrations", MIGRATION),
      "ALTER TABLE accounts ADD COLUMN motto TEXT NOT NULL DEFAULT '';\n",
    );
    edit("wrangler.toml", 'FEED = ""', 'FEED = ""\nMOTTO = "hello"');
    edit(
      "wrangler.toml",
      "[version_metadata]",
      '[[ratelimits]]\nname = "MOTTO_LIMITER"\nnamespace_id = "7"\nsimple = { limit = 9, period = 60 }\n\n[version_metadata]',
    );
    edit("src/service/variables.ts", "  FEED: oneOf", "  MOTTO: ANY_TEXT,\n  FEED: oneOf");
    edit("src/service/routes.ts", 'const VERSION = "0.1.0"', 'const VERSION = "0.2.0"');
    release("v0.2.0");
    git(operator, "fetch", "--quiet", "--tags");
    git(operator, "merge", "--quiet", "--no-edit", "v0.2.0");
    git(operator, "tag", "deploy-2");
    const second = await deploy();
    releases.latest = uploaded();

    expect([first.status, second.status], second.output).toEqual([0, 0]);
    expect(readFileSync(path.join(operator, "environments.toml"), "utf8")).toBe(SETTINGS);
    expect(second.output).toContain(`Applying ${MIGRATION} …`);
    const { former, latest } = releases;
    expect(latest.bindings.map(nameOf)).toEqual(expect.arrayContaining((former?.bindings ?? []).map(nameOf)));
    const texts = Object.fromEntries(latest.bindings.map(({ name, text }) => [name, text]));
    expect(texts).toMatchObject({ MOTTO: "hello", NEARBY_RADIUS_MILES: "5", CUSTOMER_SEARCH: "friends" });
    expect(latest.bindings.map(nameOf)).toContain("MOTTO_LIMITER");
    expect(latest.tag).toBe(git(operator, "rev-parse", "--short=12", "HEAD").trim());
  });
});

const ORIGIN = "https://club.example";
let runtime: Miniflare | undefined;
afterAll(() => runtime?.dispose());

/** Feeds and reads as systems and an app do: through the Worker of this name. */
function api(name: string, mf: Miniflare) {
  const send = async (route: string, init: RequestInit = {}, claims: object = { scope: "customer", sub: "ada" }) => {
    const exp = Math.floor(Date.now() / 1_000) + 600;
    const { scope } = claims as { scope: string };
    const secret = SECRETS[scope === "customer" ? "JWT_SECRET" : "FEED_JWT_SECRET"] ?? "";
    const headers = { Authorization: `Bearer ${await signClaims({ ...claims, exp }, secret)}`, ...init.headers };
    const worker = (await mf.getWorker(name)) as unknown as { fetch: typeof fetch };
    return worker.fetch(`${ORIGIN}${route}`, { ...init, headers });
  };
  const feed = async (...lines: object[]) => {
    const body = lines.map((line) => JSON.stringify(line)).join("\n");
    const answer = await send("/api/v1/feed", { method: "POST", body }, { scope: "feed", sub: "pos", accounts: "*" });
    expect(answer.status, await answer.text()).toBe(200);
  };
  const listen = async () => {
    const answer = await send("/api/v1/customer/live", { headers: { Upgrade: "websocket" } });
    const socket = (answer as unknown as { webSocket: WebSocket & { accept(): void } }).webSocket;
    const frames: { type: string; what?: string[] }[] = [];
    socket.addEventListener("message", ({ data }) => frames.push(JSON.parse(String(data))));
    socket.accept();
    return { frames, close: () => socket.close() };
  };
  return { send, feed, listen };
}

let entries = 0;

/** An app listens, a system feeds, the app hears of it and reads it. */
async function tryIt(name: string, mf: Miniflare, version: string): Promise<void> {
  const { send, feed, listen } = api(name, mf);
  const health = await send("/health");
  expect(await health.json()).toMatchObject({ status: true, items: { version } });
  const app = await listen();
  entries += 1;
  const entry = { record: "balance_entry", id: `b${entries}`, customer_id: "ada", store_id: "s1", amount: "1.00" };
  await feed(entry);
  await expect.poll(() => app.frames.map(({ what }) => what ?? [])).toContainEqual(["balance"]);
  app.close();
  const me = (await (await send("/api/v1/customer/me")).json()) as { items: { balance: number } };
  expect(me.items.balance).toBe(entries);
}

const LINES = [
  { record: "account", id: "1", company: "Club" },
  { record: "store", id: "s1", account_id: "1", name: "One", latitude: 1, longitude: 1 },
  { record: "customer", id: "ada", first_name: "Ada", last_name: "Lovelace" },
  { record: "membership", store_id: "s1", customer_id: "ada" },
];

describe("while an upgrade or a way back is under way", () => {
  it("each Worker works with the newer database, and with the inboxes of both", async () => {
    const { former, latest } = releases;
    if (former === undefined || latest === undefined) throw new Error("The test before has failed.");
    runtime = runUploaded([
      { name: "former", uploaded: former },
      { name: "latest", uploaded: latest },
      { name: "latest at former inboxes", uploaded: latest, objectsOf: "former" },
      { name: "former at latest inboxes", uploaded: former, objectsOf: "latest" },
    ]);
    const d1 = await runtime.getD1Database("DB", "former");
    const migrate = async (applies: (name: string) => boolean) => {
      const { readMigrations } = await import(/* @vite-ignore */ path.join(operator, "scripts/lib/migrations.ts"));
      const migrations = (readMigrations() as { name: string; statements: string[] }[]).filter(({ name }) =>
        applies(name),
      );
      await d1.batch(migrations.flatMap(({ statements }) => statements).map((statement) => d1.prepare(statement)));
    };
    await migrate((name) => name !== MIGRATION);
    await api("former", runtime).feed(...LINES);
    await tryIt("former", runtime, "0.1.0");

    await migrate((name) => name === MIGRATION);

    await tryIt("former", runtime, "0.1.0");
    await tryIt("latest at former inboxes", runtime, "0.2.0");
    await tryIt("latest", runtime, "0.2.0");
    await tryIt("former at latest inboxes", runtime, "0.1.0");
    await tryIt("former", runtime, "0.1.0");
  });
});

describe("a way back", () => {
  it("is the former tag, with --older", async () => {
    git(operator, "checkout", "--quiet", "deploy-1");

    const refused = await deploy();
    const older = await deploy("--older");

    expect([refused.status, older.status], older.output).toEqual([1, 0]);
    expect(refused.output).toContain(`migrations that this version does not know: ${MIGRATION}.`);
    expect(uploaded().code).toBe(releases.former?.code);
    expect(uploaded().tag).toBe(releases.former?.tag);
  });
});
