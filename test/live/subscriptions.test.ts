import { describe, it } from "vitest";
import { Random } from "../../scripts/program/random.ts";
import {
  afterNotification,
  afterSubscription,
  EMPTY_INBOX,
  type InboxState,
  nothingNew,
} from "../../src/inbox/inbox-state.ts";
import type { Subscription } from "../../src/inbox/protocol.ts";

// One customer, the primary and the inbox, with whatever is on its way between them: in random order, late, and twice.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = 100 * HOUR;
const STEPS = 60;

const RULES = {
  nothingNew,
  afterSubscription,
  afterNotification,
  /** How long the listener's row is valid at least, once a subscription was read. */
  listensFor: 2 * HOUR,
  /** Whether a subscription is counted from before the primary is asked. */
  countsFromBefore: true,
  /** What is notified of a message. */
  told: (messageAt: string) => messageAt,
  droppedAfter: HOUR,
};
type Rules = typeof RULES;

interface Message {
  at: string;
  committedAt: number;
  /** Whether the outbox has it, or had it and the inbox was notified. */
  state: "unheard" | "in the outbox" | "notified";
}

class World {
  readonly #rules: Rules;
  readonly #random: Random;
  readonly #asked: number[] = [];
  readonly #subscriptions: Subscription[] = [];
  readonly #messages: Message[] = [];
  #now = START;
  #listensUntil = 0;
  #inbox: InboxState = EMPTY_INBOX;

  constructor(seed: number, rules: Rules) {
    this.#random = new Random(`subscriptions ${seed}`);
    this.#rules = rules;
  }

  /** What went wrong; null: nothing did. */
  run(): string | null {
    for (let step = 0; step < STEPS; step += 1) {
      this.#random.pick([this.#ask, this.#read, this.#subscribe, this.#commit, this.#notify, this.#pass]).call(this);
      const fault = this.#findMissed() ?? this.#findUseless();
      if (fault !== null) return `${fault} after ${step} steps`;
    }
    return null;
  }

  /** A poll finds its inbox without a subscription. */
  #ask(): void {
    this.#asked.push(this.#now);
  }

  /** The primary writes the listener's row, and reads the newest message. */
  #read(): void {
    const at = this.#asked.shift();
    if (at === undefined) return;
    this.#listensUntil = Math.max(this.#listensUntil, this.#now + this.#rules.listensFor);
    this.#subscriptions.push({ newestAt: this.#newestAt(), at: this.#rules.countsFromBefore ? at : Number.NaN });
  }

  #subscribe(): void {
    if (this.#subscriptions.length === 0) return;
    const subscription = this.#random.pick(this.#subscriptions);
    const at = Number.isNaN(subscription.at) ? this.#now : subscription.at;
    this.#inbox = this.#rules.afterSubscription(this.#inbox, { ...subscription, at }, this.#now);
  }

  /** A message is stored, or the customer joins a group with an old one. */
  #commit(): void {
    const isOld = this.#random.next() < 0.3;
    const at = toText(isOld ? this.#random.integer(1, 9) * MINUTE : this.#now);
    const state = this.#listensUntil > this.#now ? "in the outbox" : "unheard";
    this.#messages.push({ at, committedAt: this.#now, state });
  }

  #notify(): void {
    const heard = this.#messages.filter(({ state }) => state !== "unheard");
    if (heard.length === 0) return;
    const message = this.#random.pick(heard);
    message.state = "notified";
    const newestAt = this.#rules.told(message.at);
    this.#inbox = this.#rules.afterNotification(this.#inbox, { newestAt, shownAt: 0 }, this.#now);
  }

  #pass(): void {
    this.#now += this.#random.pick([1_000, MINUTE, 10 * MINUTE, 31 * MINUTE]);
    for (const message of this.#messages) {
      const isOld = message.state === "in the outbox" && this.#now - message.committedAt > this.#rules.droppedAfter;
      if (isOld) message.state = "unheard";
    }
  }

  #findMissed(): string | null {
    for (const checkTime of ["", ...this.#messages.map(({ at }) => at)]) {
      if (!this.#rules.nothingNew(this.#inbox, checkTime, this.#now)) continue;
      const missed = this.#messages.filter(({ at }) => at > checkTime);
      if (missed.some(({ state }) => state === "notified")) return "missed, though the inbox was notified";
      if (missed.some(({ state }) => state === "unheard")) return "missed, and nobody will notify the inbox";
      if (missed.some(({ committedAt }) => this.#now - committedAt > HOUR)) return "missed for more than an hour";
    }
    return null;
  }

  /** Once somebody subscribes now, a poller who has seen everything is answered by the inbox for the next hour. */
  #findUseless(): string | null {
    const newestAt = this.#newestAt();
    const inbox = this.#rules.afterSubscription(this.#inbox, { newestAt, at: this.#now }, this.#now);
    return this.#rules.nothingNew(inbox, newestAt, this.#now + HOUR - 1) ? null : "not quiet after a subscription";
  }

  #newestAt(): string {
    return this.#messages.reduce((newest, { at }) => (at > newest ? at : newest), "");
  }
}

