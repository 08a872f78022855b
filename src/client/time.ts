const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

/**
 * A time of the service, which is UTC, such as `2026-11-20 09:30:00`: `new Date` would take it for a local one.
 * @throws a RangeError for another text, such as a date alone, which is no moment.
 */
export function toDate(time: string): Date {
  const date = new Date(`${time.replace(" ", "T")}Z`);
  if (!TIME.test(time) || Number.isNaN(date.getTime())) throw new RangeError(`"${time}" is not a time of the service.`);
  return date;
}
