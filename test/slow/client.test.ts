import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import path from "node:path";
import { promisify } from "node:util";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { beforeAll, describe, it } from "vitest";
import { sendLines } from "../../scripts/lib/feed-client.ts";
import { devToken } from "../../scripts/lib/tokens.ts";
import * as shapes from "../../src/client/shapes.ts";
import { REACT_NATIVE } from "../support/react-native.ts";
import { CHROMIUM, launchBrowser } from "./chromium.ts";
import { removeFolder, temporaryFolder } from "./clone.ts";
import { ROOT, startProgram, untilPrinted } from "./command.ts";
import { blocksIn, readDoc } from "./docs.ts";
import { serveHttp } from "./http-server.ts";
import { demoToken, startService } from "./service.ts";

// The packed client in another project, which installs no other package.
const run = promisify(execFile);
// While a socket is open, the client polls each 45 seconds or less often. So a sooner message came through the socket.
const LIVE_WITHIN_SECONDS = 5;
const folder = temporaryFolder();
const consumer = path.join(folder, "consumer");
const installed = path.join(consumer, "node_modules", "loyalty-edge");

beforeAll(async () => {
  mkdirSync(consumer);
  await run("npm", ["run", "build"], { cwd: ROOT });
  const { stdout } = await run("npm", ["pack", "./dist/client", "--silent", "--pack-destination", folder], {
    cwd: ROOT,
  });
  writeFileSync(path.join(consumer, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const tarball = path.join(folder, stdout.trim());
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: consumer });
  for (const file of ["types.ts", "calls.js"])
    copyFileSync(path.join(import.meta.dirname, "consumer", file), path.join(consumer, file));
});

/** Compiles the consumer's types.ts with these settings. Resolves with what the compiler prints. */
async function typeCheck(settings: object): Promise<string> {
  const compilerOptions = { strict: true, noEmit: true, target: "es2022", types: [], ...settings };
  writeFileSync(path.join(consumer, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["types.ts"] }));
  return tsc(consumer);
}

