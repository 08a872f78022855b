import type { Result } from "./run.ts";

/** A section in a line, with every rule that is broken below it. */
export function sectionText(cited: string, results: readonly Result[]): string {
  const count = (end: Result["end"]) => results.filter((result) => result.end === end).length;
  const parts = [`${count("good")} good`];
  for (const end of ["broken", "skipped"] as const) if (count(end) > 0) parts.push(`${count(end)} ${end}`);
  const broken = results.filter(({ end }) => end === "broken");
  const texts = broken.map(({ says, why }) => `  BROKEN ${cited}: ${says}\n    ${why}`);
  return [`${cited.padEnd(15)} ${parts.join(", ")}`, ...texts].join("\n");
}

/** How many rules hold, and why others were skipped. */
export function summaryText(results: readonly Result[]): string {
  const of = (end: Result["end"]) => results.filter((result) => result.end === end);
  const reasons = [...new Set(of("skipped").map(({ why }) => why))];
  const skipped = of("skipped").length === 0 ? "" : ` Skipped: ${of("skipped").length}, because ${reasons.join("; ")}.`;
  return `${of("good").length + of("broken").length} rules checked: ${of("good").length} hold, ${of("broken").length} are broken.${skipped}`;
}
