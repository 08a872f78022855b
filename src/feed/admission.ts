import { unavailable } from "../http/errors.ts";
import { clock } from "../values/clock.ts";

/** A feed request, or a page of an export, in this isolate. */
interface Visit {
  state: "arriving" | "waiting" | "working";
  /** The memory that its body takes. */
  bytes: number;
  /** It counts as gone after this time, in milliseconds since 1970. */
  goneAt: number;
}

const HELD_BYTES = 32 * 1024 * 1024;
const WORKING_AT_ONCE = 4;
const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 50;

// The runtime may end a request without a word, so a visit counts as gone if it was not seen for this long. A waiting one
// is seen all the time; the database may take 40 seconds for a write.
const GONE_AFTER_MS = { arriving: 60_000, waiting: 2_000, working: 60_000 };

/**
 * Limits how much an isolate does for the feed at a time (docs/contract/feed.md, 1). Each request looks for itself whether
 * it is its turn: a turn that is handed to it would be lost if the request was cancelled.
 */
export class Admission {
  // In the order in which they came.
  readonly #visits = new Set<Visit>();

  /**
   * Does work in its turn, first reading its body if it has one. `read` calls `onBytes` before the body takes more memory.
   * @throws the failure 503 if there are too many bodies, or the wait is too long.
   */
  async letIn<Body, Result>(
    read: (onBytes: (bytes: number) => void) => Promise<Body>,
    work: (body: Body) => Promise<Result>,
  ): Promise<Result> {
    const visit: Visit = { state: "arriving", bytes: 0, goneAt: 0 };
    try {
      const body = await read((bytes) => {
        const held = this.#present(visit, "arriving").reduce((sum, one) => sum + one.bytes, 0);
        if (held + bytes > HELD_BYTES) throw tooBusy();
        visit.bytes += bytes;
      });
      const endsAt = clock.now() + PATIENCE_MS;
      while (!this.#isNext(visit)) {
        if (clock.now() >= endsAt) throw tooBusy();
        await clock.pause(LOOK_EVERY_MS);
      }
      this.#present(visit, "working");
      return await work(body);
    } finally {
      this.#visits.delete(visit);
    }
  }

  #isNext(visit: Visit): boolean {
    const present = this.#present(visit, "waiting");
    const working = present.filter(({ state }) => state === "working");
    return working.length < WORKING_AT_ONCE && present.find(({ state }) => state === "waiting") === visit;
  }

  /** Notes that a visit is here, and returns all visits that are. */
  #present(visit: Visit, state: Visit["state"]): Visit[] {
    const now = clock.now();
    Object.assign(visit, { state, goneAt: now + GONE_AFTER_MS[state] });
    this.#visits.add(visit);
    for (const one of this.#visits) if (now > one.goneAt) this.#visits.delete(one);
    return [...this.#visits];
  }
}

function tooBusy() {
  return unavailable("Too many feeds and exports at once. Try again in a moment.");
}