const toText = (at: number) => String(at).padStart(12, "0");

function findFault(rules: Rules): string | null {
  for (let seed = 0; seed < 3_000; seed += 1) {
    const fault = new World(seed, rules).run();
    if (fault !== null) return fault;
  }
  return null;
}

describe("what is committed after the subscription is notified; what was committed before it was read", () => {
  it("so no poll misses a message, but one that is still to be notified, and that for an hour at most", ({
    expect,
  }) => {
    expect(findFault(RULES)).toBeNull();
  });
});

const BROKEN: Record<string, { broken: Partial<Rules>; fault: RegExp }> = {
  "a subscription hides what the inbox was notified of": {
    broken: { afterSubscription: (state, one, now) => ({ ...afterSubscription(state, one, now), notified: null }) },
    fault: /though the inbox was notified/,
  },
  "only the last notification counts": {
    broken: { afterNotification: (state, { newestAt }, now) => ({ ...state, notified: { newestAt, at: now } }) },
    fault: /though the inbox was notified/,
  },
  "a notification is dropped while there is no subscription": {
    broken: {
      afterNotification: (state, one, now) =>
        state.subscription === null ? state : afterNotification(state, one, now),
    },
    fault: /though the inbox was notified/,
  },
  "a notification is remembered for half an hour": {
    broken: {
      nothingNew: (state, checkTime, now) =>
        nothingNew({ ...state, notified: isWithin(state.notified, now, HOUR / 2) }, checkTime, now),
    },
    fault: /though the inbox was notified/,
  },
  "a notification of an old message does not count as the last": {
    broken: {
      afterNotification: (state, one, now) =>
        one.newestAt > (state.notified?.newestAt ?? "") ? afterNotification(state, one, now - 90 * MINUTE) : state,
    },
    fault: /though the inbox was notified/,
  },
  "a notification says nothing of the message": {
    broken: { told: () => "" },
    fault: /though the inbox was notified/,
  },
  "a subscription is counted from when it arrives": { broken: { countsFromBefore: false }, fault: /missed/ },
  "a listener's row is valid for less than a subscription": {
    broken: { listensFor: HOUR / 2 },
    fault: /nobody will notify/,
  },
  "the outbox drops what is half an hour old": { broken: { droppedAfter: HOUR / 2 }, fault: /nobody will notify/ },
};

const isWithin = (notified: InboxState["notified"], now: number, milliseconds: number) =>
  notified !== null && now - notified.at <= milliseconds ? notified : null;

describe("a broken rule is found", () => {
  it.for(Object.entries(BROKEN))("%s", ([, { broken, fault }], { expect }) => {
    expect(findFault({ ...RULES, ...broken })).toMatch(fault);
  });
});
