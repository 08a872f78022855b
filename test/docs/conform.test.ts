import { describe, it } from "vitest";
import { Http } from "../../scripts/conform/http.ts";
import { SECTIONS } from "../../scripts/conform/sections/index.ts";
import { Suite } from "../../scripts/conform/suite.ts";
import { Tokens } from "../../scripts/conform/tokens.ts";

// `npm run conform` names a broken rule in the words of the contract, so each of its rules must stand there.

const documents = import.meta.glob<string>("../../docs/contract/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});

const suite = new Suite({
  http: new Http("https://loyalty.example", new AbortController().signal),
  tokens: new Tokens({ secret: "a secret of this test, which guards nothing", claims: {} }),
  handshake: () => Promise.reject(new Error("Nobody is asked here.")),
  settings: { nearbyRadiusMiles: 25, customerSearch: "all", anyOrigin: false },
  mayFeed: false,
});
const sections = await Promise.all(SECTIONS.map((make) => make(suite)));

/** The words of a text, without the marks of lists and tables, links, and the ends of lines. */
function wordsOf(text: string): string {
  return text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("**", "")
    .replaceAll(/[|\s]+/g, " ");
}

/** A section of a document, with those below it. */
function textOf(cited: string): string | undefined {
  const [name, number = ""] = cited.split(", ");
  const text = documents[`../../docs/contract/${name}.md`];
  const from = text?.search(new RegExp(`^#{2,3} ${number.replace(".", "\\.")}\\.? `, "m")) ?? -1;
  if (text === undefined || from === -1) return undefined;
  const level = /^#+/.exec(text.slice(from))?.[0].length ?? 2;
  const rest = text.slice(from).replace(/^.*\n/, "");
  const end = rest.search(new RegExp(`^#{2,${level}} `, "m"));
  return wordsOf(end === -1 ? rest : rest.slice(0, end));
}

/** The numbered sections of the contract with rules to be seen from outside, and what has none. */
const INVISIBLE = [
  ...["programs, 1", "programs, 2", "restore, 3", "feed, 5", "export, 4"],
  // A client does not know what a deployment keeps.
  ...["history, 1", "history, 2", "history, 3", "history, 4", "history, 5", "history, 6"],
];

describe("a rule of the conformance suite", () => {
  it.for(sections)(
    "stands in the section of the contract that it cites: $cited",
    ({ cited, reads, feeds }, { expect }) => {
      const text = textOf(cited);
      const rules = Object.keys({ ...reads, ...feeds });

      expect(text).toBeDefined();
      expect(rules.length).toBeGreaterThan(0);
      expect(rules.filter((rule) => !text?.includes(wordsOf(rule)))).toEqual([]);
    },
  );

  it("there is for every section of the contract that can be seen from outside", ({ expect }) => {
    const numbered = Object.entries(documents).flatMap(([path, text]) => {
      const name = path.replace(/^.*\//, "").replace(".md", "");
      return [...text.matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm)].map(([, number]) => `${name}, ${number}`);
    });
    const cited = [...sections.map((section) => section.cited), ...INVISIBLE];

    // Those of 4 and 5 stand below a heading that says nothing, or whose rules are one section here.
    const uncited = numbered.filter((section) => !cited.includes(section) && !/^interface, (4|5\.\d)$/.test(section));
    expect(uncited).toEqual([]);
  });
});
