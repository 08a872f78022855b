import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { cloneCheckout, removeFolder } from "./clone.ts";
import { Cloudflare } from "./cloudflare.ts";
import { running } from "./command.ts";

// The commands of the manual, as an operator types them, against the imitation of Cloudflare's API.

const PAGES = ["docs/deploying.md", "docs/tokens.md"];
const DOMAIN = "loyalty.example";
/** Those that need a browser or a service to talk to, ask nothing of Cloudflare, or deploy as the first test does. */
const ELSEWHERE =
  /^npm run (--silent )?(token|feed|export|start|verify-totals|history|programs|probe|deploy)\b|wrangler( -- login)?$/;

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
  it("goes from nothing to both environments and a program, production on a domain of its own", {
    timeout: 600_000,
  }, async ({ expect }) => {
    const file = path.join(clone, "wrangler.toml");
    const page = readFileSync(path.join(clone, "docs/deploying.md"), "utf8");
    const [ours = "", stagings = ""] = [...page.matchAll(/```toml\n([\s\S]*?)```/g)].map(([, lines = ""]) => lines);
    const config = readFileSync(file, "utf8");
    writeFileSync(
      file,
      config.replace("[assets]", `${ours}\n[assets]`).replace("[env.staging]\n", `[env.staging]\n${stagings}`),
    );

    await run("npm run programs -- add acme");
    for (const environment of ["staging", "", "acme"]) {
      const secret = await run(`npm run wrangler -- secret put JWT_SECRET --env=${environment}`, "a-secret");
      const deployed = await run(environment === "" ? "npm run deploy" : `npm run deploy -- --env ${environment}`);
      expect(secret, secret.output).toMatchObject({ status: 0 });
      expect(deployed, deployed.output).toMatchObject({ status: 0 });
    }

    expect(cloudflare.unknown).toEqual([]);
    expect(cloudflare.scripts.get("loyalty-edge")?.domains).toEqual([DOMAIN]);
    expect(cloudflare.scripts.get("loyalty-edge-staging")?.domains).toEqual([`staging.${DOMAIN}`]);
    expect(cloudflare.scripts.get("loyalty-edge-acme")?.deployments).toBe(2);
    expect(cloudflare.scripts.get("loyalty-edge-acme")?.domains ?? []).toEqual([]);
  });
});

describe("a command of the manual", () => {
  const [newest, older] = [randomUUID(), randomUUID()];

  it.for(COMMANDS)("is one that Cloudflare takes: %s", { timeout: 300_000 }, async (line, { expect }) => {
    cloudflare.databases.clear();
    if (!line.includes("d1 create"))
      ["loyalty-edge", "loyalty-edge-acme"].map((name) => cloudflare.databases.make(name));
    const id = cloudflare.databases.get("loyalty-edge")?.uuid;
    for (const name of ["loyalty-edge", "loyalty-edge-staging"])
      cloudflare.scripts.set(name, {
        secrets: new Set(["JWT_SECRET", "JWT_SECRET_PREVIOUS"]),
        bindings: [
          { name: "CACHE", type: "kv_namespace" },
          { name: "DB", type: "d1", id },
          { name: "INBOXES", type: "durable_object_namespace" },
          { name: "FAN_OUTS", type: "durable_object_namespace" },
        ],
        deployments: 2,
        migrationTag: "inboxes",
        versions: [newest, older],
        history: [newest, older].map((version_id) => [{ version_id, percentage: 100 }]),
      });

    const { status, output } = await run(line.replace("<new>", newest).replace("<old>", older), "a-secret");

    expect(status, output).toBe(0);
    expect(cloudflare.unknown).toEqual([]);
  });
});
