import { describe, it } from "vitest";
import { SECTIONS } from "../../scripts/conform/sections/index.ts";
import { suiteInWorkerd } from "./sections.ts";

const documents = import.meta.glob<string>("../../docs/contract/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The text of a section such as `interface, 4.2`, with its subsections, as one line without links. */
function textOf(cited: string): string {
  const [name = "", number = ""] = cited.split(", ");
  const [, ...parts] = (documents[`../../docs/contract/${name}.md`] ?? "").split(/^#{2,3} (?=\d)/m);
  const own = parts.filter((part) => part.startsWith(`${number}.`) || part.startsWith(`${number} `));
  return own
    .join(" ")
    .replaceAll(/\]\([^)]*\)|\[(?=[^\]]*\]\()/g, "")
    .replaceAll(/\s+/g, " ");
}

const sections = await Promise.all(SECTIONS.map((make) => make(suiteInWorkerd())));

describe("the sentences of the rules that conform checks", () => {
  it.for(sections.map((section) => [section.cited, section] as const))(
    "are in the contract: %s",
    ([cited, section], { expect }) => {
      const text = textOf(cited);
      const rules = Object.keys({ ...section.reads, ...section.feeds });

      expect(rules.filter((rule) => !text.includes(rule))).toEqual([]);
    },
  );
});
