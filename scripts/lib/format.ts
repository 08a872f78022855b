/** Seconds as a progress line says them: `47 s`, `2 min 5 s`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** A number with commas between its thousands. */
export function formatNumber(number: number): string {
  return number.toLocaleString("en");
}

/** Hundredths as a decimal. Exact: a sum may be greater than a number that is exact in JavaScript. */
export function formatHundredths(sum: bigint): string {
  const text = String(sum < 0n ? -sum : sum).padStart(3, "0");
  return `${sum < 0n ? "-" : ""}${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** A number with its noun: `1 line`, `2,000 lines`. */
export function formatCount(number: number, noun: string, nouns = `${noun}s`): string {
  return `${formatNumber(number)} ${number === 1 ? noun : nouns}`;
}

/** How long lines took, and how many there were in a second: `in 47 s, 1,200 lines/s`. */
export function formatRate(lines: number, startedAt: number): string {
  const seconds = Math.max((Date.now() - startedAt) / 1_000, 0.001);
  return `in ${formatDuration(seconds)}, ${formatNumber(Math.round(lines / seconds))} lines/s`;
}

/** How many lines of a long list are printed. */
export const SHOWN_LINES = 20;

/** The first lines of a list, indented, and how many more there are. `count`: the length of the list, if it is longer. */
export function firstLines(lines: readonly string[], count = lines.length): string {
  const more = count > SHOWN_LINES ? [`… and ${formatNumber(count - SHOWN_LINES)} more`] : [];
  return [...lines.slice(0, SHOWN_LINES), ...more].map((line) => `  ${line}`).join("\n");
}
