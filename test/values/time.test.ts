import { describe, it } from "vitest";
import { toUtc } from "../../src/values/time.ts";

const NINE = "2026-01-06 09:00:00";

describe("a time as the feed takes it", () => {
  it.for([
    // The interface's own format.
    [NINE, NINE],
    ["2024-02-29 23:59:59", "2024-02-29 23:59:59"],
    ["0001-01-01 00:00:00", "0001-01-01 00:00:00"],
    // RFC 3339.
    ["2026-01-06T09:00:00Z", NINE],
    ["2026-01-06t09:00:00z", NINE],
    ["2026-01-06 09:00:00Z", NINE],
    ["2026-01-06T09:00:00+00:00", NINE],
    ["2026-01-06T09:00:00-00:00", NINE],
    ["2026-01-06T10:30:00+01:30", NINE],
    ["2026-01-06T00:00:00-09:00", NINE],
    ["2026-01-06T14:45:00+05:45", NINE],
    ["2026-01-07T08:59:00+23:59", NINE],
    ["2026-01-05T20:00:00-13:00", NINE],
    ["2026-03-01T00:30:00+01:00", "2026-02-28 23:30:00"],
    ["2025-12-31T23:30:00-01:00", "2026-01-01 00:30:00"],
    // Fractions are cut off, not rounded.
    ["2026-01-06T09:00:00.9Z", NINE],
    ["2026-01-06T09:00:00.999999999Z", NINE],
    ["2026-01-06T10:00:00.5+01:00", NINE],
    ["2026-01-06 09:00:00.123456", NINE],
    // A timestamptz as PostgreSQL prints it.
    ["2026-01-06 09:00:00+00", NINE],
    ["2026-01-06 14:30:00.25+0530", NINE],
    ["2026-01-06 01:00:00-08", NINE],
    // As other databases print it.
    ["2026-01-06 04:00:00 -0500", NINE],
    ["2026-01-06 09:00:00 UTC", NINE],
    // A date without a time means midnight.
    ["2026-01-06", "2026-01-06 00:00:00"],
    ["2024-02-29", "2024-02-29 00:00:00"],
    // With a T, but without a time zone.
    ["2026-01-06T09:00:00", null],
    ["2026-01-06T09:00:00.000", null],
    // Dates and times that do not exist.
    ["2026-02-29", null],
    ["2026-04-31 09:00:00", null],
    ["2026-01-06T24:00:00Z", null],
    ["2026-12-31T23:59:60Z", null],
    ["2026-01-06T09:00:00+24:00", null],
    ["2026-01-06T09:00:00+01:60", null],
    // Times whose UTC is beyond the calendar.
    ["9999-12-31T23:59:59-01:00", null],
    ["0000-01-01T00:00:00+01:00", null],
    // Other forms.
    ["2026-01-06T09:00Z", null],
    ["2026-01-06T09:00:00,5Z", null],
    ["2026-1-6 9:00:00", null],
    ["20260106T090000Z", null],
    [" 2026-01-06", null],
    ["1767690000", null],
  ] as const)("%j is %j", ([time, utc], { expect }) => {
    const result = toUtc(time);

    expect("utc" in result ? result.utc : null).toBe(utc);
  });
});
