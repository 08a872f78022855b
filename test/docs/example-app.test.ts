import { describe, it } from "vitest";
import page from "../../examples/app/index.html?raw";

const FILES: Record<string, string> = import.meta.glob("../../examples/app/**/*.{ts,css}", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** A name, not an address that is asked. */
const SVG = "http://www.w3.org/2000/svg";

function linesOf(text: string): number {
  return text.trimEnd().split("\n").length;
}

describe("examples/app", () => {
  it("stays small enough to be read: under 1,300 lines, each file of a view under 150", ({ expect }) => {
    const total = Object.values(FILES).reduce((sum, text) => sum + linesOf(text), 0);
    const views = Object.entries(FILES).filter(([name]) => name.includes("/views/"));

    expect(views.length).toBeGreaterThanOrEqual(6);
    for (const [name, text] of views) expect(linesOf(text), name).toBeLessThan(150);
    expect(total).toBeLessThan(1_300);
  });

  it("loads nothing from elsewhere, and has no code or style in its page", ({ expect }) => {
    for (const text of [page, ...Object.values(FILES)]) expect(text.replace(SVG, "")).not.toMatch(/https?:\/\//);
    expect(page).not.toMatch(/<style|style=|<script>| on\w+=/);
  });
});
