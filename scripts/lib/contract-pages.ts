import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { ROOT } from "./project.ts";

const FOLDER = path.join(ROOT, "docs", "contract");

/**
 * The pages of the contract as Markdown, and `/llms.txt`, which lists them (https://llmstxt.org). A link to a page that the
 * service does not have is its text alone.
 */
export function contractPages(): [file: string, text: string][] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".md"));
  const pages = names.map((name) => ({ name, text: readFileSync(path.join(FOLDER, name), "utf8") }));
  const list = pages.map(({ name, text }) => {
    const [heading = "", opening = ""] = text.split("\n\n");
    return `- [${heading.slice("# ".length)}](/contract/${name}): ${withoutLinks(opening).replaceAll("\n", " ")}`;
  });
  return [
    ["llms.txt", `# loyalty-edge\n\n> ${packageJson.description}\n\n${API}\n\n## Contract\n\n${list.join("\n")}\n`],
    ...pages.map(({ name, text }): [string, string] => [`contract/${name}`, withoutOtherLinks(text)]),
  ];
}

const API = "- [OpenAPI document](/openapi.json): every endpoint, field, failure and example.";

const withoutLinks = (text: string) => text.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1");
const withoutOtherLinks = (text: string) => text.replace(/\[([^\]]+)\]\((?!#|https:|\w+\.md)[^)]*\)/g, "$1");
