/** When the primary does not answer: once a minute from `firstAt` on, each time for `milliseconds`. */
export interface Stalls {
  /** In milliseconds since 1970. */
  firstAt: number;
  /** 0: there are no stalls. */
  milliseconds: number;
}

const STALL_EVERY_MS = 60_000;
// How long after its end a stall excuses errors. The circuit breaker refuses requests for up to six more seconds.
const AFTER_STALL_MS = 10_000;

/** How many stalls have begun. */
export function countStalls({ firstAt, milliseconds }: Stalls): number {
  if (milliseconds === 0) return 0;
  return Math.max(0, Math.floor((Date.now() - firstAt) / STALL_EVERY_MS) + 1);
}

/** When the latest stall ends or has ended; 0: none has begun. */
export function endOfStall(stalls: Stalls): number {
  const count = countStalls(stalls);
  return count === 0 ? 0 : stalls.firstAt + (count - 1) * STALL_EVERY_MS + stalls.milliseconds;
}

/** Whether a request that has just failed may have failed because of a stall. */
export function excuses(stalls: Stalls, startedAt: number): boolean {
  return startedAt < endOfStall(stalls) + AFTER_STALL_MS;
}
