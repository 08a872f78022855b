import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { cloneCheckout, removeFolder } from "./clone.ts";
import { freePort, pressCtrlC, printed, ROOT, type Running, running } from "./command.ts";

// Whoever has just cloned the project runs any line of its documentation, before every other.

interface Trial {
  /** What stands in for what a reader has and this machine may not have, or must not touch. */
  with?: readonly string[];
  /** What stands before the pipe. */
  stdin?: string;
  /** It ends by itself, with this status. */
  status?: number;
  /** What it says at its end or, where it goes on, once it has begun: then Ctrl-C ends it. */
  says: string | RegExp;
}

const PORT = "PORT";
const ELSEWHERE = ["--url", `http://127.0.0.1:${PORT}`];
const NO_SERVICE: Trial = {
  with: ELSEWHERE,
  stdin: '{"record": "customer", "id": "ada", "first_name": "Ada", "last_name": "Lovelace"}',
  status: 1,
  says: "The service cannot be reached",
};
const NOBODY: Trial = { status: 1, says: "CLOUDFLARE_API_TOKEN" };
const HELP: Trial = { with: ["--help"], status: 0, says: "GLOBAL FLAGS" };
const JWT: Trial = { status: 0, says: /^ey[\w-]+\.ey[\w-]+\.[\w-]+$/m };
const NO_SECRET: Trial = { status: 1, says: "This machine has no secret of staging." };
const NO_FILE: Trial = { status: 1, says: "There is no file FILE." };
const NO_PROGRAM: Trial = { status: 1, says: "It must be production or staging." };
const NO_DATABASE: Trial = { status: 1, says: /^There is no database in .* yet: npm start makes it\.$/m };
const NO_BUCKET: Trial = { status: 1, says: "wrangler.toml binds no bucket as HISTORY" };
// What comes then, the tests of the command try.
const MIGRATING = "Migrating the local database";

