import { describe, it } from "vitest";
import dependencies from "../docs/dependencies.md?raw";
import monitoring from "../docs/monitoring.md?raw";
import packageJson from "../package.json" with { type: "json" };
import { METRICS } from "../src/middleware/metrics.ts";
import wrangler from "../wrangler.toml?raw";

const sources = import.meta.glob<string>(
  [
    "../{src,scripts,test,examples}/**/*.{ts,js,mjs,html}",
    "../migrations/*.sql",
    "../{wrangler.toml,vitest.config.ts}",
  ],
  { query: "?raw", import: "default", eager: true },
);
const documents = import.meta.glob<string>(["../*.md", "../{docs,src,examples}/**/*.md"], {
  query: "?raw",
  import: "default",
  eager: true,
});

// Code cites the contract as `docs/contract/interface.md, 4.2`, or with several sections: `…, 1 and 3`. A name in
// quotes is no citation, but a file that a script reads or writes.
const CITATION = /(?<!["\w.*/-])((?:[\w-]+\/)*[\w-]+\.md)\b(?:, (\d+(?:\.\d+)?(?:(?:, | and )\d+(?:\.\d+)?)*))?/g;
// A comment may break after the document or between the sections.
const COMMENT_BREAK = /\n\s*(?:\/\/|\*|--)? ?/g;

const headingsOf = (document: string) => [...document.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);

/** The citations of a text that name a document or a section that does not exist. */
function wrongCitationsIn(text: string): string[] {
  return [...text.replace(COMMENT_BREAK, " ").matchAll(CITATION)].flatMap(([, path = "", sections = ""]) => {
    const document = documents[`../${path}`];
    if (document === undefined) return [path];
    const numbers = headingsOf(document).map((heading) => /^[\d.]*\d/.exec(heading)?.[0]);
    return sections
      .split(/, | and /)
      .filter((section) => section !== "" && !numbers.includes(section))
      .map((section) => `${path}, ${section}`);
  });
}

describe("the documents", () => {
  it.for([
    ["(nowhere.md, 1)", "nowhere.md"],
    ["// see docs/contract/feed.md,\n// 1 and 17", "docs/contract/feed.md, 17"],
  ] as const)("have the sections that code cites; a wrong citation is found: %j", ([text, wrong], { expect }) => {
    const code = Object.entries(sources).filter(([path]) => !path.endsWith("/docs.test.ts"));

    expect(wrongCitationsIn(text)).toEqual([wrong]);
    expect(
      code.flatMap(([path, source]) => wrongCitationsIn(source).map((citation) => `${path}: ${citation}`)),
    ).toEqual([]);
  });

  it("link to documents and headings that exist", ({ expect }) => {
    const broken = Object.entries(documents).flatMap(([path, text]) =>
      [...text.matchAll(/\]\((?!https?:)([^)#\s]*\.md)?(?:#([^)\s]+))?\)/g)].flatMap(([link, to, anchor]) => {
        const target = to === undefined ? path : new URL(to, `file:///test/${path}`).pathname.replace("/", "../");
        const document = documents[target];
        const isThere = anchor === undefined || (document && headingsOf(document).map(toAnchor).includes(anchor));
        return document !== undefined && isThere ? [] : [`${path}: ${link}`];
      }),
    );

    expect(broken).toEqual([]);
  });

  it.for(Object.entries(METRICS))(
    "list the metrics of a %s by the columns of their points",
    ([event, metrics], { expect }) => {
      const row = monitoring.split("\n").find((line) => line.startsWith(`| \`${event}\` |`)) ?? "";
      const [, , blobs, doubles] = row.split("|").map((cell) => cell.match(/\w+/g) ?? []);

      expect({ blobs, doubles }).toEqual(metrics);
    },
  );
});

/** The anchor of a heading, as GitHub makes it. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

describe("the dependencies", () => {
  const versions = { ...packageJson.dependencies, ...packageJson.devDependencies };

  it("have exact versions, and each has a reason in docs/dependencies.md", ({ expect }) => {
    const named = [...dependencies.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);

    expect(named.sort()).toEqual(Object.keys(versions).sort());
    for (const version of Object.values(versions)) expect(version).toMatch(/^(npm:.+@)?\d+\.\d+\.\d+(-[\w.]+)?$/);
  });
});

describe("wrangler.toml", () => {
  it("does not set the flag with which sessions of D1 hang once there are replicas", ({ expect }) => {
    // https://github.com/emdash-cms/emdash/issues/1715
    expect(wrangler).toMatch(/^compatibility_flags = \[.*"nodejs_compat".*\]$/m);
    expect(wrangler).not.toContain("global_fetch_strictly_public");
  });
});
