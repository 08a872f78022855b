import { clock } from "../cache/clock.ts";
import { unavailable } from "../http/errors.ts";

export interface AdmissionRules {
  /** The bytes that may be inside at a time. */
  bytes: number;
  /** How many of them may be of one program, so that it leaves room for others however long it stays. */
  bytesOfProgram: number;
  /** A request that is inside for so long was cancelled, and is no longer counted. */
  stayMilliseconds: number;
}

/** Who wants in: of which program, and for how long it may still wait, wherever. */
export interface Visitor {
  program: string;
  patienceMilliseconds: number;
}

const LOOK_EVERY_MILLISECONDS = 50;

// A waiting request checks all the time, unless it was cancelled.
const GONE_AFTER_MILLISECONDS = 2_000;

/**
 * Lets large requests into a part of an isolate's memory, as many as it can take: programs in turns, and those of one
 * program in the order in which they came. Nothing is handed from one request to another, because the runtime may end
 * any of them at any time. Each checks for itself.
 */
export class Admission {
  readonly #rules: AdmissionRules;
  // In the order in which they came.
  readonly #waiting = new Map<symbol, { program: string; bytes: number; seenAt: number }>();
  readonly #inside = new Map<symbol, { program: string; bytes: number; since: number }>();
  // In the order in which they had their last turn.
  readonly #programs = new Set<string>();

  constructor(rules: AdmissionRules) {
    this.#rules = rules;
  }

  /**
   * Resolves once there is room, with a function to call when it is no longer needed.
   * @throws the failure 503 when it takes too long.
   */
  async enter(bytes: number, visitor: Visitor): Promise<() => void> {
    const me = Symbol();
    const { program } = visitor;
    const cameAt = clock.now();
    try {
      for (;;) {
        const now = clock.now();
        this.#waiting.set(me, { program, bytes, seenAt: now });
        if (this.#next() === me && this.#hasRoom(bytes)) break;
        if (now >= cameAt + visitor.patienceMilliseconds) {
          throw unavailable("Too many large requests at once. Try again in a moment.");
        }
        await clock.pause(LOOK_EVERY_MILLISECONDS);
      }
    } finally {
      this.#waiting.delete(me);
      visitor.patienceMilliseconds -= clock.now() - cameAt;
    }
    this.#programs.delete(program);
    this.#programs.add(program);
    this.#inside.set(me, { program, bytes, since: clock.now() });
    return () => void this.#inside.delete(me);
  }

  /** Whose turn it is: the first of that program whose last turn was the longest ago, of those with room in their share. */
  #next(): symbol | undefined {
    const gone = clock.now() - GONE_AFTER_MILLISECONDS;
    for (const [one, { seenAt }] of this.#waiting) if (seenAt < gone) this.#waiting.delete(one);
    const turns = [...this.#programs];
    const [next] = [...this.#waiting]
      .filter(([, { program }], index, all) => all.findIndex(([, one]) => one.program === program) === index)
      .filter(([, { program, bytes }]) => fits(bytes, this.#taken(program), this.#rules.bytesOfProgram))
      .toSorted(([, one], [, other]) => turns.indexOf(one.program) - turns.indexOf(other.program));
    return next?.[0];
  }

  #hasRoom(bytes: number): boolean {
    return fits(bytes, this.#taken(), this.#rules.bytes);
  }

  #taken(program?: string): number {
    const gone = clock.now() - this.#rules.stayMilliseconds;
    for (const [one, { since }] of this.#inside) if (since < gone) this.#inside.delete(one);
    const counted = [...this.#inside.values()].filter((one) => program === undefined || one.program === program);
    return counted.reduce((sum, one) => sum + one.bytes, 0);
  }
}

function fits(bytes: number, taken: number, limit: number): boolean {
  return taken === 0 || taken + bytes <= limit;
}
