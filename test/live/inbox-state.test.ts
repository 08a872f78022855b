import { describe, it } from "vitest";
import {
  afterNotification,
  afterSubscription,
  deletableAt,
  EMPTY_INBOX,
  isSubscribed,
  nothingNew,
} from "../../src/inbox/inbox-state.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = 1_000 * HOUR;
const [EARLY, LATE] = ["2027-01-01 00:00:00", "2027-01-01 00:00:09"];

const subscribed = (newestAt = EARLY, at = NOW) => afterSubscription(EMPTY_INBOX, { newestAt, at }, at);
const notified = (newestAt: string, state = EMPTY_INBOX) => afterNotification(state, { newestAt, shownAt: 0 }, NOW);

// test/live/subscriptions.test.ts has what no poll may miss.
describe("an inbox", () => {
  it("is subscribed for an hour, counted from before the primary was asked", ({ expect }) => {
    expect(isSubscribed(EMPTY_INBOX, NOW)).toBe(false);
    expect(isSubscribed(subscribed(), NOW + HOUR - 1)).toBe(true);
    expect(isSubscribed(subscribed(), NOW + HOUR)).toBe(false);
  });

  it("keeps the subscription that asked the primary later, whichever arrives later", ({ expect }) => {
    const later = subscribed(LATE, NOW + MINUTE);

    expect(afterSubscription(later, { newestAt: EARLY, at: NOW }, NOW + MINUTE)).toBe(later);
    expect(afterSubscription(subscribed(), { newestAt: LATE, at: NOW + MINUTE }, NOW + MINUTE)).toEqual(later);
  });

  it("is not subscribed for longer by a clock that is ahead", ({ expect }) => {
    const state = afterSubscription(EMPTY_INBOX, { newestAt: "", at: NOW + MINUTE }, NOW);

    expect(isSubscribed(state, NOW + HOUR)).toBe(false);
  });

  it("says nothing new where neither its subscription nor a notification is later", ({ expect }) => {
    const state = notified(LATE, subscribed());

    expect(nothingNew(subscribed(), EARLY, NOW)).toBe(true);
    expect(nothingNew(state, EARLY, NOW)).toBe(false);
    expect(nothingNew(state, LATE, NOW)).toBe(true);
    expect(nothingNew(notified(EARLY, subscribed(LATE)), EARLY, NOW)).toBe(false);
  });

  it("says nothing new to a poll without a check_time only where there is no message at all", ({ expect }) => {
    expect(nothingNew(subscribed(""), "", NOW)).toBe(true);
    expect(nothingNew(subscribed(), "", NOW)).toBe(false);
    expect(nothingNew(notified(EARLY, subscribed("")), "", NOW)).toBe(false);
  });

  it("says nothing new to nobody while it is not subscribed", ({ expect }) => {
    expect(nothingNew(notified(EARLY), LATE, NOW)).toBe(false);
  });

  it("forgets what it was notified of two hours after the last notification", ({ expect }) => {
    const state = subscribed(EARLY, NOW + 110 * MINUTE);
    const nothingNewAfter = (minutes: number) => nothingNew(notified(LATE, state), EARLY, NOW + minutes * MINUTE);

    expect([nothingNewAfter(120), nothingNewAfter(121)]).toEqual([false, true]);
  });

  it("writes nothing for a notification of no message", ({ expect }) => {
    const state = subscribed();

    expect(notified("", state)).toBe(state);
  });

  it("can be deleted a week after its last subscription, and two hours after a notification", ({ expect }) => {
    expect(deletableAt(EMPTY_INBOX)).toBe(null);
    expect(deletableAt(notified(LATE))).toBe(NOW + 2 * HOUR);
    expect(deletableAt(subscribed())).toBe(NOW + HOUR + 7 * 24 * HOUR);
    expect(deletableAt(notified(LATE, subscribed("", NOW - 7 * 24 * HOUR)))).toBe(NOW + 2 * HOUR);
  });
});
