import * as z from "zod";
import { mustBe } from "./text.ts";
import { isDate, toDatetime } from "./time.ts";

// A day in a time zone, in UTC. Clocks that change around midnight may skip it, repeat it, or skip the whole day.

/** The last second of what has no end. It sorts after every other. */
export const NEVER = "never";

/** The last second of the calendar. */
export const LAST_SECOND = "9999-12-31 23:59:59";

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
/** No zone is, or was, farther from UTC; and no clock changes twice within twice that. */
const FARTHEST_MS = 16 * 3_600_000;
const [FIRST_MS, LAST_MS] = [Date.parse("0000-01-01T00:00:00Z"), Date.parse(`${LAST_SECOND}Z`)];

/** The name of a time zone, `America/New_York`, as the runtime knows them from IANA. */
export const TimeZone = z
  .string({ error: mustBe("the name of a time zone") })
  .refine(isTimeZone, "must be a time zone of IANA, such as America/New_York");

// Intl takes offsets too, and names that IANA has not: abbreviations, where BST is Dhaka's time and not London's, and zones
// of SystemV.
const NAME = /^(?![a-z]{3}$|systemv\/)[a-z][\w+/-]{0,63}$|^(?:UTC|GMT|UCT|[CEMW]ET|[EHM]ST|PRC|ROC|ROK)$/i;

function isTimeZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    formatterOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

// None is ever dropped: V8 leaves dropped ones lying about, 30 KB each, and there are only 600 names of zones.
const formatters = new Map<string, Intl.DateTimeFormat>();

/** @throws a RangeError for a zone that the runtime does not know. */
function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const name = timeZone.toLowerCase();
  const formatter = formatters.get(name) ?? new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  formatters.set(name, formatter);
  return formatter;
}

const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** How far the clocks of a zone are ahead of UTC at an instant. */
function offsetMs(formatter: Intl.DateTimeFormat, instant: number): number {
  const [, sign = "+", hours = "0", minutes = "0", seconds = "0"] = OFFSET.exec(formatter.format(instant)) ?? [];
  const size = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return size * SECOND_MS * (sign === "-" ? -1 : 1);
}

/** The first second of a date in a time zone, `YYYY-MM-DD HH:MM:SS` in UTC. */
export function firstSecondOf(date: string, timeZone: string): string {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  if (timeZone === "UTC") return toDatetime(new Date(midnight));
  const { before, change, after } = clocksAround(midnight, timeZone);
  const early = midnight - before;
  // If the clocks change before they show midnight, they may skip it.
  return toSecond(early < change ? early : Math.max(change, midnight - after));
}

/** The last second of a date in a time zone, or `NEVER` beyond the calendar. */
export function lastSecondOf(date: string, timeZone: string): string {
  const midnight = Date.parse(`${date}T00:00:00Z`) + DAY_MS;
  if (timeZone === "UTC") return toSecond(midnight - SECOND_MS);
  const { before, change, after } = clocksAround(midnight, timeZone);
  const late = midnight - after;
  // If the clocks are set back from midnight or later, the day goes on until they show midnight once more.
  return toSecond((late > change ? late : Math.min(change, midnight - before)) - SECOND_MS);
}

/** The last second of an end, a time or a date of a time zone; `NEVER` where there is none. */
export function lastSecondOfEnd(end: string | null, timeZone: string): string {
  if (end === null) return NEVER;
  return isDate(end) ? lastSecondOf(end, timeZone) : end;
}

/** An end as answers show it, in UTC; where its last second is beyond the calendar, the last that is in it. */
export function shownEnd(end: string | null, timeZone: string): string | null {
  if (end === null) return null;
  const last = lastSecondOfEnd(end, timeZone);
  return last === NEVER ? LAST_SECOND : last;
}

/** The offsets of a zone around a midnight of it, and when the one becomes the other. */
function clocksAround(midnight: number, timeZone: string): { before: number; change: number; after: number } {
  const formatter = formatterOf(timeZone);
  let [low, high] = [midnight - FARTHEST_MS, midnight + FARTHEST_MS];
  const before = offsetMs(formatter, low);
  const after = offsetMs(formatter, high);
  if (before === after) return { before, change: high, after };
  while (high - low > SECOND_MS) {
    const middle = Math.floor((low + high) / 2 / SECOND_MS) * SECOND_MS;
    if (offsetMs(formatter, middle) === before) low = middle;
    else high = middle;
  }
  return { before, change: high, after };
}

function toSecond(instant: number): string {
  if (instant > LAST_MS) return NEVER;
  return toDatetime(new Date(Math.max(instant, FIRST_MS)));
}
