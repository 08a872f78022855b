import type { Result } from "./run.ts";

/** A line for a section, and below it every broken rule. */
export function sectionText(cited: string, results: readonly Result[]): string {
  const count = (end: Result["end"]) => results.filter((result) => result.end === end).length;
  const parts = [`${count("good")} good`];
  for (const end of ["broken", "skipped"] as const) if (count(end) > 0) parts.push(`${count(end)} ${end}`);
  const broken = results.filter(({ end }) => end === "broken");
  const texts = broken.map(({ rule, why }) => `  BROKEN ${cited}: ${rule}\n    ${why}`);
  return [`${cited.padEnd(15)} ${parts.join(", ")}`, ...texts].join("\n");
}

/** How many rules hold, and why others were skipped. */
export function summaryText(results: readonly Result[]): string {
  const withEnd = (end: Result["end"]) => results.filter((result) => result.end === end);
  const reasons = [...new Set(withEnd("skipped").map(({ why }) => why))];
  const skipped =
    withEnd("skipped").length === 0 ? "" : ` Skipped: ${withEnd("skipped").length}, because ${reasons.join("; ")}.`;
  return `${withEnd("good").length + withEnd("broken").length} rules checked: ${withEnd("good").length} hold, ${withEnd("broken").length} are broken.${skipped}`;
}
