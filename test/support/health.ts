import { vi } from "vitest";
import { clock } from "../../src/values/clock.ts";

const YEAR_MS = 365 * 24 * 3_600_000;
let now = Date.now() + YEAR_MS;

/**
 * Makes the last result of /health too old to be answered again: stops the Worker's clock a year from now, and a minute
 * later at each call.
 */
export function passHealth(): void {
  now += 60_000;
  vi.spyOn(clock, "now").mockReturnValue(now);
}
