import { clock } from "../values/clock.ts";
import { unavailable } from "./errors.ts";

/** A request with a body, or for a page of an export, in this isolate. */
interface Visit {
  /** Who sent it: the subject of the token. */
  subject: string;
  state: "arriving" | "waiting" | "working";
  /** How many bytes of its body are in memory. */
  bytes: number;
  /** The visit counts as gone after this time, in milliseconds since 1970. */
  goneAt: number;
}

interface Limits {
  /** The most bytes of all bodies. */
  bytes: number;
  /** The most requests that are worked on at once; left out: any number. */
  working?: number;
}

const LONGEST_WAIT_MS = 30_000;
const ASK_AGAIN_MS = 50;

// The runtime may cancel a request without notice. So a visit counts as gone if it has not reported for this long. A waiting
// visit reports every 50 ms; a working visit may wait 40 seconds for the database.
const GONE_AFTER_MS = { arriving: 60_000, waiting: 2_000, working: 60_000 };

/**
 * Limits how much an isolate holds and does at a time (docs/contract/feed.md, 1). Each request asks again and again whether it
 * is next: if the others gave it a turn, the turn would be lost when the request is cancelled.
 */
export class Admission {
  readonly #limits: Required<Limits>;
  // The requests, in the order of their arrival.
  readonly #visits = new Set<Visit>();

  constructor({ bytes, working = Number.POSITIVE_INFINITY }: Limits) {
    this.#limits = { bytes, working };
  }

  /**
   * Reads a body, waits until the request is next, and does the work. `read` calls `onBytes` before the body takes more
   * memory.
   * @throws the failure 503 if there is no room for the body, or the wait is too long.
   */
  async letIn<Body, Result>(
    subject: string,
    read: (onBytes: (bytes: number) => void) => Promise<Body>,
    work: (body: Body) => Promise<Result>,
  ): Promise<Result> {
    const visit: Visit = { subject, state: "arriving", bytes: 0, goneAt: 0 };
    try {
      const body = await read((moreBytes) => this.#take(visit, moreBytes));
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

  /**
   * Gives a body more memory. A subject that holds more than a quarter gets none while others wait, and leaves a quarter to
   * those who may come.
   */
  #take(visit: Visit, moreBytes: number): void {
    const visits = this.#report(visit, "arriving");
    const others = visits.filter(({ subject }) => subject !== visit.subject);
    const [held, heldByOthers] = [bytesOf(visits), bytesOf(others)];
    const quarter = this.#limits.bytes / 4;
    const isSmall = held - heldByOthers + moreBytes <= quarter;
    const doOthersWait = others.some(({ state }) => state !== "working");
    const hasRoom = held + moreBytes <= this.#limits.bytes - (isSmall ? 0 : quarter);
    if (moreBytes > 0 && !(hasRoom && (isSmall || !doOthersWait))) throw tooBusy();
    visit.bytes += moreBytes;
  }

  #isNext(visit: Visit): boolean {
    const visits = this.#report(visit, "waiting");
    const working = visits.filter(({ state }) => state === "working");
    return working.length < this.#limits.working && visits.find(({ state }) => state === "waiting") === visit;
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

function bytesOf(visits: readonly Visit[]): number {
  return visits.reduce((sum, { bytes }) => sum + bytes, 0);
}

function tooBusy() {
  return unavailable("Too many requests at once. Try again in a moment.");
}
