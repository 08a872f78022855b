import { describe, it } from "vitest";
import { EMPTY_INBOX, type InboxState } from "../../src/inbox/inbox-state.ts";
import { DESIGN, HOUR, type Limits, MINUTE, type Rules } from "./quiet-poll.model.ts";
import { explore } from "./quiet-poll.search.ts";

const FEW: Limits = {
  polls: 2,
  messages: 2,
  moves: 0,
  others: 0,
  arrivals: 1,
  ticks: [],
  travels: 0,
  lag: 0,
  listensFor: 24 * HOUR,
};
const quarters = [{ by: 15 * MINUTE, times: 3 }];
const seconds = [{ by: 1_000, times: 2 }];

const SCHEDULES: Record<string, Limits> = {
  "three polls at once": { ...FEW, polls: 3, others: 1 },
  "reports and notifications that come twice": { ...FEW, polls: 3, arrivals: 2 },
  "reports and notifications that come after up to 45 minutes": { ...FEW, ticks: quarters },
  "a message whose second is not over": { ...FEW, ticks: seconds },
  "groups that the customer leaves and joins": { ...FEW, messages: 1, moves: 2 },
  "a listener's row that ends": { ...FEW, messages: 1, ticks: quarters, listensFor: 70 * MINUTE },
  "a listener's row that soon ends": { ...FEW, messages: 1, ticks: quarters, listensFor: 20 * MINUTE },
  "a customer who is no listener yet": { ...FEW, polls: 3, others: 1, listensFor: 0 },
  "replicas that lag by two commits, and a customer who is no listener yet": {
    ...FEW,
    polls: 3,
    others: 1,
    lag: 2,
    listensFor: 0,
  },
  "replicas that lag by three commits": { ...FEW, others: 1, lag: 3 },
  "replicas that lag by half an hour": { ...FEW, messages: 1, lag: 1, ticks: [{ by: 15 * MINUTE, times: 4 }] },
  "a database that is set back": { ...FEW, travels: 1, ticks: [{ by: 16 * MINUTE, times: 2 }] },
};

describe("the inbox in every schedule", () => {
  it.for(Object.entries(SCHEDULES))(
    "is right about whatever it was notified of or was reported, late by 30 minutes at most, and of use: %s",
    ([, limits], { expect }) => {
      const { counterexample, states } = explore(limits, DESIGN);

      expect(counterexample).toBeNull();
      expect(states).toBeGreaterThan(500);
    },
  );
});

// The rules, each broken in one way.

const trustsFor =
  (milliseconds: number): Rules["hasNothingNew"] =>
  (state, checkTime, now) =>
    state.report !== null && now - state.report.at <= milliseconds && state.report.newestAt <= checkTime;

const remembersFor =
  (isOver: (age: number) => boolean): Rules["afterReport"] =>
  (state, report, now) => {
    const forgets = state.highest !== null && isOver(now - state.highest.at);
    return DESIGN.afterReport(forgets ? { ...state, highest: null } : state, report, now);
  };

const neverForgets: Rules["afterReport"] = (state, report, now) =>
  report.version < (state.highest?.version ?? 0) ? state : DESIGN.afterReport(state, report, now);

