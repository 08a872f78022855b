import type { Answer, Call } from "../network.ts";
import { EXCEEDED, LOST, USED_UP } from "../platform/d1.ts";
import type { Fault } from "../platform/weather.ts";
import { LOCATIONS, type World } from "../world.ts";
import { DAILY, NO_500, RETRY, TOLD } from "./names.ts";

const RETRIED_WITHIN_MS = 1_500;
const CLOCKS_DIFFER_MS = 3_000;
// In the first minute of a day the service asks for this wait, because D1 may end its daily limit a moment late.
const MINUTE_SECONDS = 60;

/** Faults that make no answer later, so that a stall is the only possible cause of a late answer. */
const HARMLESS: ReadonlySet<Fault> = new Set(["D1's primary stalls", "replicas lag", "D1 is full", "a socket breaks"]);
const ANSWERED_WITHIN_MS = 100;
// For a board older than 30 seconds, the service waits for the primary before it answers from the cache.
const BOARD_WITHIN_MS = 400;

/** Checks the answers to requests that met faults of the database. */
export class AnswerRules {
  /** How many answers were checked while the primary stalled. */
  answersInStalls = 0;
  readonly #world: World;
  readonly #checksStalls: boolean;

  constructor(world: World) {
    this.#world = world;
    this.#checksStalls = [...world.faults].every((fault) => HARMLESS.has(fault));
  }

  check(call: Call, answer: Answer): void {
    const { method = "GET", path } = call;
    const pathname = path.replace(/\?.*/, "");
    if (answer.status === 500) this.#world.fail(NO_500, `${method} ${path}: ${answer.body}`);
    if (pathname.endsWith("/live")) return;
    this.#checkRetry(pathname, answer);
    this.#checkLimits(`${method} ${pathname}`, answer);
    this.#checkStall(call, answer);
  }

  /** A read that lost its connection once is tried again, unless the circuit breaker refuses the second try. */
  #checkRetry(pathname: string, { status, databaseFaults, milliseconds, cause }: Answer): void {
    if (status !== 503 || !pathname.startsWith("/api/v1/customer")) return;
    const wasLostOnce = databaseFaults.length === 1 && databaseFaults[0] === LOST;
    if (wasLostOnce && milliseconds < RETRIED_WITHIN_MS && cause !== "PrimaryStalled")
      this.#world.fail(RETRY, `${pathname} is answered 503`);
  }

  /** A feed that D1 cannot take gets 413. Once the day's rows are used up, an answer says how long the day lasts. */
  #checkLimits(endpoint: string, { status, headers, databaseFaults, milliseconds, cause }: Answer): void {
    const fault = databaseFaults.at(-1) ?? "";
    const seconds = Number(headers.get("Retry-After"));
    const isToldToWait = status === 413 && seconds > 0;
    if (endpoint === "POST /api/v1/feed" && EXCEEDED.includes(fault) && status !== 200 && !isToldToWait)
      this.#world.fail(TOLD, `${status}, to come back after ${seconds} s`);
    if (fault !== USED_UP || status !== 503 || !endpoint.includes("/api/v1/")) return;
    // Such an answer may have another cause: only a background read met the limit.
    if (milliseconds >= RETRIED_WITHIN_MS || cause === "PrimaryStalled") return;
    const { time, database } = this.#world;
    const left = database.usedUpUntil - time.now;
    const isRight = Math.abs(left - seconds * 1_000) <= CLOCKS_DIFFER_MS;
    if (!isRight && !(seconds === MINUTE_SECONDS && left <= CLOCKS_DIFFER_MS))
      this.#world.fail(DAILY, `${endpoint}, to come back after ${seconds} s`);
  }

  /** While the primary stalls, the nearest replica answers, unless a bookmark makes the request wait. */
  #checkStall({ location, path, headers = {} }: Call, { status, body, milliseconds }: Answer): void {
    if (!this.#checksStalls || location === LOCATIONS[0] || !path.startsWith("/api/v1/customer")) return;
    const { time, database } = this.#world;
    if (database.primary.stalledUntil <= time.now || "X-D1-Bookmark" in headers) return;
    const isBoard = path.endsWith("/leaderboard");
    // A board that nobody has asked for yet is not cached.
    if (isBoard && status === 503) return;
    this.answersInStalls += 1;
    const limitMs = isBoard ? BOARD_WITHIN_MS : ANSWERED_WITHIN_MS;
    if (milliseconds > limitMs || status >= 500)
      this.#world.fail(
        "a stalled primary delays no answer of a replica",
        `${location} ${path}: ${status} after ${milliseconds} ms: ${body.slice(0, 200)}`,
      );
  }
}
