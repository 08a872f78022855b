import { describe, it } from "vitest";
import {
  afterNotification,
  afterSubscription,
  bookmarkOf,
  deletableAt,
  EMPTY_INBOX,
  type InboxState,
  isSubscribed,
  nextAlarm,
  nothingNew,
} from "../../src/inbox/inbox-state.ts";
import type { Topic } from "../../src/inbox/protocol.ts";
import { notification } from "../support/live.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = 1_000 * HOUR;
const [EARLIER_TIME, LATER_TIME] = ["2027-01-01 00:00:00", "2027-01-01 00:00:09"];

const noSocket = (now: number) => ({ hasSockets: false, now });
const subscription = (newestAt: string, at: number) => ({ newestAt, bookmark: "", at });
const subscribed = (newestAt = EARLIER_TIME, at = NOW) =>
  afterSubscription(EMPTY_INBOX, subscription(newestAt, at), at);
const notified = (newestAt: string, state = EMPTY_INBOX, bookmark = "") =>
  afterNotification(state, notification({ newestAt, bookmark }), noSocket(NOW));
const afterLaterMessage = notified(LATER_TIME, subscribed());
const afterEarlierMessage = notified(EARLIER_TIME, subscribed(LATER_TIME));
const lateSubscription = afterSubscription(notified(LATER_TIME), subscription(EARLIER_TIME, NOW), NOW);

describe("an inbox", () => {
  it("is subscribed for an hour, counted from before the primary was asked", ({ expect }) => {
    expect(isSubscribed(EMPTY_INBOX, NOW)).toBe(false);
    expect(isSubscribed(subscribed(), NOW + HOUR - 1)).toBe(true);
    expect(isSubscribed(subscribed(), NOW + HOUR)).toBe(false);
    const clockAhead = afterSubscription(EMPTY_INBOX, subscription("", NOW + MINUTE), NOW);
    expect(isSubscribed(clockAhead, NOW + HOUR)).toBe(false);
  });

  it("keeps the subscription that asked the primary later, in whatever order they arrive", ({ expect }) => {
    const later = subscribed(LATER_TIME, NOW + MINUTE);

    const earlierThen = afterSubscription(later, subscription(EARLIER_TIME, NOW), NOW + MINUTE);
    const laterThen = afterSubscription(subscribed(), subscription(LATER_TIME, NOW + MINUTE), NOW + MINUTE);

    expect(earlierThen.subscription).toEqual(later.subscription);
    expect(laterThen.subscription).toEqual(later.subscription);
  });

  it.for([
    ["is empty if the poll knows the message of the subscription", subscribed(), EARLIER_TIME, true],
    ["is not empty if the message of a notification is later", afterLaterMessage, EARLIER_TIME, false],
    ["is empty if the poll knows the message of the notification", afterLaterMessage, LATER_TIME, true],
    ["is not empty if the message of the subscription is later", afterEarlierMessage, EARLIER_TIME, false],
    ["is empty without a check_time if there is no message", subscribed(""), "", true],
    ["is not empty without a check_time if there is a message", subscribed(), "", false],
    ["is not empty without a check_time after the first message", notified(EARLIER_TIME, subscribed("")), "", false],
    ["is not empty while the inbox is not subscribed", notified(EARLIER_TIME), LATER_TIME, false],
    ["is not empty if an older subscription arrives after the notification", lateSubscription, EARLIER_TIME, false],
  ] as const)("knows that a poll %s", ([, state, checkTime, expected], { expect }) => {
    expect(nothingNew(state, checkTime, NOW)).toBe(expected);
  });

  it("remembers the latest message of its notifications, in whatever order they arrive", ({ expect }) => {
    const late = notified(LATER_TIME, subscribed());

    expect(notified(EARLIER_TIME, late)).toEqual(late);
    expect(notified(LATER_TIME, notified(EARLIER_TIME, subscribed()))).toEqual(late);
  });

  it("forgets its notifications two hours after the last one", ({ expect }) => {
    const state = notified(LATER_TIME, subscribed(EARLIER_TIME, NOW + 110 * MINUTE));
    const isQuietAfter = (minutes: number) => nothingNew(state, EARLIER_TIME, NOW + minutes * MINUTE);

    expect([isQuietAfter(120), isQuietAfter(121)]).toEqual([false, true]);
  });

  it("can be deleted a week after its last subscription, and two hours after a notification", ({ expect }) => {
    expect(deletableAt(EMPTY_INBOX)).toBe(Number.POSITIVE_INFINITY);
    expect(deletableAt(notified(LATER_TIME))).toBe(NOW + 2 * HOUR);
    expect(deletableAt(subscribed())).toBe(NOW + HOUR + 7 * 24 * HOUR);
    expect(deletableAt(notified(LATER_TIME, subscribed("", NOW - 7 * 24 * HOUR)))).toBe(NOW + 2 * HOUR);
  });
});

