import type { Result } from "./run.ts";

/** A line with the counts of a section, and two lines for every broken rule. */
export function sectionText(section: string, results: readonly Result[]): string {
  const count = (outcome: Result["outcome"]) => results.filter((result) => result.outcome === outcome).length;
  const parts = [`${count("good")} good`];
  for (const outcome of ["broken", "skipped"] as const)
    if (count(outcome) > 0) parts.push(`${count(outcome)} ${outcome}`);
  const broken = results.filter(({ outcome }) => outcome === "broken");
  const texts = broken.map(({ rule, why }) => `  BROKEN ${section}: ${rule}\n    ${why}`);
  return [`${section.padEnd(15)} ${parts.join(", ")}`, ...texts].join("\n");
}

/** How many rules hold, and why others were skipped. */
export function summaryText(results: readonly Result[]): string {
  const withOutcome = (outcome: Result["outcome"]) => results.filter((result) => result.outcome === outcome);
  const [good, broken, skipped] = [withOutcome("good"), withOutcome("broken"), withOutcome("skipped")];
  const reasons = [...new Set(skipped.map(({ why }) => why))].join("; ");
  const skippedText = skipped.length === 0 ? "" : ` Skipped: ${skipped.length}, because ${reasons}.`;
  const checked = good.length + broken.length;
  return `${checked} rules checked: ${good.length} hold, ${broken.length} are broken.${skippedText}`;
}
