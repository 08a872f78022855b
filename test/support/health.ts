import { vi } from "vitest";
import { clock } from "../../src/values/clock.ts";

const YEAR_MS = 365 * 24 * 3_600_000;
let now = Date.now() + YEAR_MS;

/**
 * Lets /health forget what it remembers: stops the Worker's clock at a time far from now, later each time, so that no
 * other test is answered with what was found then.
 */
export function passHealth(): void {
  now += 60_000;
  vi.spyOn(clock, "now").mockReturnValue(now);
}
