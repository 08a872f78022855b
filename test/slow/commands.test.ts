import path from "node:path";
import { describe, it } from "vitest";
import { signClaims } from "../../scripts/lib/sign.ts";
import { cloneCheckout, removeFolder } from "./clone.ts";
import { freePort, isRunning, pressCtrlC, startProgram, untilPrinted } from "./command.ts";
import { inProcess } from "./in-process.ts";

// The first tests run each command in a clone in which no command has run before. The others make errors in arguments.

interface Trial {
  stdin?: string;
  /** The exit status of a command that ends by itself. Without a status, the test presses Ctrl-C. */
  status?: number;
  /** A part of the output. The test presses Ctrl-C once the command has printed it. */
  says: string | RegExp;
}

const NO_SERVICE: Trial = {
  stdin: '{"record": "customer", "id": "ada", "first_name": "Ada", "last_name": "Lovelace"}',
  status: 1,
  says: "The service cannot be reached",
};

// Other files press Ctrl-C in npm start, deploy, conform, export, feed and probe.
const TRIALS: Record<string, Trial> = {
  "npm run wrangler -- tail --env acme": { status: 1, says: "It must be production or staging." },
  "npm run programs -- list": { status: 0, says: "loyalty-edge-staging" },
  "npm run wrangler -- versions upload --env= --dry-run": { status: 0, says: "--dry-run: exiting now." },
  "npm run wrangler -- deploy --config examples/front/wrangler.toml --dry-run": { status: 0, says: "env.GLOBEX" },
  "npm run --silent token -- customer c1": { status: 0, says: /^ey[\w-]+\.ey[\w-]+\.[\w-]+$/m },
  "npm run export -- program.ndjson --url http://127.0.0.1:PORT": NO_SERVICE,
  "npm run feed -- - --url http://127.0.0.1:PORT": NO_SERVICE,
  "npm run changes -- changes.ndjson --url http://127.0.0.1:PORT": NO_SERVICE,
  "npm run customer -- export ada ada.ndjson --url http://127.0.0.1:PORT": NO_SERVICE,
  "npm run conform -- --url http://127.0.0.1:PORT": NO_SERVICE,
  "npm run deploy": { status: 1, says: "CLOUDFLARE_API_TOKEN" },
  "node scripts/run.mjs nothing": { status: 1, says: "There is no command nothing. Two lists have all" },
  "npm run edge": { status: 0, says: "  verify-totals  Compare all derived data" },
  "npm run edge -- --help": { status: 0, says: "  verify-totals  Compare all derived data" },
  "npm run edge -- types": { status: 0, says: "wrangler types" },
  "npm run edge -- schema": { status: 0, says: "docs/schema.sql holds" },
  "npm pack -w loyalty-edge": { status: 0, says: ".tgz" },
  "npm run edge -- fuzz --runs 100000": { says: "RUN" },
  "npm run edge -- simulate": { says: "Simulating" },
  "npm run edge -- bench --scale 100k": { says: "Loading 100k" },
  // Ctrl-C would leave behind the services that a test has started.
  "npm run test:slow -- install -t 'nothing has this name'": { status: 0, says: "skipped" },
  "npm test": { says: "lint and format: good" },
};

const clone = cloneCheckout();

/** The environment of somebody who has neither run npm nor logged in to Cloudflare. */
function strangerEnv(): Record<string, string> {
  const inherited = Object.keys(process.env).filter((name) =>
    /^(npm_|INIT_CWD|NODE_ENV|VITEST|TEST$|CLOUDFLARE_)/i.test(name),
  );
  const cleared = Object.fromEntries(inherited.map((name) => [name, ""]));
  return { ...cleared, XDG_CONFIG_HOME: path.join(clone, ".config"), HOME: clone, CI: "" };
}

const STACK = /^ {4}at /m;

describe("on a fresh clone", () => {
  it.for(Object.entries(TRIALS))("%s", async ([line, { status, says, stdin = "" }], { expect }) => {
    for (const name of ["dist", ".wrangler", ".dev.vars"]) removeFolder(path.join(clone, name));
    // Ctrl-C reaches the shell too. With this trap the shell survives, so that it can pass on the command's status.
    const text = `trap : INT; ${line.replace("PORT", String(await freePort()))}; exit $?`;

    const run = startProgram("sh", ["-c", text], { stdin, cwd: clone, env: strangerEnv() });

    if (status === undefined) {
      await untilPrinted(run, String(says));
      pressCtrlC(run);
      expect(await run.ended, run.output()).toBe(130);
      expect(run.output()).toContain("Stopped.");
      // The last process may need a moment to end.
      await expect.poll(() => isRunning(run)).toBe(false);
    } else {
      expect(await run.ended, run.output()).toBe(status);
      expect(run.output()).toMatch(says);
    }
    expect(run.output()).not.toMatch(STACK);
  });
});

describe("scripts/lib/main.ts", () => {
  it("prints no stack of what fails because of Ctrl-C", async ({ expect }) => {
    const run = startProgram("node", ["scripts/lib/main.ts", "../test/slow/stopped-command"]);

    await untilPrinted(run, "Ready.");
    pressCtrlC(run);

    expect(await run.ended).toBe(130);
    expect(run.output()).toBe("Ready.\nStopped.\n");
  });
});

