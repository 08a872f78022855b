import type { Answer, Call } from "../network.ts";
import { EXCEEDED, LOST, USED_UP } from "../platform/d1.ts";
import type { World } from "../world.ts";
import { DAILY, NO_500, RETRY, TOLD } from "./names.ts";

const RETRIED_WITHIN_MS = 1_500;
const CLOCKS_APART_MS = 3_000;
// What is answered once a day has ended, by whose clock it has.
const A_MOMENT_LATER = 60;

/** What faults of the database may come to. */
export class AnswerRules {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  check({ method = "GET", path }: Call, answer: Answer): void {
    const pathname = path.replace(/\?.*/, "");
    if (answer.status === 500) this.#world.fail(NO_500, `${method} ${path}: ${answer.body}`);
    if (pathname.endsWith("/live")) return;
    this.#checkRetry(pathname, answer);
    this.#checkLimits(`${method} ${pathname}`, answer);
  }

  /** Nobody hears of a read that lost its connection once, unless the circuit breaker refused the second try. */
  #checkRetry(pathname: string, { status, databaseFaults, milliseconds, cause }: Answer): void {
    if (status !== 503 || !pathname.startsWith("/api/v1/customer")) return;
    const wasLostOnce = databaseFaults.length === 1 && databaseFaults[0] === LOST;
    if (wasLostOnce && milliseconds < RETRIED_WITHIN_MS && cause !== "PrimaryStalled")
      this.#world.fail(RETRY, `${pathname} is answered 503`);
  }

  /** What D1 said last decides: whoever feeds too much sends less, and nobody asks again before a daily limit ends. */
  #checkLimits(place: string, { status, headers, databaseFaults, milliseconds, cause }: Answer): void {
    const said = databaseFaults.at(-1) ?? "";
    const seconds = Number(headers.get("Retry-After"));
    if (place === "POST /api/v1/feed" && EXCEEDED.includes(said) && status !== 200 && !(status === 413 && seconds > 0))
      this.#world.fail(TOLD, `${status}, to come back after ${seconds} s`);
    if (said !== USED_UP || status !== 503 || !place.includes("/api/v1/")) return;
    // D1 may have said so in the background, of a request that was refused for something else.
    const { time, database } = this.#world;
    if (milliseconds >= RETRIED_WITHIN_MS || cause === "PrimaryStalled") return;
    const left = database.usedUpUntil - time.now;
    const isRight = Math.abs(left - seconds * 1_000) <= CLOCKS_APART_MS;
    if (!isRight && !(seconds === A_MOMENT_LATER && left <= CLOCKS_APART_MS))
      this.#world.fail(DAILY, `${place}, to come back after ${seconds} s`);
  }
}
