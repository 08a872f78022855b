import * as z from "zod";
import { mustBe } from "./text.ts";

const DATETIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;
const FED_TIME = /^(\d{4}-\d{2}-\d{2})(?:([T ])(\d{2}:\d{2}:\d{2})(?:\.\d+)?(?:(Z)|([+-])(\d{2})(?::?(\d{2}))?)?)?$/i;
const MINUTE_MS = 60_000;

/** Sorts after every time. */
export const AFTER_ALL_TIMES = "~";

/** The instant of a time such as `2026-11-20 09:30:00`, in milliseconds since 1970; NaN for any other text. */
export function toInstant(datetime: string): number {
  return Date.parse(`${datetime.replace(" ", "T")}Z`);
}

/** An instant in the interface's format, in UTC: `2026-11-20 09:30:00`. */
export function toDatetime(instant: Date): string {
  return instant.toISOString().slice(0, 19).replace("T", " ");
}

export function isDatetime(value: string): boolean {
  const instant = new Date(toInstant(value));
  return DATETIME.test(value) && !Number.isNaN(instant.getTime()) && toDatetime(instant) === value;
}

export function isDate(value: string): boolean {
  return isDatetime(`${value} 00:00:00`);
}

/**
 * Converts a time of the feed (docs/contract/feed.md, 3) to the interface's format. The feed accepts that format, RFC 3339,
 * or a date, which means midnight in UTC. Null for anything else.
 */
export function toUtc(time: string): string | null {
  const [, date, separator, clock = "00:00:00", utc, sign, hours = "0", minutes = "0"] = FED_TIME.exec(time) ?? [];
  const written = `${date} ${clock}`;
  if (date === undefined || !isDatetime(written)) return null;
  // A time with "T" and without an offset is the local time of an unknown place.
  if (separator?.toUpperCase() === "T" && utc === undefined && sign === undefined) return null;
  if (Number(hours) > 23 || Number(minutes) > 59) return null;
  const offsetMinutes = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  const instant = toDatetime(new Date(toInstant(written) - offsetMinutes * MINUTE_MS));
  return isDatetime(instant) ? instant : null;
}

/** An existing date, `YYYY-MM-DD`. */
export const DateOnly = z
  .string({ error: mustBe("a date, YYYY-MM-DD") })
  .refine(isDate, "must be a date that exists, YYYY-MM-DD");

/** An existing time, `YYYY-MM-DD HH:MM:SS`, in UTC. */
export const Datetime = z
  .string({ error: mustBe("a time, YYYY-MM-DD HH:MM:SS") })
  .refine(isDatetime, "must be a time that exists, YYYY-MM-DD HH:MM:SS");

/** A time in any form of the feed. Its output is `YYYY-MM-DD HH:MM:SS`, in UTC. */
export const FedTime = z
  .string({ error: mustBe("a time, YYYY-MM-DD HH:MM:SS") })
  .transform((time, context) => orRefuse(toUtc(time), context, "must be a time that exists, YYYY-MM-DD HH:MM:SS"));

/** An end: a time (its output is that of `FedTime`) or a date, which stays a date. */
export const End = z
  .string({ error: mustBe("a time or a date") })
  .transform((end, context) =>
    orRefuse(isDate(end) ? end : toUtc(end), context, "must be a time or a date that exists"),
  );

function orRefuse(time: string | null, context: z.RefinementCtx<string>, message: string): string {
  if (time === null) context.addIssue(message);
  return time ?? z.NEVER;
}
