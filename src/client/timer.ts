// A timer counts to 2^31 - 1 milliseconds, 24.8 days; one that is set for longer rings at once.
const LONGEST_MS = 2 ** 31 - 1;

/** A timer that rings after so many milliseconds, and after 24.8 days where they are more: whoever needs longer waits again. */
export function startTimer(ring: () => void, milliseconds: number): ReturnType<typeof setTimeout> {
  return setTimeout(ring, Math.min(milliseconds, LONGEST_MS));
}
