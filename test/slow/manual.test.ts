import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { cloneCheckout, removeFolder } from "./clone.ts";
import { Cloudflare } from "./cloudflare.ts";
import { running } from "./command.ts";

// The commands of the manual, each run against an account in which both environments are deployed.

const PAGES = ["docs/deploying.md", "docs/tokens.md"];
const DOMAIN = "loyalty.example";
/** Those that need a browser, a service to talk to, or nothing of Cloudflare. */
const ELSEWHERE =
  /^npm run (--silent )?(token|feed|export|start|verify-totals|programs)\b|wrangler( -- login)?$|--dry-run$/;
/** Those that make what is there already: they are run before. */
const MAKING = /d1 create/;

let clone = "";
let cloudflare: Cloudflare;
let env: Record<string, string> = {};

async function run(line: string, stdin = "") {
  const [, name = "", args = ""] = /^npm run (\S+)(?: -- (.*))?$/.exec(line) ?? [];
  const started = running("node", ["scripts/run.mjs", name, ...args.split(" ").filter((arg) => arg !== "")], {
    cwd: clone,
    env,
    stdin,
  });
  return { status: await started.ended, output: started.output() };
}

/** The commands that the pages name, each once, in their order. */
function commandsOf(pages: readonly string[]): string[] {
  const texts = pages.map((page) => readFileSync(path.join(import.meta.dirname, "../..", page), "utf8"));
  const lines = texts.flatMap((text) => [...text.matchAll(/npm run [^\n`#|)]*/g)].map(([line]) => line.trim()));
  return [...new Set(lines.map((line) => line.replace(/, .*$/, "")))].filter((line) => !ELSEWHERE.test(line));
}

const COMMANDS = commandsOf(PAGES);

beforeAll(async () => {
  clone = cloneCheckout();
  cloudflare = new Cloudflare();
  env = await cloudflare.open();
});
afterAll(() => {
  cloudflare.close();
  removeFolder(clone);
});

describe("the manual", () => {
  it("goes from nothing to both environments, production on a domain of its own", { timeout: 600_000 }, async ({
    expect,
  }) => {
    const file = path.join(clone, "wrangler.toml");
    const page = readFileSync(path.join(clone, "docs/deploying.md"), "utf8");
    const [ours = "", stagings = ""] = [...page.matchAll(/```toml\n([\s\S]*?)```/g)].map(([, lines = ""]) => lines);
    const config = readFileSync(file, "utf8");
    writeFileSync(
      file,
      config.replace("[assets]", `${ours}\n[assets]`).replace("[env.staging]\n", `[env.staging]\n${stagings}`),
    );

    for (const environment of ["staging", ""]) {
      const secret = await run(`npm run wrangler -- secret put JWT_SECRET --env=${environment}`, "a-secret");
      const deployed = await run(environment === "" ? "npm run deploy" : `npm run deploy -- --env ${environment}`);
      expect(secret, secret.output).toMatchObject({ status: 0 });
      expect(deployed, deployed.output).toMatchObject({ status: 0 });
    }

    expect(cloudflare.unknown).toEqual([]);
    expect(cloudflare.scripts.get("loyalty-edge")?.domains).toEqual([DOMAIN]);
    expect(cloudflare.scripts.get("loyalty-edge-staging")?.domains).toEqual([`staging.${DOMAIN}`]);
  });

  it.for(COMMANDS)("has a command that Cloudflare takes: %s", { timeout: 300_000 }, async (line, { expect }) => {
    const script = cloudflare.scripts.get("loyalty-edge");
    const [latest = ""] = script?.versions ?? [];
    if (MAKING.test(line)) cloudflare.databases.clear();
    if (line.includes("delete loyalty-edge-acme")) await run("npm run wrangler -- d1 create loyalty-edge-acme");
    const text = line.replace("<new>", latest).replace("<old>", script?.versions?.[1] ?? "");

    const { status, output } = await run(text, "a-secret");

    expect(status, output).toBe(0);
    expect(cloudflare.unknown).toEqual([]);
  });
});