const BROKEN: Record<string, { broken: Partial<Rules>; in: keyof typeof SCHEDULES; fault: RegExp }> = {
  "a report from before a notification is trusted": {
    broken: { afterReport: (state, report) => ({ ...state, report }) },
    in: "three polls at once",
    fault: /though the inbox was notified/,
  },
  "a notification leaves the report": {
    broken: { afterNotification: (state, version, now) => ({ ...state, highest: { version, at: now } }) },
    in: "three polls at once",
    fault: /though the inbox was notified/,
  },
  "a notification is not remembered": {
    broken: {
      afterNotification: (state, version, now) => ({
        ...DESIGN.afterNotification(state, version, now),
        highest: state.highest,
      }),
    },
    in: "three polls at once",
    fault: /though the inbox was notified/,
  },
  "a report is not remembered once an older one comes": {
    broken: {
      afterReport: (state, report, now) => ({ ...DESIGN.afterReport(state, report, now), highest: state.highest }),
    },
    in: "three polls at once",
    fault: /though it was reported/,
  },
  "a version is forgotten after 15 minutes": {
    broken: { afterReport: remembersFor((age) => age >= 15 * MINUTE) },
    in: "reports and notifications that come after up to 45 minutes",
    fault: /though the inbox was notified/,
  },
  "a version is forgotten in the last millisecond in which a report from before it is trusted": {
    broken: { afterReport: remembersFor((age) => age >= 30 * MINUTE) },
    in: "reports and notifications that come after up to 45 minutes",
    fault: /though the inbox was notified/,
  },
  "a version is never forgotten": {
    broken: { afterReport: neverForgets },
    in: "a database that is set back",
    fault: /not quiet after a poll/,
  },
  "a report is trusted for 45 minutes": {
    broken: { hasNothingNew: trustsFor(45 * MINUTE) },
    in: "reports and notifications that come after up to 45 minutes",
    fault: /late by more than 30 minutes/,
  },
  "a report is not trusted at exactly 30 minutes": {
    broken: { hasNothingNew: trustsFor(30 * MINUTE - 1) },
    in: "three polls at once",
    fault: /not quiet for 30 minutes/,
  },
  "a report is stamped after D1 was read": {
    broken: { isStampedFirst: false },
    in: "reports and notifications that come after up to 45 minutes",
    fault: /late by more than 30 minutes|though the inbox was notified/,
  },
  "the own newest message counts as new": {
    broken: {
      hasNothingNew: (state, checkTime, now) =>
        DESIGN.hasNothingNew(state, checkTime, now) && state.report?.newestAt !== checkTime,
    },
    in: "three polls at once",
    fault: /not quiet after a poll/,
  },
  "a report of the very version of a notification is dropped": {
    broken: {
      afterReport: (state, report, now) =>
        report.version <= (state.highest?.version ?? 0) ? state : DESIGN.afterReport(state, report, now),
    },
    in: "three polls at once",
    fault: /not quiet after a poll/,
  },
  "a notification that comes again drops the report": {
    broken: {
      afterNotification: (state, version, now) => ({ ...DESIGN.afterNotification(state, version, now), report: null }),
    },
    in: "three polls at once",
    fault: /not quiet after it was notified once more/,
  },
  "the state is not stored": {
    broken: { stores: (): InboxState => EMPTY_INBOX },
    in: "three polls at once",
    fault: /not quiet after eviction/,
  },
  "only reports are stored": {
    broken: { stores: ({ stored, memory, isNotification }) => (isNotification ? stored : memory) },
    in: "three polls at once",
    fault: /though the inbox was notified/,
  },
  "a report leaves out a message that is not shown yet": {
    broken: { countsUnshown: false },
    in: "a message whose second is not over",
    fault: /though the inbox was notified|though it was read/,
  },
  "a poll reports that found no listener's row": {
    broken: { mayReport: () => true },
    in: "a customer who is no listener yet",
    fault: /nobody will notify it/,
  },
  "a poll reports that found a listener's row which soon ends": {
    broken: { mayReport: (left) => left > 0 },
    in: "a listener's row that soon ends",
    fault: /nobody will notify it/,
  },
  "the listener's row is read after the news": {
    broken: { transactions: [["version", "news"], ["row"]] },
    in: "a customer who is no listener yet",
    fault: /nobody will notify it/,
  },
  "the listener's row is read before the news": {
    broken: { transactions: [["row"], ["version", "news"]] },
    in: "replicas that lag by two commits, and a customer who is no listener yet",
    fault: /nobody will notify it/,
  },
  "a version is remembered for half an hour": {
    broken: { afterReport: remembersFor((age) => age > 30 * MINUTE) },
    in: "replicas that lag by half an hour",
    fault: /though the inbox was notified/,
  },
  "a message is dropped from the outbox after half an hour": {
    broken: { isDropped: (age) => age > 30 * MINUTE },
    in: "replicas that lag by half an hour",
    fault: /nobody will notify it/,
  },
  "the version is read after the news": {
    broken: { transactions: [["row", "news"], ["version"]] },
    in: "three polls at once",
    fault: /though the inbox was notified|though it was read/,
  },
  "the schedule notifies of several changes with the lowest version": {
    broken: { versionOf: (versions) => Math.min(...versions) },
    in: "a message whose second is not over",
    fault: /though the inbox was notified/,
  },
  "a message is dropped from the outbox after 15 minutes": {
    broken: { isDropped: (age) => age >= 15 * MINUTE },
    in: "reports and notifications that come after up to 45 minutes",
    fault: /nobody will notify it/,
  },
  "a message is dropped in the last millisecond in which a report from before it is trusted": {
    broken: { isDropped: (age) => age >= 30 * MINUTE },
    in: "reports and notifications that come after up to 45 minutes",
    fault: /nobody will notify it/,
  },
};

describe("a broken rule is found", () => {
  it.for(Object.entries(BROKEN))("%s", ([, { broken, in: schedules, fault }], { expect }) => {
    const limits = SCHEDULES[schedules];
    if (limits === undefined) throw new Error(`There are no schedules ${schedules}.`);

    const { counterexample } = explore(limits, { ...DESIGN, ...broken });

    expect(counterexample?.fault).toMatch(fault);
  });
});