describe("the bookmark of an inbox", () => {
  const subscribedAfter = (minutes: number, bookmark: string, state: InboxState) =>
    afterSubscription(state, { newestAt: "", bookmark, at: NOW + minutes * MINUTE }, NOW + minutes * MINUTE);

  it("is the greatest of its notifications and subscriptions, in whatever order they arrive", ({ expect }) => {
    const orders = [
      notified("", notified("", subscribed(), "b2"), "b1"),
      notified("", notified("", subscribed(), "b1"), "b2"),
      subscribedAfter(0.5, "b1", notified("", EMPTY_INBOX, "b2")),
      notified("", subscribedAfter(0, "b2", EMPTY_INBOX), "b1"),
      afterSubscription(subscribedAfter(0, "b1", EMPTY_INBOX), { newestAt: "", bookmark: "b2", at: NOW - MINUTE }, NOW),
    ];

    expect(orders.map((state) => bookmarkOf(state, NOW))).toEqual(["b2", "b2", "b2", "b2", "b2"]);
  });

  it("is replaced by a subscription that asked more than a minute after it last grew: the database was", ({
    expect,
  }) => {
    const ofReplaced = notified("", EMPTY_INBOX, "b9");
    const stillNotified = afterNotification(ofReplaced, notification({ bookmark: "b1" }), noSocket(NOW + MINUTE));

    expect(bookmarkOf(subscribedAfter(1, "b2", ofReplaced), NOW + MINUTE)).toBe("b9");
    expect(bookmarkOf(subscribedAfter(1.1, "b2", ofReplaced), NOW + 2 * MINUTE)).toBe("b2");
    expect(bookmarkOf(subscribedAfter(1.1, "b2", stillNotified), NOW + 2 * MINUTE)).toBe("b2");
  });

  it("is forgotten two hours after it last grew", ({ expect }) => {
    const state = notified("", EMPTY_INBOX, "b1");

    expect([120, 121].map((minutes) => bookmarkOf(state, NOW + minutes * MINUTE))).toEqual(["b1", ""]);
  });
});

describe("the next frame", () => {
  const notify = (topics: readonly Topic[], at: number, state = EMPTY_INBOX) =>
    afterNotification(state, notification({ topics }), { hasSockets: true, now: at });

  it("lists the changes of 250 ms since the first, in the order messages, coupons, balance", ({ expect }) => {
    const state = notify(["balance"], 200, notify(["coupons", "messages"], 100, notify(["balance"], 0)));

    expect(state.frame).toEqual({ topics: ["messages", "coupons", "balance"], dueAt: 250 });
  });

  it("is none without a socket, or for an erasure alone", ({ expect }) => {
    const withoutSocket = afterNotification(EMPTY_INBOX, notification({ topics: ["balance"] }), noSocket(NOW));
    const erased = afterNotification(EMPTY_INBOX, notification({ topics: ["erased"] }), { hasSockets: true, now: NOW });

    expect([withoutSocket.frame, erased.frame]).toEqual([null, null]);
  });
});

describe("the alarm of an inbox", () => {
  const socket = (tokenExpires: number) => ({
    customerId: "c",
    tokenExpires,
    order: 1,
    frames: { since: 0, count: 0 },
  });
  const in600Seconds = socket(NOW / 1_000 + 600);
  const forAges = socket(NOW);
  const withFrame = afterNotification(subscribed(), notification({ topics: ["balance"] }), {
    hasSockets: true,
    now: NOW,
  });

  it.for([
    ["the next frame", withFrame, [in600Seconds], NOW + 250],
    ["the end of a token", subscribed(), [forAges, in600Seconds], NOW + 605_000],
    ["the next subscription", subscribed(), [forAges], NOW + HOUR],
    ["another try of a subscription", subscribed("", NOW - HOUR), [forAges], NOW + MINUTE],
    ["a look at the token of an erased customer, which may be revoked", EMPTY_INBOX, [forAges], NOW + HOUR],
    ["the deletion, but not while a socket is open", notified(LATER_TIME), [], NOW + 2 * HOUR],
    ["nothing if it stores nothing", EMPTY_INBOX, [], Number.POSITIVE_INFINITY],
  ] as const)("is set for %s", ([, state, sockets, expected], { expect }) => {
    expect(nextAlarm(state, sockets, NOW)).toBe(expected);
  });
});
