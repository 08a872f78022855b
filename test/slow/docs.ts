import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./command.ts";

export const readDoc = (name: string) => readFileSync(path.join(ROOT, "docs", name), "utf8");

/** The text of a file in docs/ from a heading to the next heading of level 2. */
export function sectionOf(name: string, heading: string): string {
  const [, text = ""] = readDoc(name).split(`\n${heading}`);
  const [section = ""] = text.split("\n## ");
  return section;
}

/** The code blocks of a text in a language, such as "sh". */
export function blocksIn(text: string, language: string): string[] {
  const blocks = text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"));
  return [...blocks].map(([, block = ""]) => block);
}

/** The lines of a block of shell, without comments and empty lines. */
export function commandsIn(block: string): string[] {
  const lines = block.split("\n").map((line) => line.replace(/\s#.*/, "").trim());
  return lines.filter((line) => line !== "");
}

const PAGES = ["README.md", "SECURITY.md", ...readdirSync(path.join(ROOT, "docs")).map((name) => `docs/${name}`)];

/** Every command of the project in the documentation, without pipes and comments. */
export function documentedCommands(): string[] {
  const texts = PAGES.filter((page) => page.endsWith(".md")).flatMap((page) => {
    const text = readFileSync(path.join(ROOT, page), "utf8");
    const inSentences = text.replaceAll(/```[\s\S]*?```/g, "").matchAll(/`([^`]*)`/g);
    return [...blocksIn(text, "sh").flatMap(commandsIn), ...[...inSentences].map(([, code = ""]) => code)];
  });
  const commands = texts.flatMap((text) => [...text.matchAll(/\bnp[mx] [^#)|&]*/g)]).map(([command]) => command.trim());
  // npm's own commands need the network. A sentence may say only `npm run`.
  return [...new Set(commands)].filter((command) => !/^npm (install|audit|ci|pack)\b|^npm run$/.test(command)).sort();
}

/** The name of a command, and its arguments as a shell would split them. */
export function split(command: string): { name: string; args: string[] } {
  const [, own = "", ownText = ""] = /^npm (?:run (?:--silent )?)?([\w:-]+)(?: -- (.*))?$/.exec(command) ?? [];
  const [, name = own, argsText = ownText] = own === "edge" ? (/^([\w-]+) ?(.*)$/.exec(ownText) ?? []) : [];
  const args = [...argsText.replaceAll("$URL", "https://loyalty.example").matchAll(/"[^"]*"|'[^']*'|\S+/g)];
  return { name, args: args.map(([arg]) => arg.replaceAll(/^["']|["']$/g, "")) };
}
