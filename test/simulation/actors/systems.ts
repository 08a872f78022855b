import type { Random } from "../../../scripts/program/random.ts";
import { toDatetime, toInstant } from "../../../src/values/time.ts";
import type { Row } from "../../model/kinds.ts";
import type { Answer } from "../calls.ts";
import { feedCall } from "../network.ts";
import { LOCATIONS } from "../world.ts";
import { pause, type Stage } from "./stage.ts";

const REST_MS = 3_000;
const LONGEST_RETRY_MS = 20_000;
const ANSWER_WITHIN_MS = 60_000;
const DAY_MS = 86_400_000;

/** A system of record feeds changes, and sends each request again until it is answered (docs/contract/feed.md). */
export async function feeder(stage: Stage, number: number): Promise<void> {
  const random = stage.world.random(`feeder ${number}`);
  while (!stage.isEnding()) {
    await pause(stage, random, REST_MS);
    if (stage.isEnding()) return;
    const lines = stage.program.changes((share) => timeOfOldEvent(stage, random, share));
    await feedInParts(stage, random, lines);
  }
}

/** Feeds the lines. If D1 has too little memory for them, feeds them in two halves. */
export async function feedInParts(stage: Stage, random: Random, lines: readonly Row[]): Promise<void> {
  const answer = await feedUntilAnswered(stage, random, lines);
  if (answer === null) return;
  if (answer.status === 413) {
    const half = Math.ceil(lines.length / 2);
    await feedInParts(stage, random, lines.slice(0, half));
    await feedInParts(stage, random, lines.slice(half));
    return;
  }
  const bookmark = answer.headers.get("X-D1-Bookmark");
  if (bookmark === null || random.next() < 0.7) return;
  // A customer who sends the bookmark of this answer sees the fed lines, at any location.
  const [location, customer] = [random.pick(LOCATIONS), random.pick(stage.program.customers)];
  const call = { location, customer, path: "/api/v1/customer/coupons", headers: { "X-D1-Bookmark": bookmark } };
  await stage.network.send(call).catch(() => null);
}

/**
 * Usually null. For this share of the calls, a random time: mostly one whose events are added up in the next months, and
 * seldom one that is too old already.
 */
function timeOfOldEvent({ world: { horizon } }: Stage, random: Random, share: number): string | null {
  if (random.next() >= share) return null;
  const days = random.next() < 0.1 ? random.integer(-60, -1) : random.integer(0, 100);
  return toDatetime(new Date(toInstant(horizon) + days * DAY_MS + random.integer(0, DAY_MS - 1)));
}

/** Sends the lines until they are stored, or refused for good. Null: the run ended before that. */
export async function feedUntilAnswered(
  { world, network, isOver }: Stage,
  random: Random,
  lines: readonly Row[],
): Promise<Answer | null> {
  for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS)) {
    if (isOver()) return null;
    const sending = network.send(feedCall(random.pick(LOCATIONS), lines));
    const timeout = world.time.wait(ANSWER_WITHIN_MS).then(() => null);
    const answer = await Promise.race([sending.catch(() => null), timeout]);
    if (answer !== null && !isTemporary(answer, lines)) return answer;
    await world.time.wait(random.integer(waitMs / 2, waitMs));
  }
}

/** Whether the same lines may be stored later. A single line is too much only while D1 has little memory. */
function isTemporary({ status }: Answer, lines: readonly Row[]): boolean {
  return [429, 503].includes(status) || (status === 413 && lines.length === 1);
}
