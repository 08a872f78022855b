import { describe, it } from "vitest";
import { SECTIONS } from "../../scripts/conform/sections/index.ts";
import { suiteInWorkerd } from "./sections.ts";

const documents = import.meta.glob<string>("../../docs/contract/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The text of a section of the contract and of its subsections, as one line without links. */
function textOf(section: string): string {
  const [name = "", number = ""] = section.split(", ");
  const [, ...parts] = (documents[`../../docs/contract/${name}.md`] ?? "").split(/^#{2,3} (?=\d)/m);
  const ownParts = parts.filter((part) => part.startsWith(`${number}.`) || part.startsWith(`${number} `));
  return ownParts
    .join(" ")
    .replaceAll(/\]\([^)]*\)|\[(?=[^\]]*\]\()/g, "")
    .replaceAll(/\s+/g, " ");
}

const sections = await Promise.all(SECTIONS.map((makeSection) => makeSection(suiteInWorkerd())));

describe("the sentences of the rules that conform checks", () => {
  it.for(sections)("are in the contract: $name", ({ name, rules }, { expect }) => {
    const text = textOf(name);

    expect(rules.filter(({ sentence }) => !text.includes(sentence))).toEqual([]);
  });
});
