import { readFileSync } from "node:fs";
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
