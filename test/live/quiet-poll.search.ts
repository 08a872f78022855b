import type { InboxState } from "../../src/inbox/inbox-state.ts";
import {
  isShown,
  isTooOld,
  type Limits,
  MINUTE,
  newestOf,
  nextOf,
  type Rules,
  SECOND,
  start,
  type Traced,
  toText,
  type World,
} from "./quiet-poll.model.ts";

const TRUST_MS = 30 * MINUTE;
const REMEMBER_MS = 60 * MINUTE;

/** What is wrong with what the inbox would answer to any poll, now or when the second is over; null: nothing. */
function findFault(world: World, rules: Rules): string | null {
  const later = { ...world, now: world.now + SECOND };
  return findFaultNow(world, rules) ?? findFaultNow(later, rules);
}

function findFaultNow({ db, memory, now, notifications, reported, hasTravelled }: World, rules: Rules): string | null {
  const report = memory.report as Traced | null;
  const times = new Set(["", ...db.messages.map(({ at }) => toText(at))]);
  for (const checkTime of times) {
    if (!rules.hasNothingNew(memory, checkTime, now)) continue;
    const missed = db.messages.filter((one) => isShown(one, now) && toText(one.at) > checkTime);
    if (missed.length === 0) continue;
    if (report === null || isTooOld(report, now)) return "late by more than 30 minutes";
    // After time travel versions mean something else, and the 30 minutes are all that holds.
    if (hasTravelled) continue;
    if (missed.some(({ version }) => version <= report.version)) return "missed, though it was read";
    if (missed.some(({ version }) => version <= reported)) return "missed, though it was reported";
    if (missed.some(({ isNotified }) => !isNotified)) return "missed, and nobody will notify it";
    const notified = notifications.filter(({ isNotified }) => isNotified).map(({ version }) => version);
    if (missed.some(({ version }) => notified.includes(version))) return "missed, though the inbox was notified";
  }
  return null;
}

/** Whether the inbox is of use: once all is notified and a poll has been to D1, the next ones are quiet for 30 minutes. */
function findUselessness({ db, memory, stored, now, notifications, hasTravelled }: World, rules: Rules): string | null {
  const notifyAll = (inbox: InboxState, at: number) =>
    notifications.reduce((state, { version }) => rules.afterNotification(state, version, at), inbox);
  const later = hasTravelled ? now + REMEMBER_MS + 1 : now;
  const newestAt = newestOf(db.messages);
  const report = { version: db.version, newestAt, at: later };
  const inbox = rules.afterReport(notifyAll(memory, now), report, later);
  const isQuiet = (state: InboxState, at: number) => rules.hasNothingNew(state, newestAt, at);
  if (!isQuiet(inbox, later)) return "not quiet after a poll";
  if (!isQuiet(inbox, later + TRUST_MS)) return "not quiet for 30 minutes";
  if (!isQuiet(rules.stores({ stored, memory: inbox, isNotification: false }), later))
    return "not quiet after eviction";
  if (!hasTravelled && !isQuiet(notifyAll(inbox, later), later)) return "not quiet after it was notified once more";
  return null;
}

interface Outcome {
  states: number;
  /** The shortest schedule that ends in a fault; null: there is none. */
  counterexample: { schedule: string[]; fault: string } | null;
}

/** Goes through every schedule within the limits, the shortest first, and ends with the first fault. */
export function explore(limits: Limits, rules: Rules): Outcome {
  // Which poll began first makes no difference.
  const keyOf = ({ polls, ...rest }: World) => JSON.stringify(rest) + polls.map((one) => JSON.stringify(one)).sort();
  const first = start(limits);
  const seen = new Set([keyOf(first)]);
  const queue: { world: World; move: string; from: number }[] = [{ world: first, move: "", from: -1 }];
  for (let index = 0; index < queue.length; index += 1) {
    const { world } = queue[index] as (typeof queue)[number];
    const fault = findFault(world, rules) ?? findUselessness(world, rules);
    if (fault !== null) return { states: index + 1, counterexample: { fault, schedule: scheduleTo(queue, index) } };
    for (const [move, next] of nextOf(world, rules)) {
      const key = keyOf(next);
      if (seen.has(key)) continue;
      seen.add(key);
      queue.push({ world: next, move, from: index });
    }
  }
  return { states: queue.length, counterexample: null };
}

function scheduleTo(queue: readonly { move: string; from: number }[], last: number): string[] {
  const schedule: string[] = [];
  for (let index = last; index > 0; index = queue[index]?.from ?? 0) schedule.unshift(queue[index]?.move ?? "");
  return schedule;
}
