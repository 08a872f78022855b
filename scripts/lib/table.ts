type Cell = string | number;

/** A table of Markdown that is readable in a terminal too. Columns of numbers are aligned to the right. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(3, ...texts.map((row) => row[column]?.length ?? 0)));
  const isNumeric = head.map((_, column) => rows.every((row) => /^[-\d.,×–<> ]*$/.test(String(row[column]))));
  const line = (row: readonly string[]) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return isNumeric[column] ? cell.padStart(width) : cell.padEnd(width);
    });
    return `| ${cells.join(" | ")} |`;
  };
  const rule = widths.map((width, column) => (isNumeric[column] ? `${"-".repeat(width + 1)}:` : "-".repeat(width + 2)));
  return [line(texts[0] ?? []), `|${rule.join("|")}|`, ...texts.slice(1).map(line)].join("\n");
}
