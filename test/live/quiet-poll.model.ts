import {
  afterNotification,
  afterReport,
  EMPTY_INBOX,
  hasNothingNew,
  type InboxState,
  type Report,
} from "../../src/inbox/inbox-state.ts";

// One customer, the database, the inbox, and what is on its way between them. A move is one thing that happens at once;
// whatever two moves can follow each other in any order, they are tried in every order. The inbox's own rules are the
// service's functions; the rest of the design is written down here, so that a test can break each of its rules.

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
/** No replica lags by more. */
const LONGEST_LAG = 30 * MINUTE;
const START = 100 * MINUTE;

/** What a poll reads of D1: `row` is the listener's. */
type Part = "row" | "version" | "news";

export interface Rules {
  hasNothingNew: typeof hasNothingNew;
  afterReport: typeof afterReport;
  afterNotification: typeof afterNotification;
  /** What a poll reads at D1; each list is one transaction, at the primary or at a replica. */
  transactions: readonly (readonly Part[])[];
  /** Whether a poll reports that found the listener's row valid for so long. */
  mayReport: (listensFor: number) => boolean;
  /** Whether the stamp of a report is from before D1 was asked. */
  isStampedFirst: boolean;
  /** Whether a report's newest time counts a message that is not shown yet. */
  countsUnshown: boolean;
  /** The listener's row is renewed when less than this is left of its 24 hours. */
  renewsBelow: number;
  /** The version with which the schedule notifies of several changes at once. */
  versionOf: (versions: readonly number[]) => number;
  /** Whether the schedule drops a change of messages that has been in the outbox for so long. */
  isDropped: (age: number) => boolean;
  /** What is stored after a report or a notification. */
  stores: (change: { stored: InboxState; memory: InboxState; isNotification: boolean }) => InboxState;
}

/** The design as it is. */
export const DESIGN: Rules = {
  hasNothingNew,
  afterReport,
  afterNotification,
  transactions: [["row", "version", "news"]],
  mayReport: (listensFor) => listensFor >= HOUR,
  isStampedFirst: true,
  countsUnshown: true,
  renewsBelow: 12 * HOUR,
  versionOf: (versions) => Math.max(...versions),
  isDropped: (age) => age > HOUR,
  stores: ({ memory }) => memory,
};

/** What the moves of a schedule may be, and how many of each. */
export interface Limits {
  polls: number;
  /** Messages in a group of the customer. */
  messages: number;
  /** The customer leaves all groups, or joins one with an old message. */
  moves: number;
  /** Feeds that do not concern the customer. */
  others: number;
  /** So often each report and each notification can arrive. */
  arrivals: number;
  /** By how much the clock can move on, and how often. */
  ticks: readonly { by: number; times: number }[];
  /** How often the database can be set back to any state that it had. */
  travels: number;
  /** By how many commits a replica may lag. */
  lag: number;
  /** For how long the customer is a listener at the start; 0: no row. */
  listensFor: number;
}

interface Message {
  version: number;
  /** Its stamp, in seconds. */
  at: number;
  /** Whether the outbox had it, because the customer was a listener, and did not drop it before. */
  isNotified: boolean;
}

interface Db {
  version: number;
  messages: readonly Message[];
  listensUntil: number;
}

/** A report, with what only the model knows: when its poll began. */
export type Traced = Report & { begunAt: number };

interface Poll {
  begunAt: number;
  /** How many of its transactions are over. */
  transactions: number;
  listensUntil: number;
  version: number;
  newestAt: string;
  /** Whether it is still to write the listener's row at the primary. */
  renews: boolean;
  report: Traced | null;
  arrivals: number;
}

export interface World {
  now: number;
  db: Db;
  past: readonly Db[];
  /** What a replica may be: the database before each of the last commits, and when that was over. */
  copies: readonly { db: Db; endedAt: number }[];
  polls: readonly Poll[];
  /** Each change of which the inbox is to be notified, and how often it still can be. */
  notifications: readonly { version: number; storedAt: number; isNotified: boolean; arrivals: number }[];
  /** The highest version that was reported within 30 minutes of its poll. */
  reported: number;
  memory: InboxState;
  stored: InboxState;
  hasTravelled: boolean;
  left: Limits;
}

