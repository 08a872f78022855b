import type { Miniflare } from "miniflare";
import { afterAll, describe, expect, it } from "vitest";
import { readMigrations } from "../../scripts/lib/migrations.ts";
import { deploymentWith, judgeDeployment, MEASUREMENTS } from "../../scripts/probe/measurements.ts";
import { openProbe, type ProbeClient } from "../../scripts/probe/probe-client.ts";
import { sha256Of } from "../../src/values/sha256.ts";
import { pressCtrlC, startCommand, untilPrinted } from "./command.ts";
import { clone, openAccount, run, STAGING, WORKER } from "./deploying.ts";
import { serveHttp } from "./http-server.ts";
import { runUploaded, type Uploaded } from "./uploaded-workers.ts";

const repeat = (count: number, milliseconds: number) => Array.from({ length: count }, () => milliseconds);
const reads = (milliseconds: number, isPrimary: boolean) => ({
  milliseconds: [milliseconds],
  isPrimary,
  region: "WEUR",
});
const lag = (milliseconds: number) => ({ milliseconds, isPrimary: false });

const PROBE = `${WORKER}-probe`;
const account = await openAccount();
const { cloudflare, env } = account;

/** What was uploaded as the probe's Worker, and as that of staging. */
const uploads: Record<string, Uploaded> = {};
let runtime: Miniflare | undefined;
afterAll(() => runtime?.dispose());

/** Runs the uploaded Workers in workerd, on a migrated database. */
async function startUploaded(): Promise<Miniflare> {
  for (const name of [PROBE, WORKER]) uploads[name] = { ...(cloudflare.scripts.get(name) as Uploaded) };
  const started = runUploaded(Object.entries(uploads).map(([name, uploaded]) => ({ name, uploaded })));
  const d1 = await started.getD1Database("DB", PROBE);
  await d1.batch(readMigrations().flatMap(({ statements }) => statements.map((statement) => d1.prepare(statement))));
  return started;
}

/** Requests to the probe's address are answered by its Worker. */
cloudflare.intercept = async ({ route, body, headers, answer }) => {
  if (route !== `POST /workers.dev/${PROBE}` || !cloudflare.scripts.has(PROBE)) return answer();
  // Each probe has a token of its own.
  if (uploads[PROBE]?.bindings !== cloudflare.scripts.get(PROBE)?.bindings) {
    await runtime?.dispose();
    runtime = await startUploaded();
  }
  const worker = (await (runtime as Miniflare).getWorker(PROBE)) as unknown as { fetch: typeof fetch };
  const answered = await worker.fetch("https://probe.example/", { method: "POST", headers, body });
  return new Response(await answered.text(), { status: answered.status });
};

/** The program's own address: /health with the id of this database. */
const addressOf = (id: string) =>
  serveHttp((_, response) => response.end(JSON.stringify({ items: { program: "staging", database_id: id } })));

function databaseId(): string {
  const row = cloudflare.databases.get(WORKER)?.sql.prepare("SELECT database_id FROM program_state").get();
  return String(row?.database_id);
}

describe("npm run probe", () => {
  it("measures by a Worker of its own, which it deletes, and changes no Worker of the program", async () => {
    const deployed = await run("deploy", STAGING, { env });
    expect(deployed.status, deployed.output).toBe(0);
    const database_id = databaseId();
    const deploymentsBefore = cloudflare.scripts.get(WORKER)?.deployments.length;

    const elsewhere = await run("probe", ["--url", await addressOf("another")], { env });
    const uploadedElsewhere = cloudflare.writes.some((write) => /^(PUT|POST) .*-probe/.test(write));
    const { status, output } = await run("probe", ["--url", await addressOf(database_id)], { env });

    expect(elsewhere.output).toContain("has another database than --env staging. Nothing was changed");
    expect(uploadedElsewhere).toBe(false);
    const figures = output.matchAll(/^(\S.*)\n {2}measured {2}(.+)\n {2}assumed {3}.+\n {2}so {8}(.+)$/gm);
    expect([...figures].map(([, name, measured]) => [name, measured])).toEqual([
      ["Calls to objects at once", expect.stringMatching(/^of 12 that take a second, \d+ ended/)],
      ["Size of a batch at D1", expect.stringMatching(/^1 MiB \d+ ms, 2 MiB .*, 8 MiB [\d,]+ ms$/)],
      ["Round trips to D1", expect.stringMatching(/^p50 of 10: primary \d+ ms .*, nearest \d+ ms/)],
      ["Lag of a replica", "no replica answered"],
      ["Order of bookmarks", expect.stringMatching(/^of 10 writes one after the other, from \S+ to \S+$/)],
      ["From a notification to a fresh read", expect.stringMatching(/^5 of 5 reads fresh, p50 \d+ ms/)],
    ]);
    // workerd runs twelve calls at once, and has no replica.
    expect([status, output]).toEqual([1, expect.stringContaining("2 assumptions are wrong.")]);
    const inboxes = uploads[PROBE]?.bindings.find(({ name }) => name === "INBOXES");
    expect(inboxes).toMatchObject({ class_name: "Inbox", script_name: WORKER });
    expect([...cloudflare.scripts.keys()]).toEqual([WORKER]);
    expect(cloudflare.scripts.get(WORKER)?.deployments.length).toBe(deploymentsBefore);
  });

  it("sees when the object of an open socket runs the new code", async () => {
    const { signal } = new AbortController();
    const token = "of this run";
    const uploaded = { ...(uploads[PROBE] as Uploaded) };
    const bindings = uploaded.bindings.filter(({ name }) => name !== "TOKEN_HASH");
    uploaded.bindings = [...bindings, { name: "TOKEN_HASH", type: "plain_text", text: await sha256Of(token) }];
    const start = (name: string, port?: number) => runUploaded([{ name, uploaded, objectsOf: name }], port);
    let running = start("one");
    const address = await running.ready;
    const client = openProbe({ address: address.href, token }, signal);
    const deploy = async () => {
      await running.dispose();
      running = start("two", Number(address.port));
      await running.ready;
    };

    const { measure } = deploymentWith(deploy, signal);
    const finding = await measure(client).finally(() => running.dispose());

    expect(finding).toEqual({
      measured: expect.stringMatching(/^\d+ s after the deployment$/),
      verdict: "holds",
    });
  });

  it("names Cloudflare Access, which guards the Worker", async () => {
    const url = await addressOf(databaseId());
    const { intercept } = cloudflare;
    const Location = "https://blue-cup.cloudflareaccess.com/cdn-cgi/access";
    cloudflare.intercept = ({ route, answer }) =>
      route.includes("/workers.dev/") ? new Response(null, { status: 302, headers: { Location } }) : answer();

    const { status, output } = await run("probe", ["--url", url], { env });
    cloudflare.intercept = intercept;

    expect([status, output]).toEqual([
      1,
      expect.stringMatching(/^Cloudflare Access guards the addresses at workers\.dev/m),
    ]);
    expect([...cloudflare.scripts.keys()]).toEqual([WORKER]);
  });

  it("is deleted by the next deployment if the probe was killed, and by the probe itself on Ctrl-C", async () => {
    const database_id = databaseId();
    cloudflare.scripts.make(PROBE);
    const deployed = await run("deploy", STAGING, { env });
    const afterDeployment = [...cloudflare.scripts.keys()];

    const probe = startCommand("probe", ["--url", await addressOf(database_id)], { env, cwd: clone });
    await untilPrinted(probe, "Size of a batch at D1 …");
    const whileProbing = [...cloudflare.scripts.keys()];
    pressCtrlC(probe);

    expect(await probe.ended).toBe(130);
    expect([deployed.status, afterDeployment]).toEqual([0, [WORKER]]);
    expect(whileProbing).toEqual([WORKER, PROBE]);
    expect([...cloudflare.scripts.keys()]).toEqual([WORKER]);
  });
});