const TRIALS: Record<string, Trial> = {
  "npm start": { with: ["--port", PORT], says: "Ctrl-C stops it" },
  "npm start -- --help": { status: 0, says: "Usage: npm start --" },
  "npm start -- --cors http://localhost:5173": { with: ["--port", PORT], says: MIGRATING },
  "npm start -- --env acme --port 8788": NO_PROGRAM,
  "npm start -- --env staging": { with: ["--port", PORT], says: MIGRATING },
  "npm test": { says: "lint and format: good" },
  "npm run build && npm pack ./dist/client --pack-destination dist": { status: 0, says: ".tgz" },
  "npm run build": { status: 0, says: "dist/client" },
  "npm run --silent token -- customer c1": JWT,
  "npm run --silent token -- customer ada": JWT,
  "npm run --silent token -- customer c1 --env acme": NO_PROGRAM,
  "npm run --silent token -- feed '*'": JWT,
  "npm run --silent token -- export": JWT,
  "npm run --silent token -- feed 165,166 --expires-in 90d": JWT,
  "npm run --silent token -- feed '*' --secret -": { ...JWT, stdin: "a-secret" },
  "npm run --silent token -- customer c1 --env staging": { status: 1, says: "This machine has no secret of staging." },
  "npm run --silent token -- restore": JWT,
  "npm run token -- customer c1": JWT,
  "npm run token": { status: 1, says: "Usage: npm run token" },
  "npm run token -- restore": JWT,
  "npm run token -- export": JWT,
  "npm run export -- FILE --url https://loyalty.example": {
    status: 1,
    says: /^Name an export token for this service/m,
  },
  "npm run export -- FILE": NO_SERVICE,
  "npm run export -- FILE --while-feeding": NO_SERVICE,
  "npm run export -- FILE --url http://127.0.0.1:8787": NO_SERVICE,
  "npm run export -- FILE --url http://127.0.0.1:8788": NO_SERVICE,
  "npm run feed -- -": NO_SERVICE,
  "npm run feed -- FILE": NO_FILE,
  "npm run feed -- FILE --url https://loyalty.example": { status: 1, says: /^Name a feed token for this service/m },
  "npm run feed -- - --url $URL": { stdin: "{}", status: 1, says: /^Name a feed token for this service/m },
  "npm run feed -- FILE --check": NO_FILE,
  "npm run feed -- FILE --restore": NO_FILE,
  "npm run feed -- FILE --restore --url http://127.0.0.1:8788": NO_FILE,
  "npm run feed -- FILE --restore --url https://loyalty.example": {
    status: 1,
    says: /^Name a restore token for this service/m,
  },
  "npm start -- --port 8788 --persist-to /tmp/drill --no-demo": {
    with: ["--port", PORT, "--persist-to", ".wrangler/drill"],
    says: MIGRATING,
  },
  "npm run verify-totals -- --persist-to /tmp/drill": {
    with: ["--persist-to", ".wrangler/drill"],
    status: 1,
    says: /^There is no database in .*drill yet: npm start makes it\.$/m,
  },
  "npm run feed": { status: 1, says: "missing required argument 'file'" },
  "npm run verify-totals": NO_DATABASE,
  "npm run verify-totals -- --env acme": NO_PROGRAM,
  "npm run verify-totals -- --remote": NOBODY,
  "npm run verify-totals -- --remote --repair": NOBODY,
  "npm run verify-totals -- --remote --env staging": NOBODY,
  "npm run verify-totals -- --remote --env acme": NO_PROGRAM,
  "npm run verify-totals -- --history": NO_BUCKET,
  "npm run verify-totals -- --history --persist-to /tmp/drill": NO_BUCKET,
  "npm run history": { status: 1, says: "Usage: npm run history --" },
  "npm run history -- status": { status: 1, says: "HISTORY_MONTHS is not set in wrangler.toml" },
  "npm run history -- status --remote": { status: 1, says: "HISTORY_MONTHS is not set in wrangler.toml" },
  "npm run history -- copy segments": NO_BUCKET,
  "npm run history -- restore segments": NO_BUCKET,
  "npm run history -- restore segments --persist-to /tmp/drill": NO_BUCKET,
  "npm run history -- copy segments --remote --env acme": NO_PROGRAM,
  "npm run history -- restore segments --remote --env acme": NO_PROGRAM,
  "npm run history -- drop-bodies c1": NO_BUCKET,
  "npm run history -- drop-bodies --message m1": NO_BUCKET,
  "npm run --silent token -- export --expires-in 90d": JWT,
  "npm run history -- copy /backups/segments --remote": NO_BUCKET,
  "npm run wrangler -- r2 bucket create loyalty-edge-backups": HELP,
  "npm run wrangler -- r2 bucket create loyalty-edge-history": HELP,
  "npm run programs -- list": { status: 0, says: "loyalty-edge" },
  "npm run programs -- add acme": { status: 0, says: "the Worker loyalty-edge-acme" },
  "npm run programs -- remove acme": NO_PROGRAM,
  "npm run conform": { with: ELSEWHERE, status: 1, says: "The service cannot be reached" },
  "npm run conform -- --url https://loyalty.example": { status: 1, says: "Give JWT_SECRET in the environment" },
  "npm run conform -- --url https://loyalty.example --tokens FILE": { status: 1, says: "no such file" },
  "npm run conform -- --url https://loyalty.example --read-only": {
    status: 1,
    says: "Give JWT_SECRET in the environment",
  },
  "npm run --silent token -- customer ada --env staging": NO_SECRET,
  "npm run --silent token -- export --env staging": NO_SECRET,
  "npm run --silent token -- feed '*' --env staging": NO_SECRET,
  "npm run probe": { with: ELSEWHERE, ...NO_SECRET },
  "npm run probe -- --url $URL --deploy": { status: 1, says: /^Name an export token for this service/m },
  "npm run deploy": NOBODY,
  "npm run deploy -- --env staging": NOBODY,
  "npm run deploy -- --env acme": NO_PROGRAM,
  "npm run deploy -- --all": NOBODY,
  "npm run deploy -- --migrate": NOBODY,
  "npm run deploy -- --dry-run": { status: 0, says: "Nothing was deployed." },
  "npm run bench": { says: "Loading 10k" },
  "npm run bench -- --scale 10k,100k,1m --rounds 200 --docs": { says: "Loading 10k" },
  "npm run bench:history": { says: "Filling" },
  "npm run types": { status: 0, says: "wrangler types" },
  "npm run schema": { status: 0, says: "docs/schema.sql holds" },
  "npm run soak": { with: ["--port", PORT], says: MIGRATING },
  "npm run soak -- --stall 20": { with: ["--port", PORT], says: MIGRATING },
  "npm run soak -- --minutes 60 --connections 200 --seed 7 --json report.json": {
    with: ["--port", PORT],
    says: MIGRATING,
  },
  "npm run fuzz -- --runs 100000": { says: "RUN" },
  "npm run fuzz -- --runs 100000 --seed 1": { says: "RUN" },
  "npm run simulate": { says: "Simulating" },
  "npm run simulate -- --seed 7 --steps 100000 --log simulation.log": { says: "Simulating" },
  // Ctrl-C would leave what its tests have started to itself.
  "npm run test:slow": { with: ["install", "-t", "nothing has this name"], status: 0, says: "skipped" },
  "npm run wrangler -- login": HELP,
  "npm run wrangler -- secret put JWT_SECRET --env staging": HELP,
  "npm run wrangler -- secret put JWT_SECRET --env=": HELP,
  "npm run wrangler -- secret put JWT_SECRET --env acme": HELP,
  "npm run wrangler -- secret put JWT_SECRET_PREVIOUS --env=": HELP,
  "npm run wrangler -- secret delete JWT_SECRET_PREVIOUS --env=": HELP,
  "npm run wrangler -- d1 create loyalty-edge --location weur": HELP,
  "npm run wrangler -- d1 create loyalty-edge-acme --location weur": HELP,
  "npm run wrangler -- tail": HELP,
  "npm run wrangler -- d1 execute DB --remote --env= --command \"UPDATE jobs SET due_at = '' WHERE name = 'merge the search indexes'\"":
    HELP,
  "npm run wrangler -- d1 create loyalty-edge --jurisdiction eu": HELP,
  "npm run wrangler -- r2 bucket create backups --jurisdiction eu": HELP,
  "npm run wrangler -- rollback --env=": HELP,
  "npm run wrangler -- deploy --env= --durable-objects-code-update-mode immediate": {
    with: ["--dry-run"],
    status: 0,
    says: "--dry-run: exiting now.",
  },
  "npm run wrangler -- versions upload --env=": { with: ["--dry-run"], status: 0, says: "--dry-run: exiting now." },
  "npm run wrangler -- versions deploy <new>@10% <old>@90% --env=": HELP,
  "npm run wrangler -- versions deploy <new>@100% --env=": HELP,
  "npm run wrangler -- d1 time-travel info loyalty-edge --timestamp 2026-11-20T09:30:00Z": HELP,
  "npm run wrangler -- d1 time-travel restore loyalty-edge --bookmark …": HELP,
};

