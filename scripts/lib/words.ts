/** Seconds as a progress line says them: `47 s`, `2 min 5 s`. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** A number with commas between its thousands. */
export function count(number: number): string {
  return number.toLocaleString("en");
}
