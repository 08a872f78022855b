import type { Answer, Call } from "../calls.ts";
import { EXCEEDED, LOST, USED_UP } from "../platform/d1.ts";
import type { World } from "../world.ts";
import { ANSWER_413, DAILY_LIMIT, NO_500, RETRY } from "./names.ts";

const RETRIED_WITHIN_MS = 1_500;
const CLOCKS_DIFFER_MS = 3_000;
// In the first minute of a day the service asks for this wait, because D1 may end its daily limit a moment late.
const MINUTE_SECONDS = 60;

/** Checks an answer to a request that may have met faults of the database. */
export function checkFaults(world: World, { method = "GET", path }: Call, answer: Answer): void {
  const pathname = path.replace(/\?.*/, "");
  if (answer.status === 500) world.fail(NO_500, `${method} ${path}: ${answer.body}`);
  if (pathname.endsWith("/live")) return;
  // The log of a write does not say that the circuit breaker refused the second try.
  if (method !== "PUT" && method !== "DELETE") checkRetry(world, pathname, answer);
  checkLimits(world, `${method} ${pathname}`, answer);
}

/** Whether the circuit breaker refused to ask the primary. */
const isRefusedByBreaker = ({ logLines }: Answer) => logLines.some((line) => line.includes('"cause":"PrimaryStalled"'));

/** A read that lost its connection once is tried again, unless the circuit breaker refuses the second try. */
function checkRetry(world: World, pathname: string, answer: Answer): void {
  const { status, databaseFaults, milliseconds } = answer;
  if (status !== 503 || !pathname.startsWith("/api/v1/customer")) return;
  const wasLostOnce = databaseFaults.length === 1 && databaseFaults[0] === LOST;
  if (wasLostOnce && milliseconds < RETRIED_WITHIN_MS && !isRefusedByBreaker(answer))
    world.fail(RETRY, `${pathname} is answered 503`);
}

/** A feed that D1 cannot take gets 413. Once the day's rows are used up, an answer says how long the day lasts. */
function checkLimits(world: World, endpoint: string, answer: Answer): void {
  const { status, headers, databaseFaults, milliseconds } = answer;
  const fault = databaseFaults.at(-1) ?? "";
  const seconds = Number(headers.get("Retry-After"));
  const isToldToWait = status === 413 && seconds > 0;
  if (endpoint === "POST /api/v1/feed" && EXCEEDED.includes(fault) && status !== 200 && !isToldToWait)
    world.fail(ANSWER_413, `${status}, to come back after ${seconds} s`);
  if (fault !== USED_UP || status !== 503 || !endpoint.includes("/api/v1/")) return;
  // Such an answer may have another cause, if only a background read met the limit.
  if (milliseconds >= RETRIED_WITHIN_MS || isRefusedByBreaker(answer)) return;
  const leftMs = world.database.usedUpUntil - world.time.now;
  const isRight = Math.abs(leftMs - seconds * 1_000) <= CLOCKS_DIFFER_MS;
  if (!isRight && !(seconds === MINUTE_SECONDS && leftMs <= CLOCKS_DIFFER_MS))
    world.fail(DAILY_LIMIT, `${endpoint}, to come back after ${seconds} s`);
}
