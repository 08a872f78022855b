import { onTestFinished, vi } from "vitest";

// Long enough for a busy machine: what comes at all comes sooner.
const LONGEST_MS = 30_000;

/** Resolves with what it comes to, once that is truthy. */
export function waitUntil<Value>(condition: () => Value | Promise<Value>, interval = 20) {
  return vi.waitUntil(condition, { timeout: LONGEST_MS, interval });
}

/** Resolves once it does not throw any more. */
export function waitFor<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: LONGEST_MS, interval: 20 });
}

const LONGEST_STEP_MS = 20;

/**
 * Until the test ends, timers and clocks go by a clock that this isolate moves on itself: as the real one does, but in
 * steps of 20 ms at most. So time in which the machine is busy with something else, or stands still, hardly counts. It is
 * for Workers that the test calls itself, since the runtime lets no request's timer be run by another.
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

/** Lets so much of the isolate's own time pass at once, for those who wait for a timer by now. */
export async function passOwnTime(milliseconds: number): Promise<void> {
  await scheduler.wait(50);
  await vi.advanceTimersByTimeAsync(milliseconds);
}
