/** What decides whether a request leaves a log line. */
interface Sampled {
  status: number;
  milliseconds: number;
  /** How often D1 was tried for one call. */
  attempts: number;
  rowsWritten: number;
  /** What successes have in common of which one line tells as much as any other: never a value of a request. */
  kind: string;
}

const SLOW_MS = 500;
const DEFAULT_SAMPLE = 20;

/**
 * Chooses which requests leave a log line. Failures, slow requests, writes, what D1 had to be asked twice for, and the
 * first of its kind always do; of the rest one in so many, because a line is billed and most say the same.
 */
export class LogSample {
  readonly #random: () => number;
  readonly #seen = new Set<string>();

  /** @param random a number from 0 to below 1. */
  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** How many requests the line of this one stands for, itself included; 0: it leaves none. */
  standsFor(request: Sampled, oneIn: number): number {
    if (isUnusual(request) || this.#isFirst(request.kind)) return 1;
    return this.#random() * oneIn < 1 ? oneIn : 0;
  }

  #isFirst(kind: string): boolean {
    const isFirst = !this.#seen.has(kind);
    this.#seen.add(kind);
    return isFirst;
  }
}

function isUnusual({ status, milliseconds, attempts, rowsWritten }: Sampled): boolean {
  return status >= 400 || milliseconds >= SLOW_MS || attempts > 1 || rowsWritten > 0;
}

/** The variable `LOG_SAMPLE`: a whole number from 1. */
export function readLogSample({ LOG_SAMPLE = "" }: Partial<Env>): number {
  return /^[1-9]\d{0,8}$/.test(LOG_SAMPLE) ? Number(LOG_SAMPLE) : DEFAULT_SAMPLE;
}
