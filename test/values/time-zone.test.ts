import { describe, it } from "vitest";
import { firstSecondOf, lastSecondOfEnd } from "../../src/values/time-zone.ts";

const HOUR_MS = 3_600_000;
const [FROM, TO] = [Date.UTC(2005, 0, 1), Date.UTC(2030, 0, 1)];
// Every zone keeps its offset for three weeks at least, so this step misses no change of clocks.
const STEP_MS = 14 * 24 * HOUR_MS;

const parse = (datetime: string) => Date.parse(`${datetime.replace(" ", "T")}Z`);

/** The date and the offset of a zone at an instant, found in another way than in the code under test. */
function wallOf(timeZone: string) {
  const format = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "medium" });
  return {
    date: (instant: number) => format.format(instant).slice(0, 10),
    offset: (instant: number) => parse(format.format(instant)) - instant,
  };
}

/** Keeps one of the zones that have the same offset in every fortnight: their clocks change at the same times. */
function distinctZones(zones: readonly string[]): string[] {
  const byOffsets = new Map<string, string>();
  for (const zone of zones) {
    const { offset } = wallOf(zone);
    const offsets = Array.from({ length: (TO - FROM) / STEP_MS }, (_, step) => offset(FROM + step * STEP_MS));
    byOffsets.set(offsets.join(), zone);
  }
  return [...byOffsets.values()];
}

/** The instants at which the offset of a zone changes: each the first second with the new offset. */
function changesOf({ offset }: ReturnType<typeof wallOf>): number[] {
  const changes: number[] = [];
  for (let [at, before] = [FROM, offset(FROM)]; at < TO; at += STEP_MS) {
    const after = offset(at + STEP_MS);
    if (after === before) continue;
    let [low, high] = [at, at + STEP_MS];
    while (high - low > 1_000) {
      const middle = low + Math.floor((high - low) / 2_000) * 1_000;
      if (offset(middle) === before) low = middle;
      else high = middle;
    }
    changes.push(high);
    before = after;
  }
  return changes;
}

const nextDay = (date: string) => new Date(parse(`${date} 00:00:00`) + 24 * HOUR_MS).toISOString().slice(0, 10);

/** Instants near a change of clocks that `firstSecondOf` or `lastSecondOfEnd` puts on the wrong day. */
function faultsOf(timeZone: string, date: string, wall: ReturnType<typeof wallOf>, change: number): string[] {
  const [first, last] = [parse(firstSecondOf(date, timeZone)), parse(lastSecondOfEnd(date, timeZone))];
  const around = Array.from({ length: 17 }, (_, quarter) => change + (quarter - 8) * 900_000);
  const at = [first - 1_000, first, last, last + 1_000, change - 1_000, ...around];
  const wrongInstants = at.filter((instant) => {
    const shownDate = wall.date(instant);
    return (instant < first && shownDate >= date) || (instant > last && shownDate <= date);
  });
  const isSkipped = last < first;
  const missingInstants = isSkipped ? [] : [first, last].filter((instant) => wall.date(instant) !== date);
  return [...wrongInstants, ...missingInstants].map(
    (instant) => `${timeZone} ${date}: at ${new Date(instant).toISOString()}`,
  );
}

describe("a day in a time zone", () => {
  it("lasts from its first second to its last, at every change of clocks from 2005 to 2029", ({ expect }) => {
    const zones = distinctZones(Intl.supportedValuesOf("timeZone"));
    const faults: string[] = [];
    const oddStarts: string[] = [];
    for (const zone of zones) {
      const wall = wallOf(zone);
      for (const change of changesOf(wall)) {
        const dates = [wall.date(change - 1_000), wall.date(change)];
        for (const date of new Set([...dates, ...dates.map(nextDay)])) {
          faults.push(...faultsOf(zone, date, wall, change));
          if (parse(firstSecondOf(date, zone)) % 900_000 !== 0) oddStarts.push(`${zone} ${date}`);
        }
      }
    }

    expect(zones.length).toBeGreaterThan(100);
    expect(faults.slice(0, 10)).toEqual([]);
    expect(oddStarts).toEqual([]);
  });

  it.for([
    ["2026-05-10", "UTC", "2026-05-10 00:00:00", "2026-05-10 23:59:59"],
    ["2026-05-10", "America/Los_Angeles", "2026-05-10 07:00:00", "2026-05-11 06:59:59"],
    ["2026-05-10", "Asia/Kathmandu", "2026-05-09 18:15:00", "2026-05-10 18:14:59"],
    // Days of 23 and 25 hours.
    ["2026-03-08", "America/New_York", "2026-03-08 05:00:00", "2026-03-09 03:59:59"],
    ["2026-11-01", "America/New_York", "2026-11-01 04:00:00", "2026-11-02 04:59:59"],
    // This day has no midnight: it begins at 01:00.
    ["2018-11-04", "America/Sao_Paulo", "2018-11-04 03:00:00", "2018-11-05 01:59:59"],
    // At midnight the clocks go back to 23:00: the day lasts an hour longer.
    ["2018-02-17", "America/Sao_Paulo", "2018-02-17 02:00:00", "2018-02-18 02:59:59"],
    ["2018-02-18", "America/Sao_Paulo", "2018-02-18 03:00:00", "2018-02-19 02:59:59"],
    // At 00:01 the clocks go back to 23:01: two days share an hour.
    ["2010-11-06", "America/St_Johns", "2010-11-06 02:30:00", "2010-11-07 03:29:59"],
    ["2010-11-07", "America/St_Johns", "2010-11-07 02:30:00", "2010-11-08 03:29:59"],
    // This day has midnight twice.
    ["2026-11-01", "America/Havana", "2026-11-01 04:00:00", "2026-11-02 04:59:59"],
    // This day was skipped: it ends before it begins.
    ["2011-12-30", "Pacific/Apia", "2011-12-30 10:00:00", "2011-12-30 09:59:59"],
    // Before there were time zones, each city had its own time, by the sun.
    ["1850-01-01", "Europe/Amsterdam", "1849-12-31 23:42:30", "1850-01-01 23:42:29"],
    // The first and the last days of the calendar.
    ["0000-01-01", "Asia/Tokyo", "0000-01-01 00:00:00", "0000-01-01 14:41:00"],
    ["9999-12-31", "America/Los_Angeles", "9999-12-31 08:00:00", "never"],
    ["9999-12-31", "UTC", "9999-12-31 00:00:00", "9999-12-31 23:59:59"],
  ] as const)("%s in %s is from %s to %s", ([date, timeZone, first, last], { expect }) => {
    expect([firstSecondOf(date, timeZone), lastSecondOfEnd(date, timeZone)]).toEqual([first, last]);
  });

  it("ends in its zone, whereas a time is UTC, and no end stays none", ({ expect }) => {
    const ends = ["2026-05-10", "2026-05-10 12:00:00", null].map((end) => lastSecondOfEnd(end, "Asia/Tokyo"));

    expect(ends).toEqual(["2026-05-10 14:59:59", "2026-05-10 12:00:00", "never"]);
  });
});
