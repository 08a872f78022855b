import * as z from "zod";
import { mustBe } from "./text.ts";

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATETIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;
const LAST_SECOND = " 23:59:59";

function existsInCalendar(datetime: string): boolean {
  const instant = new Date(`${datetime.replace(" ", "T")}Z`);
  return !Number.isNaN(instant.getTime()) && toDatetime(instant) === datetime;
}

/** An instant as the interface writes it, in UTC: `2026-11-20 09:30:00`. */
export function toDatetime(instant: Date): string {
  return instant.toISOString().slice(0, 19).replace("T", " ");
}

export function isDate(value: string): boolean {
  return DATE.test(value) && existsInCalendar(`${value} 00:00:00`);
}

export function isDatetime(value: string): boolean {
  return DATETIME.test(value) && existsInCalendar(value);
}

/** A day that exists in the calendar, `YYYY-MM-DD`. */
export const DateOnly = z
  .string({ error: mustBe("a date, YYYY-MM-DD") })
  .refine(isDate, "must be a date that exists, YYYY-MM-DD");

/** A second that exists in the calendar, `YYYY-MM-DD HH:MM:SS`, in UTC. */
export const Datetime = z
  .string({ error: mustBe("a time, YYYY-MM-DD HH:MM:SS") })
  .refine(isDatetime, "must be a time that exists, YYYY-MM-DD HH:MM:SS");

/** An end: a second, or a date alone, which means that day's last second (docs/contract/feed.md, 3). */
export const End = z
  .string({ error: mustBe("a time or a date") })
  .refine((value) => isDatetime(value) || isDate(value), "must be a time or a date that exists")
  .transform((value) => (DATE.test(value) ? value + LAST_SECOND : value));
