import * as z from "zod";

// Times and days (docs/contract/interface.md, 1, and docs/contract/feed.md, 3).

const SECOND_MS = 1_000;

export const toInstant = (time: string): number => Date.parse(`${time.replace(" ", "T")}Z`);
export const toTime = (instant: number): string => new Date(instant).toISOString().slice(0, 19).replace("T", " ");
export const addSeconds = (time: string, seconds: number): string => toTime(toInstant(time) + seconds * SECOND_MS);

const RFC_3339 = z.iso.datetime({ offset: true });
const FORMS =
  /^(\d{4}-\d\d-\d\d)(?:([T ])(\d\d:\d\d:\d\d)(?:\.\d+)? ?(Z|UTC|([+-](?:[01]\d|2[0-3]))(?::?([0-5]\d))?)?)?(?<! )$/i;

/** Converts a time in any form that the feed accepts to UTC; undefined for other texts. */
export function toUtc(text: string): string | undefined {
  const [, date, separator, clock = "00:00:00", zone, hours = "+00", minutes = "00"] = FORMS.exec(text) ?? [];
  const { data: instant } = RFC_3339.safeParse(`${date}T${clock}${hours}:${minutes}`);
  if (instant === undefined || (/T/i.test(separator ?? "") && zone === undefined)) return undefined;
  const utc = toTime(Date.parse(instant));
  // An offset may move the time out of the years 0000 to 9999.
  return /^\d/.test(utc) ? utc : undefined;
}

// By the time zone. A format takes fifty times as long to make as to use.
const formats = new Map<string, Intl.DateTimeFormat>();

/** A function that tells the day in a time zone at an instant, as `YYYY-MM-DD`. */
function dayIn(timeZone: string): (instant: number) => string {
  const digits = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat("en-CA", { timeZone, ...digits });
  formats.set(timeZone, format);
  return (instant) => format.format(instant).padStart(10, "0");
}

/** Whether today in a time zone is between two days, both included. If `last` is null, there is no last day. */
export function isToday(now: string, zone: string, { first, last }: { first: string; last: string | null }): boolean {
  const today = dayIn(zone)(toInstant(now));
  return first <= today && (last === null || today <= last);
}

/**
 * The last second of an end, which is a time, or a day in a time zone; null if it never ends. If clocks are set back at
 * midnight, the day ends twice, and the second end counts.
 */
export function endOf(end: string | null, zone: string): string | null {
  if (end === null || end.includes(" ")) return end;
  const dayAt = dayIn(zone);
  let laterInstant = toInstant(`${end} 00:00:00`) + 48 * 3_600 * SECOND_MS;
  // Start on a later day, and go back as long as it is a later day: by quarters of an hour, then by seconds.
  for (const stepMs of [900 * SECOND_MS, SECOND_MS]) while (dayAt(laterInstant - stepMs) > end) laterInstant -= stepMs;
  return toTime(laterInstant - SECOND_MS);
}
