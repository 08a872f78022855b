import { unavailable } from "../http/errors.ts";
import { clock } from "../values/clock.ts";

/** A feed request, or a page of an export, in this isolate. */
interface Visit {
  state: "arriving" | "waiting" | "working";
  /** The memory that its body takes. */
  bytes: number;
  seenAt: number;
}

const HELD_BYTES = 32 * 1024 * 1024;
const WORKING_AT_ONCE = 4;
const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 50;

// The runtime may end a request without a word. One that has not been seen for so long is gone; one that waits looks all
// the time, and the database may take 40 seconds for a write.
const GONE_AFTER_MS = { arriving: 60_000, waiting: 2_000, working: 60_000 };

/**
 * How much an isolate does for the feed at a time (docs/contract/feed.md, 1). Requests hand nothing to each other, because
 * whatever a cancelled request was to do never comes: each looks for itself whether it is its turn.
 */
export class Admission {
  // In the order in which they came.
  readonly #visits = new Set<Visit>();

  /**
   * Reads a body, and works on it in its turn. `read` tells of the memory that the body is about to take.
   * @throws the failure 503 where there are too many bodies, or the wait is too long.
   */
  async letIn<Body, Result>(
    read: (onBytes: (bytes: number) => void) => Promise<Body>,
    work: (body: Body) => Promise<Result>,
  ): Promise<Result> {
    const visit: Visit = { state: "arriving", bytes: 0, seenAt: clock.now() };
    try {
      const body = await read((bytes) => this.#hold(visit, bytes));
      await this.#takeTurn(visit);
      return await work(body);
    } finally {
      this.#visits.delete(visit);
    }
  }

  #hold(visit: Visit, bytes: number): void {
    const held = this.#enter(visit).reduce((sum, one) => sum + one.bytes, 0);
    if (held + bytes > HELD_BYTES) throw tooMany();
    visit.bytes += bytes;
  }

  async #takeTurn(visit: Visit): Promise<void> {
    visit.state = "waiting";
    const endsAt = clock.now() + PATIENCE_MS;
    while (!this.#isNext(visit)) {
      if (clock.now() >= endsAt) throw tooMany();
      await clock.pause(LOOK_EVERY_MS);
    }
    visit.state = "working";
  }

  #isNext(visit: Visit): boolean {
    const present = this.#enter(visit);
    const working = present.filter(({ state }) => state === "working");
    return working.length < WORKING_AT_ONCE && present.find(({ state }) => state === "waiting") === visit;
  }

  /** Enters the visit, or notes that it is still here. Returns the visits that are. */
  #enter(visit: Visit): Visit[] {
    const now = clock.now();
    visit.seenAt = now;
    this.#visits.add(visit);
    for (const one of this.#visits) if (now - one.seenAt > GONE_AFTER_MS[one.state]) this.#visits.delete(one);
    return [...this.#visits];
  }
}

function tooMany() {
  return unavailable("Too many feed requests at once. Try again in a moment.");
}