/** A client of a Worker that gives these answers in turn, the last again and again. */
function clientWith(...answers: object[]): ProbeClient {
  return { measure: async () => (answers.length > 1 ? answers.shift() : answers[0]) } as unknown as ProbeClient;
}

describe("what a probe finds", () => {
  it.for([
    ["calls", "six calls at once", [{ calls: [...repeat(6, 1_010), ...repeat(6, 2_020)] }], "holds"],
    ["calls", "five calls at once, while the others fail", [{ calls: [...repeat(5, 1_010), ..."1234567"] }], "holds"],
    [
      "calls",
      "twelve calls at once",
      [{ calls: repeat(12, 1_010) }],
      "wrong: change CALLS_AT_ONCE in src/inbox/notify.ts to as many as 11",
    ],
    [
      "calls",
      "three calls at once",
      [{ calls: [...repeat(3, 1_010), ...repeat(9, 4_000)] }],
      "wrong: change CALLS_AT_ONCE in src/inbox/notify.ts to 2",
    ],
    ["batch", "batches that are accepted", [{ milliseconds: 1, error: "" }], "holds"],
    [
      "batch",
      "a batch of 4 MiB that is refused",
      [
        { milliseconds: 1, error: "" },
        { milliseconds: 1, error: "" },
        { milliseconds: 1, error: "memory" },
      ],
      "wrong: feeds of 1 MiB of lines get 413",
    ],
    ["reads", "a nearer replica", [reads(90, true), reads(9, false)], "holds"],
    ["reads", "a farther replica", [reads(9, true), reads(90, false)], "wrong: here the primary is nearer"],
    ["reads", "no replica", [reads(9, true), reads(9, true)], "wrong: no replica answered"],
    ["lag", "a lag of a second", [lag(10), lag(1_000)], "holds"],
    ["lag", "a lag of five seconds", [lag(10), lag(5_000)], "wrong: raise BOOKMARK_LIMIT_MS"],
    [
      "lag",
      "a primary that answered because no replica did",
      [{ milliseconds: 4_001, isPrimary: true }],
      "wrong: raise BOOKMARK_LIMIT_MS",
    ],
    ["bookmarks", "bookmarks in order", [{ bookmarks: ["09", "0a", "10"] }], "holds"],
    ["bookmarks", "bookmarks in another order", [{ bookmarks: ["9", "10"] }], "wrong: inboxes and clients"],
    ["frames", "fresh reads", [{ frames: [{ isFresh: true, milliseconds: 900 }] }], "holds"],
    ["frames", "a stale read", [{ frames: [{ isFresh: false, milliseconds: 900 }] }], "wrong: an app must ask again"],
  ] as const)("is judged: %s, %s", async ([measurement, , answers, words], { expect }) => {
    const { verdict } = await MEASUREMENTS[measurement].measure(clientWith(...answers));

    expect(verdict.startsWith(words), verdict).toBe(true);
  });

  it.for([
    ["an object with new code at once", judgeDeployment(0), "holds"],
    ["an object with new code after ten minutes", judgeDeployment(599_000), "wrong: a method is called 599 s after"],
    ["an object that keeps its old code", judgeDeployment(null), "wrong: let more time pass"],
  ] as const)("is judged: %s", ([, { verdict }, words], { expect }) => {
    expect(verdict.startsWith(words)).toBe(true);
  });
});
