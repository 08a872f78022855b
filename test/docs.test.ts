import { describe, it } from "vitest";
import monitoring from "../docs/monitoring.md?raw";
import tokens from "../docs/tokens.md?raw";
import acts from "../docs/what-a-customer-does.md?raw";
import { TOKEN_FAULTS } from "../src/auth/token.ts";
import { checkFields } from "../src/feed/lines.ts";
import { METRICS } from "../src/middleware/metrics.ts";
import { KINDS } from "../src/records/index.ts";

const PAGES: Record<string, string> = import.meta.glob(
  ["../*.md", "../docs/**/*.md", "../client/*.md", "../examples/**/*.md", "../.github/**/*.md"],
  { query: "?raw", import: "default", eager: true },
);

describe("docs/monitoring.md", () => {
  it.for(Object.entries(METRICS))(
    "lists the metrics of a %s in the order of their columns",
    ([event, metrics], { expect }) => {
      const row = monitoring.split("\n").find((line) => line.startsWith(`| \`${event}\` |`)) ?? "";
      const [, , blobs, doubles] = row.split("|").map((cell) => cell.match(/\w+/g) ?? []);

      expect({ blobs, doubles }).toEqual(metrics);
    },
  );
});

describe("docs/tokens.md", () => {
  it("has the cure of every cause for which a token is refused", ({ expect }) => {
    const [, section = ""] = tokens.split("\n## Why a token is refused\n");
    const causes = [...section.matchAll(/^\| `(\w+)` \| ./gm)].map(([, cause]) => cause);

    expect(causes).toEqual(TOKEN_FAULTS);
  });
});

describe("a page of the documentation", () => {
  it.for(Object.entries(PAGES))("has at most 30 links: %s", ([, text], { expect }) => {
    expect([...text.matchAll(/\]\(/g)].length).toBeLessThanOrEqual(30);
  });

  it("is found, wherever it is", ({ expect }) => {
    expect(Object.keys(PAGES).length).toBeGreaterThan(20);
  });
});

describe("docs/what-a-customer-does.md", () => {
  it("has lines that the feed takes", ({ expect }) => {
    const lines = [...acts.matchAll(/`(\{"record": .*?\})`/g)].map(([, line = ""]) => line);

    const bad = lines.filter((line) => "messages" in checkFields(line, KINDS));

    expect(lines.length).toBeGreaterThan(10);
    expect(bad).toEqual([]);
  });
});
