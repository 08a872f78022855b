/** The value below which this share of the values lies (0.5: the median); NaN without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((first, second) => first - second);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