function tsc(project: string): Promise<string> {
  return run(path.join(ROOT, "node_modules", ".bin", "tsc"), ["-p", project]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

describe("the packed client", () => {
  it("installs itself and nothing else, in less than 100 KiB", ({ expect }) => {
    const folders = readdirSync(path.join(consumer, "node_modules")).filter((name) => !name.startsWith("."));
    const files = readdirSync(installed);

    expect(folders).toEqual(["loyalty-edge"]);
    expect(files.sort()).toEqual([
      ...["CHANGELOG.md", "LICENSE", "README.md"],
      ...["client", "connection", "entries", "follow"].map((file) => `${file}.d.ts`),
      ...["index.d.ts", "index.js", "package.json"],
      ...["poll", "result", "service", "shapes", "socket", "waiting"].map((file) => `${file}.d.ts`),
    ]);
    const bytes = files.reduce((total, file) => total + statSync(path.join(installed, file)).size, 0);
    expect(bytes).toBeLessThan(100 * 1024);
  });

  it.for([
    ["Node's resolution", { module: "nodenext", lib: ["es2022", "dom"], exactOptionalPropertyTypes: true }],
    ["a bundler's", { module: "esnext", moduleResolution: "bundler", lib: ["es2022", "dom"], skipLibCheck: true }],
  ] as const)("has exact types, with %s and no other package", async ([, settings], { expect }) => {
    expect(await typeCheck(settings)).toBe("");
  });

  it("has the same types of shapes as the source", async ({ expect }) => {
    // The folder is in the project, so that the compiler finds the packages of the source.
    const project = path.join(ROOT, "dist", "shapes-check");
    const code = `import type * as packed from "../client/shapes.js";
      import type * as source from "../../src/client/shapes.ts";
      type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
      declare function same<A, B>(...none: Equal<A, B> extends true ? [] : [never]): void;
      ${Object.keys(shapes)
        .map((name) => `same<packed.${name}, source.${name}>();`)
        .join("\n")}`;
    mkdirSync(project, { recursive: true });
    writeFileSync(path.join(project, "equal.ts"), code);
    const compilerOptions = { noEmit: true, types: [path.join(ROOT, "worker-configuration.d.ts")] };
    const settings = { extends: "../../tsconfig.json", compilerOptions, include: ["equal.ts"] };
    writeFileSync(path.join(project, "tsconfig.json"), JSON.stringify(settings));

    const printed = await tsc(project);
    removeFolder(project);

    expect(printed).toBe("");
    expect(readFileSync(path.join(installed, "shapes.d.ts"), "utf8")).not.toMatch(/\b(any|unknown)\b/);
  });
});

describe("the packed client against the service", () => {
  const ANSWERS = {
    nearbyCampaigns: { id: "k101-double" },
    me: { id: "c1" },
    messages: { group_id: "g1" },
    teamWithLevel: { id: "c471" },
    coupons: { id: "cc0-2-pastry", account: { company: "Blue Cup Coffee" } },
    myCoupons: { id: "cc0-2-pastry" },
    all: { kinds: ["store", "mfg", "digital"], areMany: true, areDistinct: true },
    hasAge: true,
    unchanged: 304,
    fullSearch: { name: "Harbour Street" },
    leaderboard: { employee_id: "e101-1", rank: 1 },
    failure: {
      status: false,
      errorCode: "VALIDATION_EXCEPTION",
      messages: { query: ["must be at least 3 characters"] },
    },
    groups: 2,
    refused: "UNAUTHENTICATED",
    unreachable: true,
  };
  let url: string;
  let token: string;
  let origin: string;

  beforeAll(async () => {
    origin = await serveHttp(servePage);
    const service = await startService(["--persist-to", path.join(folder, "state"), "--cors", origin]);
    url = service.url;
    token = demoToken(service);
  });

  /** Feeds a message to a group of the demo's customer. */
  async function feedMessage(body: string): Promise<void> {
    const line = { record: "message", id: body, group_id: "g1", customer_id: "c6", body };
    const bytes = Buffer.from(JSON.stringify(line));
    await sendLines({ url, token: await devToken({ scope: "feed", accounts: "*" }) }, [{ number: 1, bytes }]);
  }
  // The first change names everything, because the client cannot know what has changed before it listened.
  const CHANGES = [["messages", "coupons", "balance"], ["messages"]];

  /** The functions of the consumer's calls.js, in a runtime that has only what React Native has. */
  async function inReactNative() {
    const entryPoints = [path.join(consumer, "calls.js")];
    const { outputFiles } = await build({
      ...{ entryPoints, bundle: true, write: false, platform: "neutral", mainFields: [] },
      ...{ format: "iife", globalName: "calls" },
    });
    const { AbortController } = REACT_NATIVE;
    const context = createContext({ AbortController, WebSocket, setTimeout, clearTimeout, fetch: plainFetch });
    const realm: { TypeError: typeof TypeError } = runInContext("globalThis", context);
    async function plainFetch(address: string, { method = "GET", headers = {}, body = null }: RequestInit = {}) {
      const answer = await fetch(address, { method, headers, body }).catch((error: Error) => {
        throw new realm.TypeError(error.message);
      });
      return { status: answer.status, headers: answer.headers, text: () => answer.text() };
    }
    runInContext(outputFiles?.[0]?.text ?? "", context);
    return runInContext("calls", context) as {
      callAll(url: string, token: string): Promise<object>;
      listen(url: string, token: string, onReady: () => void): Promise<{ changed: string[][]; message: string }>;
    };
  }

  it("makes every call and hears of a message with what React Native has", async ({ expect }) => {
    const { callAll, listen } = await inReactNative();

    const answers = await callAll(url, token);
    const { changed, message } = await listen(url, token, () => void feedMessage("to-react-native"));

    // The objects are of another realm, and toEqual accepts only copies of them.
    expect(JSON.parse(JSON.stringify(answers))).toMatchObject(ANSWERS);
    expect(JSON.parse(JSON.stringify({ changed, message }))).toEqual({ changed: CHANGES, message: "to-react-native" });
  });

  it("makes every call and hears of a message in Node", async ({ expect }) => {
    const script = `import { callAll, listen } from "./calls.js"; const [url, token] = process.argv.slice(1);
      console.log(JSON.stringify(await callAll(url, token)));
      console.log(JSON.stringify(await listen(url, token, () => console.log("ready"))));`;
    const listening = startProgram("node", ["--input-type=module", "-e", script, url, token], { cwd: consumer });
    await untilPrinted(listening, "ready\n");

    await feedMessage("to-node");

    // The program ends by itself, because the client leaves no socket and no timer.
    expect(await listening.ended).toBe(0);
    const [answers = "", heard = ""] = listening.output().replace("ready\n", "").split("\n");
    expect(JSON.parse(answers)).toMatchObject(ANSWERS);
    const { changed, message, secondsLater } = JSON.parse(heard);
    expect({ changed, message }).toEqual({ changed: CHANGES, message: "to-node" });
    expect(secondsLater).toBeLessThan(LIVE_WITHIN_SECONDS);
  });

  it("does what docs/your-app.md shows, and compiles it strictly", async ({ expect }) => {
    // A call of the client tries three times. So the app gets the coupons only if it calls again.
    const outage = `let failures = 3;
      const send = globalThis.fetch;
      globalThis.fetch = async (input, init) =>
        String(input).includes("/coupons") && failures-- > 0 ? new Response("", { status: 503 }) : send(input, init);`;
    const [example = ""] = blocksIn(readDoc("your-app.md"), "ts");
    const source = `const token: string = ${JSON.stringify(token)};\n${outage}\n${example}`;
    writeFileSync(path.join(consumer, "types.ts"), source.replaceAll("http://127.0.0.1:8787", url));

    const compiled = await typeCheck({ module: "nodenext", lib: ["es2022", "dom"] });
    const app = startProgram(path.join(ROOT, "node_modules", ".bin", "node"), ["types.ts"], { cwd: consumer });
    for (const text of ["Double points, 0.56 miles", "Free pastry", "Elif Eriksson"]) await untilPrinted(app, text);
    app.child.kill("SIGTERM");

    expect(compiled).toBe("");
    await app.ended;
  });

  it.skipIf(CHROMIUM === null)(
    "makes every call and hears of a message on a page of another origin",
    async ({ expect }) => {
      const browser = await launchBrowser();
      try {
        const page = await browser.newPage();
        await page.goto(origin);
        const answers = await page.evaluate(`import("/calls.js").then(({ callAll }) => callAll("${url}", "${token}"))`);
        expect(answers).toMatchObject(ANSWERS);
        const listening = page.evaluate<{ changed: string[][]; message: string; secondsLater: number }>(
          `import("/calls.js").then(({ listen }) => listen("${url}", "${token}", () => { window.isReady = true; }))`,
        );
        await page.waitForFunction("window.isReady");

        await feedMessage("to-a-page");

        const { changed, message, secondsLater } = await listening;
        expect({ changed, message }).toEqual({ changed: CHANGES, message: "to-a-page" });
        expect(secondsLater).toBeLessThan(LIVE_WITHIN_SECONDS);
      } finally {
        await browser.close();
      }
    },
  );
});

const PAGE = `<!doctype html><title>A page</title><script type="importmap">
{ "imports": { "loyalty-edge/client": "/node_modules/loyalty-edge/index.js" } }</script>`;

const servePage: RequestListener = (request, response) => {
  if (request.url === "/") return response.setHeader("Content-Type", "text/html").end(PAGE);
  const file = path.join(consumer, request.url ?? "");
  if (!existsSync(file)) return response.writeHead(404).end();
  return response.setHeader("Content-Type", "text/javascript").end(readFileSync(file));
};
