import { describe, it } from "vitest";

// Code cites the contract as `docs/contract/interface.md, 4.2`, and several sections as `…, 1 and 3`. A name in quotes
// is a file that a script reads or writes.

const sources = import.meta.glob<string>(
  [
    "../../{src,scripts,test,examples}/**/*.{ts,js,mjs,html}",
    "../../migrations/*.sql",
    "../../{wrangler.toml,vitest.config.ts}",
  ],
  { query: "?raw", import: "default", eager: true },
);
const documents = import.meta.glob<string>(["../../*.md", "../../{docs,src,examples}/**/*.md"], {
  query: "?raw",
  import: "default",
  eager: true,
});

const DOCUMENT = /(?<!["\w.*/-])((?:[\w-]+\/)*[\w-]+\.md)\b(?:, (\d+(?:\.\d+)?(?:(?:, | and )\d+(?:\.\d+)?)*))?/g;
// A comment may break after the document or between the sections.
const COMMENT_BREAK = /\n\s*(?:\/\/|\*|--)? ?/g;

/** The citations of a text: each document with the sections that are cited. */
function citationsIn(text: string): { path: string; sections: string[] }[] {
  return [...text.replace(COMMENT_BREAK, " ").matchAll(DOCUMENT)].map(([, path = "", sections]) => ({
    path,
    sections: sections?.split(/, | and /) ?? [],
  }));
}

function documentAt(path: string): string | undefined {
  return documents[`../../${path}`];
}

/** The numbers of a document's headings: `1` and `4.2`. */
function sectionsOf(document: string): string[] {
  return [...document.matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm)].map(([, number = ""]) => number);
}

/** What the citations of a text name that is not there. */
function missingIn(text: string): string[] {
  return citationsIn(text).flatMap(({ path, sections }) => {
    const document = documentAt(path);
    if (document === undefined) return [path];
    const numbered = sectionsOf(document);
    return sections.filter((section) => !numbered.includes(section)).map((section) => `${path}, ${section}`);
  });
}

const CITING = Object.entries(sources).filter(([path]) => !path.endsWith("/docs/contract.test.ts"));

describe("the documents that code cites", () => {
  it("are there, with the sections that are cited", ({ expect }) => {
    const missing = CITING.flatMap(([path, text]) => missingIn(text).map((cited) => `${path} cites ${cited}`));

    expect(missing).toEqual([]);
  });

  it("are cited for every endpoint", ({ expect }) => {
    const cited = CITING.flatMap(([, text]) => citationsIn(text)).flatMap(({ sections }) => sections);

    expect(cited).toEqual(expect.arrayContaining(["4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "4.7", "4.8"]));
  });

  it.for([
    ["(nowhere.md, 1)", "nowhere.md"],
    ["(docs/contract/interface.md, 4.19)", "docs/contract/interface.md, 4.19"],
    ["// see docs/contract/feed.md,\n// 1 and 17", "docs/contract/feed.md, 17"],
  ])("are missed in %j", ([text = "", missing], { expect }) => {
    expect(missingIn(text)).toEqual([missing]);
  });
});

describe("the links between documents", () => {
  const links = Object.entries(documents).flatMap(([path, text]) =>
    [...text.matchAll(/\]\((?!https?:)([^)#\s]*\.md)?(?:#([^)\s]+))?\)/g)].map(([, to, anchor]) => ({
      path,
      to,
      anchor,
    })),
  );

  it("lead to documents and headings that are there", ({ expect }) => {
    const broken = links.filter(({ path, to, anchor }) => {
      const target = to === undefined ? documents[path] : documents[resolve(path, to)];
      return target === undefined || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });

    expect(broken).toEqual([]);
  });
});

function resolve(from: string, to: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of to.split("/")) {
    if (part === ".." && parts.at(-1) !== "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(document: string): string[] {
  return [...document.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