const MADE_BY_COMMANDS = ["dist", ".wrangler", ".dev.vars", ".dev.vars.staging"];
const EDITED_BY_COMMANDS = ["wrangler.toml"];
const PAGES = ["README.md", "SECURITY.md", ...readdirSync(path.join(ROOT, "docs")).map((name) => `docs/${name}`)];

/** Every command of the project in the documentation, without a pipe before it or a comment behind it, on a FILE. */
function documented(): string[] {
  const texts = PAGES.filter((page) => page.endsWith(".md")).flatMap((page) => {
    const text = readFileSync(path.join(ROOT, page), "utf8");
    const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = ""]) =>
      block.split("\n").map((line) => line.replace(/\s#.*/, "")),
    );
    const inline = [...text.replaceAll(/```[\s\S]*?```/g, "").matchAll(/`([^`]*)`/g)].map(([, code = ""]) => code);
    return [...blocks, ...inline];
  });
  const commands = texts
    .flatMap((text) => [...text.matchAll(/np[mx] [^#)|]*/g)])
    .map(([command]) => command.trim().replace(/[\w-]+\.ndjson(\.gz)?/, "FILE"));
  // npm's own: they need the network, and nothing of ours.
  return [...new Set(commands)].filter((command) => !/^npm (install|audit|ci)\b/.test(command)).sort();
}

let clone = "";
beforeAll(() => {
  clone = cloneCheckout();
});
afterAll(() => {
  if (clone !== "") removeFolder(clone);
});

/** The environment without what npm says of the command that runs these tests, and without anybody's Cloudflare account. */
function strangerEnv(): Record<string, string> {
  const inherited = Object.keys(process.env).filter((name) =>
    /^(npm_|INIT_CWD|NODE_ENV|VITEST|TEST$|CLOUDFLARE_)/i.test(name),
  );
  const cleared = Object.fromEntries(inherited.map((name) => [name, ""]));
  return { ...cleared, XDG_CONFIG_HOME: path.join(clone, ".config"), HOME: clone, CI: "" };
}

/** Runs a line in a shell, which tells its status also where Ctrl-C has reached the whole group. */
async function start(line: string, { with: more = [], stdin = "" }: Trial): Promise<Running> {
  const port = String(await freePort());
  const extra = more.map((text) => `'${text.replace(PORT, port)}'`).join(" ");
  const separator = more.length > 0 && !line.includes(" -- ") ? " -- " : " ";
  const text = line.replaceAll(/[<>]/g, "") + separator + extra;
  const env = { ...strangerEnv(), URL: "https://loyalty.example" };
  return running("sh", ["-c", `trap : INT; ${text}; exit $?`], { stdin, cwd: clone, env });
}

/** Whether any process of the command's group is left. */
function isRunning({ child }: Running): boolean {
  try {
    return process.kill(-Number(child.pid), 0);
  } catch {
    return false;
  }
}

const STACK = /^ {4}at /m;

describe("on a fresh clone", () => {
  beforeEach(() => {
    for (const name of MADE_BY_COMMANDS) removeFolder(path.join(clone, name));
    for (const name of EDITED_BY_COMMANDS) copyFileSync(path.join(ROOT, name), path.join(clone, name));
  });

  it("every command that the documentation names is tried here", ({ expect }) => {
    expect(documented()).toEqual(Object.keys(TRIALS).sort());
  });

  it.for(Object.entries(TRIALS))(
    "the first command may be: %s",
    { timeout: 300_000 },
    async ([line, trial], { expect }) => {
      const run = await start(line, trial);

      if (trial.status === undefined) {
        await printed(run, String(trial.says));
        pressCtrlC(run);
        expect(await run.ended, run.output()).toBe(130);
        expect(run.output()).toContain("Stopped.");
        // The last of its processes may need a moment.
        await expect.poll(() => isRunning(run)).toBe(false);
      } else {
        expect(await run.ended, run.output()).toBe(trial.status);
        expect(run.output()).toMatch(trial.says);
      }
      expect(run.output()).not.toMatch(STACK);
    },
  );
});

describe("a command of the project", () => {
  const scripts = Object.entries(packageJson.scripts).flatMap(([name, script]) => {
    const [, file] = /^node scripts\/run\.mjs (\S+)$/.exec(script) ?? [];
    return file !== undefined && name !== "prepare" && existsSync(path.join(ROOT, "scripts", `${file}.ts`))
      ? [{ name, file }]
      : [];
  });
  const ours = scripts.filter(({ name }) => name !== "wrangler");

  async function end(...args: string[]) {
    const run = running("node", ["scripts/run.mjs", ...args], { cwd: clone, env: strangerEnv() });
    return { status: await run.ended, output: run.output() };
  }

  it.for(ours)("says how it is used: $name", async ({ file }, { expect }) => {
    const { status, output } = await end(file, "--help");

    expect(status).toBe(0);
    expect(output).toContain("Usage: npm");
  });

  it.for(ours)(
    "says in a line what is wrong with a flag that it does not have: $name",
    async ({ file }, { expect }) => {
      const { status, output } = await end(file, "--wrong");

      expect(status).toBe(1);
      expect(output).toMatch(/^(error: u|U)nknown option .--wrong./m);
      expect(output).not.toMatch(STACK);
    },
  );

  it.for([
    [["start", "--persist-to", "package.json/state"], "package.json"],
    [["start", "--port", "99999"], "It must be 1 to 65535."],
    [["start", "--cors", "http://localhost:5173/"], "http://localhost:5173/ must be like http://localhost:5173,"],
    [["start", "--cors", "http://localhost:5173,foo"], "foo must be like http://localhost:5173,"],
    [["start", "--env", "acme"], "It must be production or staging."],
    [["test", "test/no-such-file"], "There is no test file such as test/no-such-file."],
    [["test-slow", "no-such-file"], "There is no test file such as"],
    [["fuzz", "--runs", "many"], "It must be a whole number."],
    [["soak", "--json", "nowhere/report.json"], "There is no folder"],
    [["bench", "--json", "nowhere/report.json"], "There is no folder"],
    [["bench", "--data", "nowhere.ndjson"], "There is no file nowhere.ndjson."],
    [["token"], "Usage: npm run token"],
    [["token", "customer"], "missing required argument 'id'"],
    [["token", "customer", ""], "It must be 1 to 64 characters."],
    [["token", "feed", "165,,x"], "It must be"],
    [["conform", "--patience", "long"], "It must be a whole number."],
    [["token", "customer", "c1", "--expires-in", "0d"], "It must be a number with m, h or d behind it"],
    [["token", "export", "--secret", "abc"], "It must be -, for standard input"],
    [["deploy", "--env", "nowhere"], "It must be production or staging."],
    [["verify-totals", "--env", "staging"], "state-staging yet: npm start makes it."],
    [["verify-totals", "--env", "nowhere", "--remote"], "It must be production or staging."],
    [["verify-totals", "--persist-to", "nowhere"], "npm start makes it."],
    [["history", "drop-bodies", ""], "It must be 1 to 64 characters."],
    [["history", "drop-bodies"], "Name either a customer or a --message."],
    [["history", "drop-bodies", "c1", "--message", "m1"], "Name either a customer or a --message."],
    [["history", "sell"], "unknown command 'sell'"],
    [["feed", "package.json/nothing"], "There is no file package.json/nothing."],
    [["build", "everything"], "too many arguments"],
    [["no-such-command"], "There is no command no-such-command."],
  ] as const)("says in a line what is wrong with %j", async ([args, words], { expect }) => {
    const { status, output } = await end(...args);

    expect(status, output).toBe(1);
    expect(output).toContain(words);
    expect(output).not.toMatch(STACK);
  });
});
