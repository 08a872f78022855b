import { describe, it } from "vitest";
import { afterReport, afterTelling, EMPTY_INBOX, knownNews } from "../../src/live/inbox-state.ts";

const MINUTE_MS = 60_000;
const NEWEST = "2026-11-22 10:00:00";

describe("what an inbox need not be told again", () => {
  const at = Date.parse("2026-11-22T12:00:00Z");
  const reported = afterReport(EMPTY_INBOX, { version: 7, newestAt: NEWEST, at }, at);
  const later = (minutes: number) => at + minutes * MINUTE_MS;

  it("is the newest message of its report, for half of the time that it is trusted", ({ expect }) => {
    expect(knownNews(reported, later(15))).toBe(NEWEST);
    expect(knownNews(reported, later(16))).toBe(null);
  });

  it("is nothing without a report, or once a feed concerned its customer", ({ expect }) => {
    expect(knownNews(EMPTY_INBOX, at)).toBe(null);
    expect(knownNews(afterTelling(reported, 8, later(1)), later(1))).toBe(null);
  });
});
