import { onTestFinished, vi } from "vitest";

// A busy machine may need this long until a condition is true.
const LONGEST_MS = 30_000;
const INTERVAL_MS = 20;

/** Waits until a condition is truthy, and resolves with its value. */
export function waitUntil<Value>(condition: () => Value | Promise<Value>) {
  return vi.waitUntil(condition, { timeout: LONGEST_MS, interval: INTERVAL_MS });
}

/** Repeats a check until it does not throw. */
export function waitFor<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: LONGEST_MS, interval: INTERVAL_MS });
}

const LONGEST_STEP_MS = 20;

/**
 * Until the test ends, timers and clocks follow a fake clock, which follows the real clock in steps of at most 20 ms.
 * So delays of a busy machine hardly count. This works only for Workers that the test calls itself, because the runtime
 * does not let one request run the timers of another.
 */
export function countOwnTime(): void {
  const realNow = performance.now.bind(performance);
  let before = realNow();
  vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout"] });
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
    vi.useRealTimers();
  });
  void (async () => {
    for (;;) {
      await scheduler.wait(LONGEST_STEP_MS / 4);
      if (isOver) return;
      const now = realNow();
      await vi.advanceTimersByTimeAsync(Math.min(Math.round(now - before), LONGEST_STEP_MS));
      before = now;
    }
  })();
}

/** Gives pending work a moment to set its timers, then moves the fake clock on at once. */
export async function passFakeTime(milliseconds: number): Promise<void> {
  await scheduler.wait(50);
  await vi.advanceTimersByTimeAsync(milliseconds);
}

/** The result of some work, and how long the work took. */
export async function timed<Value>(work: Promise<Value>): Promise<{ value: Value; milliseconds: number }> {
  const startedAt = performance.now();
  const value = await work;
  return { value, milliseconds: performance.now() - startedAt };
}
