import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it, vi } from "vitest";
import { experimental_getWranglerCommands as wranglerCommands } from "wrangler";
import packageJson from "../../package.json" with { type: "json" };
import { temporaryFolder } from "./clone.ts";
import { ROOT } from "./command.ts";
import { parse, programOf } from "./in-process.ts";

// The parser of each command must accept every use of the command in the documentation. No command runs here.

// Examples name a program that the reader has added.
vi.mock("../../scripts/lib/environments.ts", async (original) => ({
  ...(await original<object>()),
  environmentNames: () => ["production", "staging", "acme"],
}));

const folder = temporaryFolder();
const file = path.join(folder, "tokens.json");
writeFileSync(file, '{"customers": ["a", "b", "c"]}');

const PAGES = ["README.md", "SECURITY.md", ...readdirSync(path.join(ROOT, "docs")).map((name) => `docs/${name}`)];

/** Every command of the project in the documentation, without pipes and comments. */
function documented(): string[] {
  const texts = PAGES.filter((page) => page.endsWith(".md")).flatMap((page) => {
    const text = readFileSync(path.join(ROOT, page), "utf8");
    const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = ""]) =>
      block.split("\n").map((line) => line.replace(/\s#.*/, "")),
    );
    const inline = [...text.replaceAll(/```[\s\S]*?```/g, "").matchAll(/`([^`]*)`/g)].map(([, code = ""]) => code);
    return [...blocks, ...inline];
  });
  const commands = texts.flatMap((text) => [...text.matchAll(/\bnp[mx] [^#)|&]*/g)]).map(([command]) => command.trim());
  // npm's own commands need the network. A sentence may say only `npm run`.
  return [...new Set(commands)].filter((command) => !/^npm (install|audit|ci|pack)\b|^npm run$/.test(command)).sort();
}

/** The name of a command in package.json, and its arguments as a shell would split them. */
function parsed(line: string): { name: string; args: string[] } {
  const [, name = "", rest = ""] = /^npm (?:run (?:--silent )?)?([\w:-]+)(?: -- (.*))?$/.exec(line) ?? [];
  const args = [...rest.replaceAll("$URL", "https://loyalty.example").matchAll(/"[^"]*"|'[^']*'|\S+/g)];
  return { name, args: args.map(([arg]) => arg.replaceAll(/^["']|["']$/g, "")) };
}

/** The arguments that wrangler does not know. */
function unknownToWrangler(args: readonly string[]): string[] {
  const { registry, globalFlags } = wranglerCommands();
  const [words, flags] = [args.filter((arg) => !arg.startsWith("--")), args.filter((arg) => arg.startsWith("--"))];
  let node = registry.subtree.get(words.shift() ?? "");
  while (node?.subtree.has(words[0] ?? "")) node = node.subtree.get(words.shift() ?? "");
  if (node?.definition?.type !== "command") return ["the command"];
  const taken: Record<string, object> = { ...globalFlags, ...node.definition.args };
  const names = flags.map((flag) => /^--([^=]*)/.exec(flag)?.[1] ?? "");
  // A word may be the value of a flag.
  const positional = node.definition.positionalArgs ?? [];
  const isList = positional.some((name) => "array" in (taken[name] ?? {}));
  const tooMany = isList ? [] : words.slice(positional.length + flags.filter((flag) => !flag.includes("=")).length);
  return [...names.filter((name) => !(name in taken)), ...tooMany];
}

describe("a command that the documentation names", () => {
  it.for(documented())("is accepted: %s", async (line, { expect }) => {
    const { name, args } = parsed(line);
    const scripts: Record<string, string> = packageJson.scripts;
    expect(scripts).toHaveProperty([name]);
    if (name === "wrangler") return expect(unknownToWrangler(args)).toEqual([]);
    const [, script = ""] = /^node scripts\/run\.mjs (\S+)$/.exec(scripts[name] ?? "") ?? [];
    if (!readdirSync(path.join(ROOT, "scripts")).includes(`${script}.ts`)) return expect(args).toEqual([]);

    const program = await programOf(script);
    // A page that only names the command, such as "npm run feed".
    if (args.length === 0) return;

    for (const command of [program, ...program.commands]) command.action(() => console.log("Accepted."));
    const given = args.map((arg) => (["FILE", "receipts.ndjson"].includes(arg) ? file : arg));
    const { status, output } = await parse(program, given, { cwd: folder });

    expect(status, output).toBe(0);
    expect(output).toMatch(args.includes("--help") ? /^Usage:/ : "Accepted.");
  });
});
