import { describe, it } from "vitest";
import { historyFault, horizonOf } from "../../src/programs/history.ts";

// docs/contract/history.md, 1 and 2.

describe("the horizon", () => {
  it.for([
    [1, "2026-06-10T07:00:00Z", "2026-05-01 00:00:00"],
    [1, "2026-06-30T23:59:59.999Z", "2026-05-01 00:00:00"],
    [1, "2026-07-01T00:00:00Z", "2026-06-01 00:00:00"],
    [13, "2026-01-31T12:00:00Z", "2024-12-01 00:00:00"],
    [120, "2026-03-31T12:00:00Z", "2016-03-01 00:00:00"],
  ] as const)("of %i months at %s is %s", ([months, now, horizon], { expect }) => {
    expect(horizonOf({ months }, new Date(now))).toBe(horizon);
  });
});

describe("the settings of history", () => {
  it.for([
    [undefined, false],
    ["", false],
    ["1", true],
    ["99", true],
    ["120", true],
  ] as const)("are right: %j, bucket %j", ([months, isBound], { expect }) => {
    expect(historyFault({ HISTORY_MONTHS: months, HISTORY: isBound ? "bucket" : undefined })).toBeNull();
  });

  it.for([
    ["13", false, "HISTORY_MONTHS is set, but no bucket is bound as HISTORY"],
    [undefined, true, "a bucket is bound as HISTORY, but HISTORY_MONTHS is not set"],
    ["0", true, "HISTORY_MONTHS must be a number from 1 to 120"],
    ["013", true, "HISTORY_MONTHS must be a number from 1 to 120"],
    ["1.5", true, "HISTORY_MONTHS must be a number from 1 to 120"],
    ["121", false, "HISTORY_MONTHS must be a number from 1 to 120"],
  ] as const)("are wrong: %j, bucket %j", ([months, isBound, fault], { expect }) => {
    expect(historyFault({ HISTORY_MONTHS: months, HISTORY: isBound ? "bucket" : undefined })).toBe(fault);
  });
});
