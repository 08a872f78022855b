import { describe, it } from "vitest";
import { SECTIONS } from "../../scripts/conform/sections/index.ts";
import { suiteInWorkerd } from "./sections.ts";

const documents = import.meta.glob<string>("../../docs/contract/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The text of a numbered section, `interface, 4.2`, with those below it, in one line. */
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

describe("the sentences of the contract's rules", () => {
  it.for(sections.map((section) => [section.cited, section] as const))(
    "stand in %s",
    ([cited, section], { expect }) => {
      const text = textOf(cited);
      const rules = Object.keys({ ...section.reads, ...section.feeds });

      expect(rules.filter((rule) => !text.includes(rule))).toEqual([]);
    },
  );
});
