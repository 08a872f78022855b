import * as z from "zod";
import { mustBe } from "./text.ts";

const DATETIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;
const FED_TIME = /^(\d{4}-\d{2}-\d{2})(?:([T ])(\d{2}:\d{2}:\d{2})(?:\.\d+)?(?:(Z)|([+-])(\d{2})(?::?(\d{2}))?)?)?$/i;
const MINUTE_MS = 60_000;

/** The instant that a time of the interface stands for, in milliseconds since 1970; NaN for another text. */
export function toInstant(datetime: string): number {
  return Date.parse(`${datetime.replace(" ", "T")}Z`);
}

/** An instant as the interface writes it, in UTC: `2026-11-20 09:30:00`. */
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
 * A time as the feed takes it (docs/contract/feed.md, 3), as the interface writes it: its own format, RFC 3339, or a date
 * alone, which is its midnight in UTC. Null for anything else.
 */
export function toUtc(time: string): string | null {
  const [, date, separator, clock = "00:00:00", utc, sign, hours = "0", minutes = "0"] = FED_TIME.exec(time) ?? [];
  const written = `${date} ${clock}`;
  if (date === undefined || !isDatetime(written)) return null;
  // Without an offset it is some place's local time, and nobody says of which place.
  if (separator?.toUpperCase() === "T" && utc === undefined && sign === undefined) return null;
  if (Number(hours) > 23 || Number(minutes) > 59) return null;
  const offsetMinutes = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  const instant = toDatetime(new Date(toInstant(written) - offsetMinutes * MINUTE_MS));
  return isDatetime(instant) ? instant : null;
}

/** A day that exists in the calendar, `YYYY-MM-DD`. */
export const DateOnly = z
  .string({ error: mustBe("a date, YYYY-MM-DD") })
  .refine(isDate, "must be a date that exists, YYYY-MM-DD");

/** A second that exists in the calendar, `YYYY-MM-DD HH:MM:SS`, in UTC. */
export const Datetime = z
  .string({ error: mustBe("a time, YYYY-MM-DD HH:MM:SS") })
  .refine(isDatetime, "must be a time that exists, YYYY-MM-DD HH:MM:SS");

/** A time in one of the forms that the feed takes; comes out as `YYYY-MM-DD HH:MM:SS`, in UTC. */
export const FedTime = z
  .string({ error: mustBe("a time, YYYY-MM-DD HH:MM:SS") })
  .transform((time, context) => orRefuse(toUtc(time), context, "must be a time that exists, YYYY-MM-DD HH:MM:SS"));

/** An end: a time, which comes out as `FedTime` does, or a date alone, which stays one. */
export const End = z
  .string({ error: mustBe("a time or a date") })
  .transform((end, context) =>
    orRefuse(isDate(end) ? end : toUtc(end), context, "must be a time or a date that exists"),
  );

function orRefuse(time: string | null, context: z.RefinementCtx<string>, message: string): string {
  if (time === null) context.addIssue(message);
  return time ?? z.NEVER;
}
