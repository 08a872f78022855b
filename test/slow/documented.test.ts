import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it, vi } from "vitest";
import { experimental_getWranglerCommands as wranglerCommands } from "wrangler";
import packageJson from "../../package.json" with { type: "json" };
import { EDGE_COMMANDS } from "../../scripts/lib/options.ts";
import { temporaryFolder } from "./clone.ts";
import { ROOT } from "./command.ts";
import { documentedCommands, split } from "./docs.ts";
import { parse, programOf } from "./in-process.ts";

// Checks that the parser of each command accepts every use of the command in the documentation. No command runs here.

// Examples name a program that the reader has added.
vi.mock("../../scripts/lib/environments.ts", async (original) => ({
  ...(await original<object>()),
  environmentNames: () => ["production", "staging", "acme"],
}));

const folder = temporaryFolder();
const existingFile = path.join(folder, "tokens.json");
writeFileSync(existingFile, '{"customers": ["a", "b", "c"]}');

/** The arguments that wrangler does not know. */
function unknownToWrangler(args: readonly string[]): string[] {
  const { registry, globalFlags } = wranglerCommands();
  const words = args.filter((arg) => !arg.startsWith("--"));
  const flags = args.filter((arg) => arg.startsWith("--"));
  let node = registry.subtree.get(words.shift() ?? "");
  while (node?.subtree.has(words[0] ?? "")) node = node.subtree.get(words.shift() ?? "");
  if (node?.definition?.type !== "command") return ["the command"];
  const knownArgs: Record<string, object> = { ...globalFlags, ...node.definition.args };
  const flagNames = flags.map((flag) => /^--([^=]*)/.exec(flag)?.[1] ?? "");
  const unknownFlags = flagNames.filter((name) => !(name in knownArgs));
  const positional = node.definition.positionalArgs ?? [];
  if (positional.some((name) => "array" in (knownArgs[name] ?? {}))) return unknownFlags;
  // A word may be the value of a flag.
  const flagsWithoutValue = flags.filter((flag) => !flag.includes("="));
  return [...unknownFlags, ...words.slice(positional.length + flagsWithoutValue.length)];
}

describe("a command that the documentation names", () => {
  it.for(documentedCommands())("is accepted: %s", async (line, { expect }) => {
    const { name, args } = split(line);
    const scripts: Record<string, string> = packageJson.scripts;
    expect(Object.keys({ ...scripts, ...EDGE_COMMANDS })).toContain(name);
    expect(line.includes("run edge"), "typed with its own npm script, or by npm run edge").toBe(
      !(name in scripts) || name === "edge",
    );
    if (name === "wrangler") return expect(unknownToWrangler(args)).toEqual([]);
    const [, script = name] = /^node scripts\/run\.mjs (\S+)/.exec(scripts[name] ?? "") ?? [];
    if (!readdirSync(path.join(ROOT, "scripts")).includes(`${script}.ts`)) return expect(args).toEqual([]);

    const program = await programOf(script);
    // Some pages only name the command, such as "npm run feed".
    if (args.length === 0) return;

    for (const command of [program, ...program.commands]) command.action(() => console.log("Accepted."));
    const argsWithFile = args.map((arg) => (["FILE", "receipts.ndjson"].includes(arg) ? existingFile : arg));
    const { status, output } = await parse(program, argsWithFile, { cwd: folder });

    expect(status, output).toBe(0);
    expect(output).toMatch(args.includes("--help") ? /^Usage:/ : "Accepted.");
  });
});

describe("npm run edge", () => {
  it("lists the commands that have no npm script, all of them", ({ expect }) => {
    const files = readdirSync(path.join(ROOT, "scripts")).filter((name) => name.endsWith(".ts"));
    const names = files.map((name) => path.basename(name, ".ts"));

    expect(names.filter((name) => !(name in packageJson.scripts))).toEqual(Object.keys(EDGE_COMMANDS));
  });

  it.for(Object.entries(EDGE_COMMANDS))(
    "says what %s is for, as its own help does",
    async ([name, text], { expect }) => {
      expect((await programOf(name)).description()).toBe(text);
    },
  );
});
