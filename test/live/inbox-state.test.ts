import { describe, it } from "vitest";
import {
  addChange,
  afterNotification,
  afterSubscription,
  deletableAt,
  EMPTY_INBOX,
  isSubscribed,
  nextFrameAt,
  nothingNew,
  type PendingChanges,
  takeFrame,
} from "../../src/inbox/inbox-state.ts";
import type { ChangeKind } from "../../src/inbox/protocol.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = 1_000 * HOUR;
const [EARLIER_TIME, LATER_TIME] = ["2027-01-01 00:00:00", "2027-01-01 00:00:09"];

const subscribed = (newestAt = EARLIER_TIME, at = NOW) => afterSubscription(EMPTY_INBOX, { newestAt, at }, at);
const notified = (newestAt: string, state = EMPTY_INBOX, shownAt = 0) =>
  afterNotification(state, { newestAt, shownAt }, NOW);
const afterLaterMessage = notified(LATER_TIME, subscribed());
const afterEarlierMessage = notified(EARLIER_TIME, subscribed(LATER_TIME));
const lateSubscription = afterSubscription(notified(LATER_TIME), { newestAt: EARLIER_TIME, at: NOW }, NOW);

describe("an inbox", () => {
  it("is subscribed for an hour, counted from before the primary was asked", ({ expect }) => {
    expect(isSubscribed(EMPTY_INBOX, NOW)).toBe(false);
    expect(isSubscribed(subscribed(), NOW + HOUR - 1)).toBe(true);
    expect(isSubscribed(subscribed(), NOW + HOUR)).toBe(false);
    const clockAhead = afterSubscription(EMPTY_INBOX, { newestAt: "", at: NOW + MINUTE }, NOW);
    expect(isSubscribed(clockAhead, NOW + HOUR)).toBe(false);
  });

  it("keeps the subscription that asked the primary later, in whatever order they arrive", ({ expect }) => {
    const later = subscribed(LATER_TIME, NOW + MINUTE);

    expect(afterSubscription(later, { newestAt: EARLIER_TIME, at: NOW }, NOW + MINUTE)).toBe(later);
    expect(afterSubscription(subscribed(), { newestAt: LATER_TIME, at: NOW + MINUTE }, NOW + MINUTE)).toEqual(later);
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
    const late = notified(LATER_TIME, subscribed(), NOW + 900);

    expect(notified(EARLIER_TIME, late, NOW + 100)).toEqual(late);
    expect(notified(LATER_TIME, notified(EARLIER_TIME, subscribed(), NOW + 100), NOW + 900)).toEqual(late);
  });

  it("forgets its notifications two hours after the last one", ({ expect }) => {
    const state = notified(LATER_TIME, subscribed(EARLIER_TIME, NOW + 110 * MINUTE));
    const isQuietAfter = (minutes: number) => nothingNew(state, EARLIER_TIME, NOW + minutes * MINUTE);

    expect([isQuietAfter(120), isQuietAfter(121)]).toEqual([false, true]);
  });

  it("writes nothing for a notification of no message", ({ expect }) => {
    const state = subscribed();

    expect(notified("", state)).toBe(state);
  });

  it("can be deleted a week after its last subscription, and two hours after a notification", ({ expect }) => {
    expect(deletableAt(EMPTY_INBOX)).toBe(null);
    expect(deletableAt(notified(LATER_TIME))).toBe(NOW + 2 * HOUR);
    expect(deletableAt(subscribed())).toBe(NOW + HOUR + 7 * 24 * HOUR);
    expect(deletableAt(notified(LATER_TIME, subscribed("", NOW - 7 * 24 * HOUR)))).toBe(NOW + 2 * HOUR);
  });
});

/** Notifications: when they arrive, and when an endpoint shows their changes if that is later. In milliseconds. */
type Changes = readonly { at: number; kinds: readonly ChangeKind[]; shownAt?: number }[];

/** Returns the frames with their times, and the largest number of entries that the inbox stored at once. */
function simulate(changes: Changes) {
  let pendingChanges: PendingChanges = [];
  let mostEntries = 0;
  const frames: [at: number, kinds: ChangeKind[]][] = [];
  const sendUntil = (end: number) => {
    for (let due = nextFrameAt(pendingChanges); due !== null && due <= end; due = nextFrameAt(pendingChanges)) {
      const { kinds, laterChanges } = takeFrame(pendingChanges, due);
      frames.push([due, kinds]);
      pendingChanges = laterChanges;
    }
  };
  for (const { at, kinds, shownAt = at } of changes) {
    sendUntil(at - 1);
    for (const kind of kinds) pendingChanges = addChange(pendingChanges, kind, shownAt);
    mostEntries = Math.max(mostEntries, pendingChanges.length);
  }
  sendUntil(Number.POSITIVE_INFINITY);
  return { frames, mostEntries };
}

const every = (milliseconds: number, count: number) =>
  Array.from({ length: count }, (_, index) => index * milliseconds);
const nextSecond = (at: number) => 1_000 * (Math.floor(at / 1_000) + 1);

describe("frames", () => {
  it.for<[what: string, changes: Changes, frames: [at: number, kinds: ChangeKind[]][]]>([
    [
      "list the changes of 250 ms in the order messages, coupons, balance",
      [
        { at: 0, kinds: ["balance"] },
        { at: 100, kinds: ["coupons", "messages"] },
        { at: 200, kinds: ["balance"] },
      ],
      [[250, ["messages", "coupons", "balance"]]],
    ],
    [
      "are sent 250 ms after the first change, not after the last",
      every(50, 30).map((at) => ({ at, kinds: ["balance"] })),
      [250, 550, 850, 1_150, 1_450].map((at) => [at, ["balance"]]),
    ],
    [
      "for a balance do not wait until a message is shown",
      [
        { at: 0, kinds: ["messages"], shownAt: 900 },
        { at: 0, kinds: ["balance"] },
      ],
      [
        [250, ["balance"]],
        [1_150, ["messages"]],
      ],
    ],
    [
      "come each second while a message comes every 100 ms",
      every(100, 35).map((at) => ({ at, kinds: ["messages"], shownAt: nextSecond(at) + 100 })),
      [1_350, 2_350, 3_350, 4_350].map((at) => [at, ["messages"]]),
    ],
  ])("%s", ([, changes, frames], { expect }) => {
    expect(simulate(changes).frames).toEqual(frames);
  });

  it("need one entry for each step of 50 ms, however many changes come", ({ expect }) => {
    const { mostEntries } = simulate(every(1, 1_000).map((at) => ({ at: 0, kinds: ["messages"], shownAt: at })));

    expect(mostEntries).toBe(21);
  });
});
