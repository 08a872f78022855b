import * as z from "zod";
import { mustBe } from "./text.ts";

const DATETIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;
const FED_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:([T ])(\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?(?: ?(Z|UTC)| ?([+-])(\d{2})(?::?(\d{2}))?)?)?$/i;
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
 * what databases export (`… -0500`, `… UTC`), or a date, which means midnight in UTC.
 * @returns the fault of anything else.
 */
export function toUtc(time: string): { utc: string } | { fault: string } {
  const [
    match,
    date = "",
    separator = "",
    clock = "00:00",
    seconds = match === date ? ":00" : "",
    utc,
    sign,
    ...offset
  ] = FED_TIME.exec(time) ?? [];
  if (match === undefined) return { fault: `must be ${A_TIME}` };
  if (seconds === "") return { fault: "must have seconds, YYYY-MM-DD HH:MM:SS in UTC" };
  const written = `${date} ${clock}${seconds.slice(0, 3)}`;
  const [hours = "0", minutes = "0"] = offset;
  if (!isDatetime(written) || Number(hours) > 23 || Number(minutes) > 59) return { fault: NOT_IN_CALENDAR };
  if (separator.toUpperCase() === "T" && utc === undefined && sign === undefined)
    return { fault: "must end with Z or an offset such as -05:00, because it has a T" };
  const offsetMinutes = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  const instant = toDatetime(new Date(toInstant(written) - offsetMinutes * MINUTE_MS));
  return isDatetime(instant) ? { utc: instant } : { fault: NOT_IN_CALENDAR };
}

const A_TIME = "a time, YYYY-MM-DD HH:MM:SS in UTC, or a date, YYYY-MM-DD";
const NOT_IN_CALENDAR = "must exist in the calendar";

/** An existing date, `YYYY-MM-DD`. */
export const DateOnly = z
  .string({ error: mustBe("a date, YYYY-MM-DD") })
  .regex(/^\d{4}-\d{2}-\d{2}$/, { error: "must be a date, YYYY-MM-DD", abort: true })
  .refine(isDate, NOT_IN_CALENDAR);

/** Whether an end is before a beginning. Either may be left out. A line that deletes has neither. */
export function endsBefore(end: string | null | undefined, beginning: string | null | undefined): boolean {
  return typeof end === "string" && typeof beginning === "string" && end < beginning;
}

/** An existing time, `YYYY-MM-DD HH:MM:SS`, in UTC. */
export const Datetime = z
  .string({ error: mustBe("a time, YYYY-MM-DD HH:MM:SS") })
  .refine(isDatetime, "must be a time that exists, YYYY-MM-DD HH:MM:SS");

/** A time in any form of the feed. Its output is `YYYY-MM-DD HH:MM:SS`, in UTC. */
export const FedTime = z.string({ error: mustBe(A_TIME) }).transform(toUtcOrRefuse);

/** An end: a time (its output is that of `FedTime`) or a date, which stays a date. */
export const End = z
  .string({ error: mustBe(A_TIME) })
  .transform((end, context) => (isDate(end) ? end : toUtcOrRefuse(end, context)));

function toUtcOrRefuse(time: string, context: z.RefinementCtx<string>): string {
  const result = toUtc(time);
  if ("utc" in result) return result.utc;
  context.addIssue(result.fault);
  return z.NEVER;
}