export const toText = (at: number) => String(at).padStart(8, "0");
export const newestOf = (messages: readonly Message[]) =>
  messages.reduce((newest, { at }) => (toText(at) > newest ? toText(at) : newest), "");
export const isTooOld = ({ begunAt }: Traced, now: number) => now - begunAt > 30 * MINUTE;
export const isShown = ({ at }: Message, now: number) => at < Math.floor(now / SECOND);

export function start(limits: Limits): World {
  const db = { version: 7, messages: [], listensUntil: limits.listensFor === 0 ? 0 : START + limits.listensFor };
  return {
    now: START,
    db,
    past: [],
    copies: [],
    polls: [],
    notifications: [],
    reported: 0,
    memory: EMPTY_INBOX,
    stored: EMPTY_INBOX,
    hasTravelled: false,
    left: limits,
  };
}

/** What can happen next, by name. */
export function* nextOf(world: World, rules: Rules): Generator<[move: string, world: World]> {
  const { left } = world;
  if (left.messages > 0) {
    const at = Math.floor(world.now / SECOND);
    yield ["message", commit(spend(world, "messages"), (messages, one) => [...messages, { ...one, at }])];
  }
  if (left.moves > 0) {
    yield ["leave", commit(spend(world, "moves"), () => [])];
    yield ["join", commit(spend(world, "moves"), (messages, one) => [...messages, { ...one, at: 1 }])];
  }
  if (left.others > 0) {
    const db = { ...world.db, version: world.db.version + 1 };
    yield ["other", { ...spend(world, "others"), db, past: pastOf(world), copies: copiesOf(world) }];
  }
  if (left.polls > 0) yield ["poll", begin(spend(world, "polls"))];
  for (const [index, poll] of world.polls.entries()) {
    if (poll.transactions < rules.transactions.length) {
      yield [`read ${index}`, read(world, index, rules, world.db)];
      const copies = world.copies.filter(({ endedAt }) => world.now - endedAt <= LONGEST_LAG);
      for (const { db } of copies) yield [`read ${index} as of ${db.version}`, read(world, index, rules, db)];
      continue;
    }
    if (poll.report !== null && poll.arrivals > 0) yield [`report ${index}`, report(world, index, rules)];
    if (poll.renews) yield [`renew ${index}`, renew(world, index, rules)];
  }
  for (const [index, { version, arrivals }] of world.notifications.entries()) {
    if (arrivals > 0) yield [`notify ${version}`, notify(world, [index], rules)];
  }
  const waiting = [...world.notifications.keys()].filter((index) => !world.notifications[index]?.isNotified);
  if (waiting.length > 1) yield ["schedule", notify(world, waiting, rules)];
  if (world.memory !== world.stored) yield ["evict", { ...world, memory: world.stored }];
  for (const [index, { by, times }] of left.ticks.entries()) {
    if (times === 0) continue;
    const ticks = left.ticks.with(index, { by, times: times - 1 });
    yield [`+${by / SECOND} s`, drop({ ...world, now: world.now + by, left: { ...left, ticks } }, rules)];
  }
  if (left.travels > 0) {
    for (const [index, db] of world.past.entries()) {
      yield [`back to ${index}`, { ...spend(world, "travels"), db, past: [], copies: [], hasTravelled: true }];
    }
  }
}

// What nobody can go back to is forgotten: it would only make states differ.
const pastOf = ({ past, db, left }: World) => (left.travels > 0 ? [...past, db] : []);

const copiesOf = ({ copies, db, now, left }: World) =>
  left.lag > 0 ? [...copies, { db, endedAt: now }].slice(-left.lag) : [];

function spend(world: World, part: "polls" | "messages" | "moves" | "others" | "travels"): World {
  return { ...world, left: { ...world.left, [part]: world.left[part] - 1 } };
}

/** A feed request that concerns the customer commits, and its customer is to be notified, if the customer is a listener. */
function commit(
  world: World,
  change: (messages: readonly Message[], one: Omit<Message, "at">) => readonly Message[],
): World {
  const version = world.db.version + 1;
  const isNotified = world.db.listensUntil > world.now;
  const db = { ...world.db, version, messages: change(world.db.messages, { version, isNotified }) };
  const notification = { version, storedAt: world.now, isNotified: false, arrivals: world.left.arrivals };
  return {
    ...world,
    db,
    past: pastOf(world),
    copies: copiesOf(world),
    notifications: isNotified ? [...world.notifications, notification] : world.notifications,
  };
}

