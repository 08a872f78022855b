import { describe, it } from "vitest";
import {
  afterNotification,
  afterReport,
  EMPTY_INBOX,
  hasNothingNew,
  knownNewestAt,
} from "../../src/inbox/inbox-state.ts";

const MINUTE = 60_000;
const NOW = 1_000 * MINUTE;
const report = (fields: object = {}) => ({ version: 5, newestAt: "2027-01-01 00:00:00", at: NOW, ...fields });

// What no message depends on; test/live/quiet-poll.model.test.ts has the rest.
describe("an inbox", () => {
  it("keeps the newer of two reports of one version, so that it is trusted for longer", ({ expect }) => {
    const state = afterReport(EMPTY_INBOX, report(), NOW);

    expect(afterReport(state, report({ at: NOW - MINUTE }), NOW)).toBe(state);
    expect(afterReport(state, report({ at: NOW + MINUTE }), NOW + MINUTE).report?.at).toBe(NOW + MINUTE);
  });

  it("does not trust a stamp of a clock that was far ahead", ({ expect }) => {
    const ahead = report({ at: NOW + 31 * MINUTE });

    expect(afterReport(EMPTY_INBOX, ahead, NOW)).toBe(EMPTY_INBOX);
    expect(hasNothingNew({ ...EMPTY_INBOX, report: ahead }, ahead.newestAt, NOW)).toBe(false);
  });

  it("answers a poll without a check_time only where there is no message at all", ({ expect }) => {
    const [some, none] = [report(), report({ newestAt: "" })].map((one) => afterReport(EMPTY_INBOX, one, NOW));

    expect(some && hasNothingNew(some, "", NOW)).toBe(false);
    expect(none && hasNothingNew(none, "", NOW)).toBe(true);
  });

  it("need not get its newest message again for half of the time that its report is trusted", ({ expect }) => {
    const state = afterReport(EMPTY_INBOX, report(), NOW);

    expect(knownNewestAt(state, NOW + 15 * MINUTE)).toBe(report().newestAt);
    expect(knownNewestAt(state, NOW + 16 * MINUTE)).toBe(null);
  });

  it("knows no newest message without a report, or once it was notified", ({ expect }) => {
    const state = afterReport(EMPTY_INBOX, report(), NOW);

    expect(knownNewestAt(EMPTY_INBOX, NOW)).toBe(null);
    expect(knownNewestAt(afterNotification(state, 6, NOW), NOW)).toBe(null);
  });
});
