import { vi } from "vitest";
import { clock } from "../../src/values/clock.ts";

const YEAR_MS = 365 * 24 * 3_600_000;
let now = Date.now() + YEAR_MS;

/**
 * Makes /health forget its last result: stops the Worker's clock a year from now, later at each call, so that no result is
 * still fresh for another test.
 */
export function passHealth(): void {
  now += 60_000;
  vi.spyOn(clock, "now").mockReturnValue(now);
}