/** The schedule drops changes of which nobody could be notified in time. */
function drop(world: World, rules: Rules): World {
  const isOld = ({ isNotified, storedAt }: World["notifications"][number]) =>
    !isNotified && rules.isDropped(world.now - storedAt);
  const dropped = world.notifications.filter(isOld).map(({ version }) => version);
  if (dropped.length === 0) return world;
  const messages = world.db.messages.map((one) =>
    dropped.includes(one.version) ? { ...one, isNotified: false } : one,
  );
  const notifications = world.notifications.filter((one) => !isOld(one));
  return { ...world, db: { ...world.db, messages }, notifications };
}

/** A poll that the inbox leaves to D1 begins. What the inbox answers others is looked at in every state. */
function begin(world: World): World {
  const { now, left } = world;
  const found = { listensUntil: 0, version: 0, newestAt: "", renews: false, report: null };
  const poll = { begunAt: now, transactions: 0, ...found, arrivals: left.arrivals };
  return { ...world, polls: [...world.polls, poll] };
}

/** A transaction of a poll, at the primary or at a copy of the database as it was. */
function read(world: World, index: number, rules: Rules, db: Db): World {
  const { now } = world;
  const poll = { ...(world.polls[index] as Poll) };
  for (const part of rules.transactions[poll.transactions] ?? []) {
    if (part === "row") poll.listensUntil = db.listensUntil;
    if (part === "version") poll.version = db.version;
    const counted = rules.countsUnshown ? db.messages : db.messages.filter((one) => isShown(one, now));
    if (part === "news") poll.newestAt = newestOf(counted);
  }
  poll.transactions += 1;
  if (poll.transactions === rules.transactions.length) {
    const { listensUntil, version, newestAt, begunAt } = poll;
    poll.renews = listensUntil < now + rules.renewsBelow;
    const report = { version, newestAt, at: rules.isStampedFirst ? begunAt : now, begunAt };
    poll.report = rules.mayReport(listensUntil - now) ? report : null;
  }
  const isOver = poll.transactions === rules.transactions.length && poll.report === null && !poll.renews;
  const polls = isOver ? world.polls.toSpliced(index, 1) : world.polls.with(index, poll);
  return { ...world, polls };
}

/** The listener's row is written at the primary, in the background. */
function renew(world: World, index: number, rules: Rules): World {
  const { now, db } = world;
  const poll = { ...(world.polls[index] as Poll), renews: false };
  const polls = poll.report === null ? world.polls.toSpliced(index, 1) : world.polls.with(index, poll);
  if (db.listensUntil >= now + rules.renewsBelow) return { ...world, polls };
  return { ...world, polls, copies: copiesOf(world), db: { ...db, listensUntil: now + 24 * HOUR } };
}

function report(world: World, index: number, rules: Rules): World {
  const poll = world.polls[index] as Poll;
  const traced = poll.report as Traced;
  const memory = rules.afterReport(world.memory, traced, world.now);
  const stored = rules.stores({ stored: world.stored, memory, isNotification: false });
  const polls = world.polls.with(index, { ...poll, arrivals: poll.arrivals - 1 });
  const reported = isTooOld(traced, world.now) ? world.reported : Math.max(world.reported, traced.version);
  return { ...world, memory, stored, reported, polls: polls.filter((one) => one.arrivals > 0 || one.renews) };
}

function notify(world: World, indexes: readonly number[], rules: Rules): World {
  const notified = indexes.map((index) => world.notifications[index] as World["notifications"][number]);
  const memory = rules.afterNotification(
    world.memory,
    rules.versionOf(notified.map(({ version }) => version)),
    world.now,
  );
  const stored = rules.stores({ stored: world.stored, memory, isNotification: true });
  const notifications = world.notifications.map((one) =>
    notified.includes(one) ? { ...one, isNotified: true, arrivals: Math.max(0, one.arrivals - 1) } : one,
  );
  return { ...world, memory, stored, notifications };
}