describe("a command of the project", () => {
  it.for([
    [["start", "--wrong"], "unknown option '--wrong'"],
    [["start", "--persist-to", "package.json/state"], "package.json"],
    [["start", "--port", "99999"], "It must be a whole number, 1 to 65,535."],
    [["start", "--cors", "http://localhost:5173/"], "http://localhost:5173/ must be like http://localhost:5173,"],
    [["start", "--cors", "http://localhost:5173,foo"], "foo must be like http://localhost:5173,"],
    [["start", "--env", "acme"], "It must be production or staging."],
    [["fuzz", "--runs", "many"], "It must be a whole number, 0 to 999,999,999."],
    [["token"], "Usage: npm run token"],
    [["token", "customer"], "missing required argument 'id'"],
    [["token", "customer", ""], "It must be 1 to 64 characters."],
    [["token", "feed", "165,,x"], "It must be"],
    [["token", "customer", "c1", "--expires-in", "0d"], "It must be a number of at most four digits with m, h or d"],
    [["token", "customer", "c1", "--expires-in", "99999d"], "It must be a number of at most four digits"],
    [["token", "export", "--secret", "abc"], "Only - is taken, for standard input."],
    [["token", "customer", "c1", "--env", "staging"], ".dev.vars.staging has no JWT_SECRET."],
    [["token", "export", "--env", "staging"], ".dev.vars.staging has no FEED_JWT_SECRET."],
    [["token", "customer", "c1", "--name", "ada"], "unknown option '--name'"],
    [["soak", "--minutes", "none"], "It must be a number of minutes"],
    [["soak", "--connections", "0"], "It must be a whole number, 1 to 999,999,999."],
    [["soak", "--stall", "31"], "It must be a whole number, 0 to 30."],
    [["bench", "--scale", "many"], "10k, 100k or 1m"],
    [["probe", "--url", "http://127.0.0.1:9"], "The service cannot be reached"],
    [["conform", "--tokens", "nowhere.json"], "no such file"],
    [["start", "--var", "JWT_ISUER=x"], "The variables are JWKS_URL"],
    [["start", "--jwks", "https://id.example/keys"], "JWT_AUDIENCE must be set"],
    [["start", "--now", "soon"], "Such as 2026-12-24T18:00:00Z"],
    [["probe"], "required option '--url <url>' not specified"],
    [["conform", "--url", "https://loyalty.example"], "Give JWT_SECRET and FEED_JWT_SECRET in the environment"],
    [["export", "FILE", "--url", "https://loyalty.example"], "Name an export token for this service"],
    [["verify-totals", "--env", "staging"], "state-staging yet: npm start makes it."],
    [["verify-totals", "--persist-to", "nowhere"], "npm start makes it."],
    [["customer", "erase", ""], "It must be 1 to 64 characters."],
    [["customer", "erase"], "Name either a customer or --again RECEIPTS."],
    [["customer", "sell"], "unknown command 'sell'"],
    [["customer", "close", "c1", "all"], "Allowed choices are data, erasure."],
    [["changes"], "missing required argument 'file'"],
    [["changes", "changes.ndjson.gz"], "Name a file without .gz"],
    [["changes", "FILE", "--url", "https://loyalty.example"], "Name an export token for this service"],
    [["feed", "FILE"], "There is no file FILE."],
    [["feed", "package.json/nothing"], "There is no file package.json/nothing."],
    [["feed", "scripts"], "is a folder"],
    [["export", "FILE", "--only", "nothing"], "There is no kind nothing."],
    [["feed", "-", "--from", "0"], "It must be a whole number, 1 to 999,999,999."],
    [["feed", "-", "--url", "https://loyalty.example"], "Name a feed token for this service"],
    [["feed", "-", "--url", "localhost:8921", "--token", "t"], "It must be an address such as http://127.0.0.1:8787."],
    [
      ["customer", "export", "ada", "FILE", "--url", "127.0.0.1:8921"],
      "It must be an address such as http://127.0.0.1:8787.",
    ],
    [["conform", "--url", "localhost:8921"], "It must be an address such as http://127.0.0.1:8787."],
    [["probe", "--url", "loyalty.example"], "It must be an address such as http://127.0.0.1:8787."],
    [["programs", "add", "Acme"], "It must be 1 to 32 of a-z, 0-9 and -."],
    [["programs", "add", "a".repeat(33)], "It must be 1 to 32 of a-z, 0-9 and -."],
    [["programs", "add", "development"], "development is what npm start runs."],
    [["programs", "remove", "acme"], "It must be production or staging."],
    [["programs", "remove", "staging"], "production and staging stay."],
    [["programs"], "Usage: npm run programs"],
    [["build", "everything"], "too many arguments"],
  ] as const)("explains what is wrong with %j", async ([[name, ...args], words], { expect }) => {
    const { status, output } = await inProcess(name, args, {
      env: { LOYALTY_EDGE_TOKEN: "", JWT_SECRET: "", FEED_JWT_SECRET: "" },
    });

    expect(status, output).toBe(1);
    expect(output).toContain(words);
  });

  it.for([
    ["feed", ["feed", "-"], "export", "a feed token (npm run token -- feed '*')"],
    ["feed --sync", ["feed", "FILE", "--sync", "--yes"], "export", "an undo token (npm run token -- undo)"],
    ["feed --compare", ["feed", "FILE", "--compare"], ["feed"], "an export token (npm run token -- export)"],
    ["feed --restore", ["feed", "-", "--restore"], "feed", "a restore token (npm run token -- restore)"],
  ] as const)("says which token %s needs before it begins", async ([, [name, ...args], scope, needs], { expect }) => {
    const token = await signClaims({ scope, sub: "backup", accounts: "*" }, "the secret of a service");

    const { status, output } = await inProcess(name, [...args, "--token", token]);

    expect(status, output).toBe(1);
    expect(output).toBe(`This needs ${needs}: the token has the scope "${scope}".\n`);
  });
});
