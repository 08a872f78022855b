import * as z from "zod";
import { mustBe } from "./text.ts";
import { isDate, toDatetime } from "./time.ts";

// Finds the first and the last second of a day in a time zone. A clock change may skip or repeat midnight, or skip a day.

/** The last second of a record without an end. It sorts after every time. */
const NEVER = "never";

/** The latest time that answers show. */
export const LAST_SECOND = "9999-12-31 23:59:59";

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
/** No zone was ever farther from UTC, and no zone changed its clocks twice within 32 hours. */
const FARTHEST_MS = 16 * 3_600_000;
const [FIRST_MS, LAST_MS] = [Date.parse("0000-01-01T00:00:00Z"), Date.parse(`${LAST_SECOND}Z`)];

/** The name of an IANA time zone that the runtime knows, such as `America/New_York`. */
export const TimeZone = z
  .string({ error: mustBe("the name of a time zone") })
  .refine(isTimeZone, "must be a time zone of IANA, such as America/New_York");

// Intl accepts more than IANA's names: offsets, zones of SystemV, and abbreviations (for Intl, BST is Dhaka's time, not
// London's).
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

// The cache keeps every formatter: there are only 600 zones, and V8 does not free the 30 KB of a dropped formatter.
const formatters = new Map<string, Intl.DateTimeFormat>();

/** @throws a RangeError for an unknown zone. */
function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const name = timeZone.toLowerCase();
  const formatter = formatters.get(name) ?? new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  formatters.set(name, formatter);
  return formatter;
}

const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** The zone's offset from UTC at an instant, in milliseconds. */
function offsetMs(formatter: Intl.DateTimeFormat, instant: number): number {
  const [, sign = "+", hours = "0", minutes = "0", seconds = "0"] = OFFSET.exec(formatter.format(instant)) ?? [];
  const size = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return size * SECOND_MS * (sign === "-" ? -1 : 1);
}

/** The first second of a date in a time zone, `YYYY-MM-DD HH:MM:SS` in UTC. */
export function firstSecondOf(date: string, timeZone: string): string {
  return toSecond(midnightsOf(Date.parse(`${date}T00:00:00Z`), timeZone).first);
}

/**
 * The last second in which something is valid. An end that is a time is this second. An end that is a date includes the whole
 * day in the time zone. `NEVER` if there is no end, or none in the calendar.
 */
export function lastSecondOfEnd(end: string | null, timeZone: string): string {
  if (end === null) return NEVER;
  if (!isDate(end)) return end;
  return toSecond(midnightsOf(Date.parse(`${end}T00:00:00Z`) + DAY_MS, timeZone).last - SECOND_MS);
}

/** An end as answers show it, in UTC; at most the last second of the calendar. */
export function shownEnd(end: string | null, timeZone: string): string | null {
  if (end === null) return null;
  const last = lastSecondOfEnd(end, timeZone);
  return last === NEVER ? LAST_SECOND : last;
}

/** The first and the last instant at which the zone's clocks show midnight of a date. `midnight` is midnight of it in UTC. */
function midnightsOf(midnight: number, timeZone: string): { first: number; last: number } {
  if (timeZone === "UTC") return { first: midnight, last: midnight };
  const formatter = formatterOf(timeZone);
  let low = midnight - FARTHEST_MS;
  let high = midnight + FARTHEST_MS;
  const oldOffset = offsetMs(formatter, low);
  const byOldOffset = midnight - oldOffset;
  const byNewOffset = midnight - offsetMs(formatter, high);
  if (byOldOffset === byNewOffset) return { first: byOldOffset, last: byOldOffset };
  while (high - low > SECOND_MS) {
    const middle = Math.floor((low + high) / 2 / SECOND_MS) * SECOND_MS;
    if (offsetMs(formatter, middle) === oldOffset) low = middle;
    else high = middle;
  }
  const changeAt = high;
  return {
    // If the clocks change before midnight, they may skip it. Then the day begins at the change.
    first: byOldOffset < changeAt ? byOldOffset : Math.max(changeAt, byNewOffset),
    // If the clocks are set back at midnight or later, there is a second midnight.
    last: byNewOffset > changeAt ? byNewOffset : Math.min(changeAt, byOldOffset),
  };
}

function toSecond(instant: number): string {
  if (instant > LAST_MS) return NEVER;
  return toDatetime(new Date(Math.max(instant, FIRST_MS)));
}
