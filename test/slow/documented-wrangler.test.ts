import { describe, it } from "vitest";
import { SECRET_NAMES } from "../../scripts/lib/sign.ts";
import { LOG_LINE } from "./cloudflare/tail.ts";
import { pressCtrlC, startCommand, untilPrinted } from "./command.ts";
import { clone, openAccount, run, writePrograms } from "./deploying.ts";
import { documentedCommands, split } from "./docs.ts";

// Runs every `npm run wrangler` of the documentation, and of what commands print, against the imitation of Cloudflare.

const NAMES = ["loyalty-edge", "loyalty-edge-staging", "loyalty-edge-acme"];
const BOOKMARK = `00000001-00000001-00000001-${"0".repeat(32)}`;
/** What `npm run programs -- remove` and refusals print. */
const PRINTED = [
  "d1 delete loyalty-edge-acme",
  "kv namespace list",
  "kv namespace delete --namespace-id the-namespace",
  "versions deploy",
  "deploy --dry-run",
];

// wrangler login opens a browser.
const COMMANDS = documentedCommands()
  .map(split)
  .filter(({ name, args }) => name === "wrangler" && !["login", "…"].includes(args[0] ?? ""))
  .map(({ args }) => args.map((arg) => (arg === "…" ? BOOKMARK : arg)));

/** An account with three programs that are deployed. */
async function openPrograms() {
  const { cloudflare, env } = await openAccount({ hasSecrets: false });
  for (const name of NAMES) {
    const script = cloudflare.scripts.make(
      name,
      ...SECRET_NAMES,
      ...SECRET_NAMES.map((secret) => `${secret}_PREVIOUS`),
    );
    script.deployments.push([{ version_id: "first", percentage: 100 }]);
    script.versions.set("first", { ...script });
    cloudflare.databases.make(name).sql.exec("CREATE TABLE jobs (name, due_at)");
  }
  cloudflare.namespaces.set("cache", { title: "cache", id: "the-namespace" });
  return { cloudflare, env };
}

describe("npm run wrangler", () => {
  const lines = [...COMMANDS.map((args) => args.join("\0")), ...PRINTED.map((line) => line.replaceAll(" ", "\0"))];
  const cases = [...new Set(lines)].map((line) => ({ what: line.replaceAll("\0", " "), args: line.split("\0") }));
  it.for(cases)("-- $what", async ({ args }, { expect }) => {
    writePrograms("[production]\n[staging]\n[acme]\n");
    const { cloudflare, env } = await openPrograms();
    // The page makes the database in an empty account.
    if (args.includes("create")) cloudflare.databases.clear();

    if (args[0] === "tail") {
      const tail = startCommand("wrangler", args, { env, cwd: clone });
      await untilPrinted(tail, LOG_LINE);
      pressCtrlC(tail);
      await tail.ended;
    } else {
      const { status, output } = await run("wrangler", args, { env, stdin: "a-secret" });
      expect(status, output).toBe(0);
    }

    expect([...cloudflare.scripts.tails]).toEqual([]);
  });

  it("is in the documentation with what the imitation can do", ({ expect }) => {
    const words = new Set(COMMANDS.map(([word]) => word));

    expect([...words].sort()).toEqual(["d1", "delete", "r2", "secret", "tail"]);
  });
});
