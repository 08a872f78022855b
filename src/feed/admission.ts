import { unavailable } from "../http/errors.ts";
import { clock } from "../values/clock.ts";

/** A feed request, or a page of an export, in this isolate. */
interface Visit {
  state: "arriving" | "waiting" | "working";
  /** How many bytes of its body are in memory. */
  bytes: number;
  /** The visit counts as gone after this time, in milliseconds since 1970. */
  goneAt: number;
}

const MOST_HELD_BYTES = 32 * 1024 * 1024;
const WORKING_AT_ONCE = 4;
const LONGEST_WAIT_MS = 30_000;
const ASK_AGAIN_MS = 50;

// The runtime may cancel a request without notice. So a visit counts as gone if it has not reported for this long. A waiting
// visit reports every 50 ms; a working visit may wait 40 seconds for the database.
const GONE_AFTER_MS = { arriving: 60_000, waiting: 2_000, working: 60_000 };

/**
 * Limits how much an isolate does for the feed at a time (docs/contract/feed.md, 1). Each request asks again and again
 * whether it is next: if the others gave it a turn, the turn would be lost when the request is cancelled.
 */
export class Admission {
  // The requests, in the order of their arrival.
  readonly #visits = new Set<Visit>();

  /**
   * Reads a body, waits until the request is next, and does the work. `read` calls `onBytes` before the body takes more
   * memory.
   * @throws the failure 503 if all bodies together are too large, or the wait is too long.
   */
  async letIn<Body, Result>(
    read: (onBytes: (bytes: number) => void) => Promise<Body>,
    work: (body: Body) => Promise<Result>,
  ): Promise<Result> {
    const visit: Visit = { state: "arriving", bytes: 0, goneAt: 0 };
    try {
      const body = await read((moreBytes) => {
        const heldBytes = this.#report(visit, "arriving").reduce((sum, { bytes }) => sum + bytes, 0);
        if (heldBytes + moreBytes > MOST_HELD_BYTES) throw tooBusy();
        visit.bytes += moreBytes;
      });
      const endsAt = clock.now() + LONGEST_WAIT_MS;
      while (!this.#isNext(visit)) {
        if (clock.now() >= endsAt) throw tooBusy();
        await clock.pause(ASK_AGAIN_MS);
      }
      this.#report(visit, "working");
      return await work(body);
    } finally {
      this.#visits.delete(visit);
    }
  }

  #isNext(visit: Visit): boolean {
    const visits = this.#report(visit, "waiting");
    const working = visits.filter(({ state }) => state === "working");
    return working.length < WORKING_AT_ONCE && visits.find(({ state }) => state === "waiting") === visit;
  }

  /** Reports that a visit is still there, and returns all visits. */
  #report(visit: Visit, state: Visit["state"]): Visit[] {
    const now = clock.now();
    Object.assign(visit, { state, goneAt: now + GONE_AFTER_MS[state] });
    this.#visits.add(visit);
    for (const other of this.#visits) if (now > other.goneAt) this.#visits.delete(other);
    return [...this.#visits];
  }
}

function tooBusy() {
  return unavailable("Too many feeds and exports at once. Try again in a moment.");
}
