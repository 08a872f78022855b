import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createRequire } from "node:module";
import { connect, createServer, type Socket } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import * as shapes from "../../client/src/shapes.ts";
import { sendLines } from "../../scripts/lib/feed-client.ts";
import { devToken } from "../../scripts/lib/tokens.ts";
import { CHROMIUM, launchBrowser } from "./chromium.ts";
import { removeFolder, temporaryFolder } from "./clone.ts";
import { freePort, ROOT, startProgram, untilPrinted } from "./command.ts";
import { blocksIn, readDoc } from "./docs.ts";
import { serveHttp } from "./http-server.ts";
import { demoToken, startService } from "./service.ts";

// The packed client in another project, which installs no other package.
const run = promisify(execFile);
// While a socket is open, the client polls each 45 seconds or less often. So a sooner message came through the socket.
const LIVE_WITHIN_SECONDS = 5;
const folder = temporaryFolder();
const consumer = path.join(folder, "consumer");
const installedPackage = path.join(consumer, "node_modules", "loyalty-edge");

beforeAll(async () => {
  mkdirSync(consumer);
  const { stdout } = await run("npm", ["pack", "-w", "loyalty-edge", "--silent", "--pack-destination", folder], {
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

const BUNDLER = { module: "esnext", moduleResolution: "bundler", lib: ["es2022", "dom"] };

const MODULES = [
  ...["acts", "calls", "client", "connection", "entries", "follow", "poll", "result", "service", "shapes", "socket"],
  ...["till-bodies", "till-calls", "till", "waiting", "waits"],
];

describe("the packed client", () => {
  it("installs itself and nothing else, in less than 120 KiB", () => {
    const folders = readdirSync(path.join(consumer, "node_modules")).filter((name) => !name.startsWith("."));
    const files = readdirSync(installedPackage, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    const paths = files.map(({ parentPath, name }) => path.join(parentPath, name));

    expect(folders).toEqual(["loyalty-edge"]);
    expect(paths.map((file) => path.relative(installedPackage, file)).sort()).toEqual([
      ...["CHANGELOG.md", "LICENSE", "README.md", "client.d.ts", "client.js", "package.json", "till.d.ts", "till.js"],
      ...MODULES.map((module) => `types/${module}.d.ts`),
    ]);
    const bytes = paths.reduce((total, file) => total + statSync(file).size, 0);
    expect(bytes).toBeLessThan(120 * 1024);
  });

  it.for([
    ["Node's resolution", { module: "nodenext", lib: ["es2022", "dom"], exactOptionalPropertyTypes: true }],
    ["a bundler's", { ...BUNDLER, skipLibCheck: true }],
    // The compiler has node10 no more. Like node10, a mapped path ignores `exports`.
    ["that of node10", { ...BUNDLER, paths: { "loyalty-edge/*": ["./node_modules/loyalty-edge/*"] } }],
  ] as const)("has exact types, with %s and no other package", async ([, settings]) => {
    expect(await typeCheck(settings)).toBe("");
  });

  it("compiles what docs/tills.md shows, strictly", async () => {
    const [example = ""] = blocksIn(readDoc("tills.md"), "ts");
    writeFileSync(path.join(consumer, "types.ts"), example);

    const compilerOutput = await typeCheck({ module: "nodenext", lib: ["es2022", "dom"] });

    expect(compilerOutput).toBe("");
  });

  it("is found by its file's name, as Metro and jest look for it", () => {
    const { resolve } = createRequire(path.join(consumer, "package.json"));

    expect(resolve("./node_modules/loyalty-edge/client")).toBe(resolve("loyalty-edge/client"));
  });

  it("has the same types of shapes as the source", async () => {
    // The folder is in the project, so that the compiler finds the packages of the source.
    const project = path.join(ROOT, "dist", "shapes-check");
    const code = `import type * as packed from "../../client/types/shapes.js";
      import type * as source from "../../client/src/shapes.ts";
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

    const compilerOutput = await tsc(project);
    removeFolder(project);

    expect(compilerOutput).toBe("");
    expect(readFileSync(path.join(installedPackage, "types", "shapes.d.ts"), "utf8")).not.toMatch(/\b(any|unknown)\b/);
  });
});

describe("the packed client against the service", () => {
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

  it.skipIf(CHROMIUM === null)("makes calls and hears of a message on a page of another origin", async () => {
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(origin);
      const answers = await page.evaluate(`import("/calls.js").then(({ callAll }) => callAll("${url}", "${token}"))`);
      const listening = page.evaluate<{ changed: string[][]; message: string; secondsLater: number }>(
        `import("/calls.js").then(({ listen }) => listen("${url}", "${token}", () => { window.isReady = true; }))`,
      );
      await page.waitForFunction("window.isReady");

      await feedMessage("to-a-page");

      expect(answers).toEqual({
        coupon: "season-c1-latte",
        // If the browser sends the ETag of the first answer, its fetch turns the 304 into a 200.
        statuses: [200, 200],
        hasAge: true,
        failure: {
          errorCode: "VALIDATION_EXCEPTION",
          hasId: true,
          messages: { query: ["must be at least 3 characters"] },
        },
      });
      const { changed, message, secondsLater } = await listening;
      // The first change names everything, because the client cannot know what has changed before it listened.
      expect({ changed, message }).toEqual({
        changed: [["messages", "coupons", "balance"], ["messages"]],
        message: "to-a-page",
      });
      expect(secondsLater).toBeLessThan(LIVE_WITHIN_SECONDS);
    } finally {
      await browser.close();
    }
  });

  it("does what docs/your-app.md shows, and compiles it strictly; the service is down at first, and again later", async () => {
    const port = await freePort();
    const [example = ""] = blocksIn(readDoc("your-app.md"), "ts");
    const source = example.replace('"TOKEN"', JSON.stringify(token)).replace("127.0.0.1:8787", `127.0.0.1:${port}`);
    writeFileSync(path.join(consumer, "types.ts"), source);

    const compilerOutput = await typeCheck({ module: "nodenext", lib: ["es2022", "dom"] });
    const app = startProgram(path.join(ROOT, "node_modules", ".bin", "node"), ["types.ts"], { cwd: consumer });
    await untilPrinted(app, "LoyaltyError");
    await sleep(OUTAGE_MS);
    const stopForwarding = await forward(port, url);
    for (const text of ["Double points, 0.56 miles", "Balance: ", "Harbour Street", "Free pastry", "Elif Eriksson"])
      await untilPrinted(app, text);
    stopForwarding();
    await sleep(OUTAGE_MS);
    await feedMessage("after-an-outage");
    await forward(port, url);
    await untilPrinted(app, "after-an-outage");
    app.child.kill("SIGTERM");

    expect(compilerOutput).toBe("");
    await app.ended;
  });
});

const OUTAGE_MS = 5_000;

/** Passes the connections to a port on to the service, until the result is called: then the port refuses them. */
async function forward(port: number, url: string): Promise<() => void> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const toService = connect(Number(new URL(url).port), "127.0.0.1");
    for (const end of [socket, toService]) sockets.add(end.on("error", () => {}).unref());
    socket.pipe(toService).pipe(socket);
  });
  await once(server.unref().listen(port, "127.0.0.1"), "listening");
  return () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
}

const PAGE = `<!doctype html><title>A page</title><script type="importmap">
{ "imports": { "loyalty-edge/client": "/node_modules/loyalty-edge/client.js" } }</script>`;

const servePage: RequestListener = (request, response) => {
  if (request.url === "/") return response.setHeader("Content-Type", "text/html").end(PAGE);
  const file = path.join(consumer, request.url ?? "");
  if (!existsSync(file)) return response.writeHead(404).end();
  return response.setHeader("Content-Type", "text/javascript").end(readFileSync(file));
};
