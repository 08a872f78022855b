import { describe, it } from "vitest";
import { afterReport, afterTelling, EMPTY_INBOX, isWorthStoring } from "../../src/live/inbox-state.ts";

const MINUTE_MS = 60_000;
const NEWEST = "2026-11-22 10:00:00";

describe("an inbox that has stored a report", () => {
  const at = Date.parse("2026-11-22T12:00:00Z");
  const report = { version: 7, newestAt: NEWEST, at };
  const stored = afterReport(EMPTY_INBOX, report, at);
  const later = (minutes: number) => at + minutes * MINUTE_MS;

  it.for([
    ["stores none that says the same a little later", { ...report, at: later(15) }, false],
    ["stores one that says the same when its own has grown old", { ...report, at: later(16) }, true],
    ["stores one of a later version", { ...report, version: 8, at: later(1) }, true],
    ["stores one that says something else", { ...report, newestAt: "", at: later(1) }, true],
  ] as const)("%s", ([, next, isStored], { expect }) => {
    const state = afterReport(stored, next, next.at);

    expect(state.report).toEqual(next);
    expect(isWorthStoring(state, stored)).toBe(isStored);
  });

  it("stores what it is told, and the report after it", ({ expect }) => {
    const told = afterTelling(stored, 8, later(1));
    const toldAgain = afterTelling(told, 9, later(1));
    const reported = afterReport(told, { ...report, version: 8, at: later(2) }, later(2));

    expect(isWorthStoring(told, stored)).toBe(true);
    expect(isWorthStoring(toldAgain, told)).toBe(true);
    expect(isWorthStoring(reported, told)).toBe(true);
  });
});
