import type { Result } from "./run.ts";

/** A line with the counts of a section, and two lines for every broken rule. */
export function sectionText(section: string, results: readonly Result[]): string {
  const { good = [], broken = [], skipped = [] } = Object.groupBy(results, ({ outcome }) => outcome);
  const parts = [`${good.length} good`];
  if (broken.length > 0) parts.push(`${broken.length} broken`);
  if (skipped.length > 0) parts.push(`${skipped.length} skipped`);
  const texts = broken.map(({ rule, why }) => `  BROKEN ${section}: ${rule}\n    ${why}`);
  return [`${section.padEnd(15)} ${parts.join(", ")}`, ...texts].join("\n");
}

/** How many rules hold, and why others were skipped. */
export function summaryText(results: readonly Result[]): string {
  const { good = [], broken = [], skipped = [] } = Object.groupBy(results, ({ outcome }) => outcome);
  const reasons = [...new Set(skipped.map(({ why }) => why))].join("; ");
  const skippedText = skipped.length === 0 ? "" : ` Skipped: ${skipped.length}, because ${reasons}.`;
  const checked = good.length + broken.length;
  return `${checked} rules checked: ${good.length} hold, ${broken.length} are broken.${skippedText}`;
}
