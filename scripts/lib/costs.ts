/** What a program does in a day, in millions. */
export interface Program {
  /** Hours that apps are open. */
  hours: number;
  /** Times that an app is opened, or connects again. */
  openings: number;
  /** Changes for an app that is open. */
  changes: number;
  /** Other requests of apps, and leaderboards among them. */
  screens: number;
  boards: number;
  /** Rows that the screens of one opening read; not in millions. */
  screenRows: number;
  feeds: number;
  /** Rows that one feed request writes; not in millions. */
  feedRows: number;
  /** The share of subscriptions that write the listener's row: one in 22 of an app that is always open. */
  listenerShare: number;
  /** Customers with an inbox, which is deleted a week after their last visit. */
  customers: number;
  databaseGb: number;
}

export const PROGRAMS: Record<string, Program> = {
  "an ordinary chain": {
    ...{ hours: 0.005, openings: 0.02, changes: 0.02, screens: 0.14, boards: 0.02, screenRows: 2_000 },
    ...{ feeds: 0.02, feedRows: 8, listenerShare: 1, customers: 0.05, databaseGb: 1 },
  },
  "a million apps that are always open": {
    ...{ hours: 24, openings: 4, changes: 10, screens: 0, boards: 0, screenRows: 0 },
    ...{ feeds: 0, feedRows: 0, listenerShare: 0.045, customers: 1, databaseGb: 0 },
  },
};

interface Way {
  pollsAnHour: number;
  inbox: 0 | 1;
  socket: 0 | 1;
}

export const WAYS: Record<string, Way> = {
  database: { pollsAnHour: 360, inbox: 0, socket: 0 },
  inboxes: { pollsAnHour: 360, inbox: 1, socket: 0 },
  sockets: { pollsAnHour: 0, inbox: 1, socket: 1 },
  "sockets and polls": { pollsAnHour: 60, inbox: 1, socket: 1 },
};

/** What test/budgets/costs.test.ts counts, for a customer with 20 groups: rows at D1, rows of an inbox, its bytes on disk. */
export const MEASURED = {
  quietRows: 10,
  newsRows: 22,
  subscriptionRows: 4,
  changeRows: 3,
  inboxSubscriptionRows: 1,
  inboxChangeRows: 1,
  inboxFrameRows: 4,
  objectBytes: 12_288,
};

/** What only Cloudflare's bill or dashboard shows: compare after the first month. */
const ASSUMED = {
  inboxReadRows: 4,
  cpuMs: 1,
  callSeconds: 0.005,
  /** How long a subscription keeps an inbox active that a socket renews each hour. */
  renewalSeconds: 0.05,
  /** A line for each feed request and listener, and for one other request in 200. */
  lineBytes: 1_500,
  /** One request in 100 is traced, with 4 spans and 2 for each call of an inbox. */
  spanBytes: 1_000,
  queriesASecond: 1_000,
};

/** What Cloudflare's price list says besides prices: the memory billed of an object, and messages billed as one call. */
const BILLED = { memoryGb: 0.128, pings: 20 };
const PING_SECONDS = 45;
const DAYS = 30;
const DAY_SECONDS = 86_400;

/** Dollars a million (or a GB) beyond what the Workers Paid plan of $5 includes, as read on 2026-11-22 (docs/costs.md). */
const PRICES = {
  workerRequest: [0.3, 10],
  workerCpuMs: [0.02, 30],
  d1Read: [0.001, 25_000],
  d1Write: [1, 50],
  d1Gb: [0.75, 5],
  objectCall: [0.15, 1],
  objectSecond: [12.5, 0.4],
  objectRead: [0.001, 25_000],
  objectWrite: [1, 50],
  objectGb: [0.2, 5],
  kvRead: [0.5, 10],
  kvWrite: [5, 1],
  logGb: [0.25, 50],
  /** Kept for seven days. */
  logGbKept: [0.1, 12],
  metric: [0.25, 10],
} as const;

function bill(amount: number, price: keyof typeof PRICES): number {
  const [dollars, included] = PRICES[price];
  return Math.max(0, amount - included) * dollars;
}

/** What a program costs a month, by the lines of the bill, and how many million apps one database can serve. */
export function costsOf(program: Program, { pollsAnHour, inbox, socket }: Way): Record<string, number> {
  const hours = DAYS * program.hours;
  const openings = DAYS * program.openings;
  const news = DAYS * program.changes;
  const feeds = DAYS * program.feeds;
  const polls = hours * pollsAnHour;
  const subscriptions = inbox * (hours + openings);
  const askedAfter = socket * (openings + news);
  const requests = polls + askedAfter + socket * openings + DAYS * program.screens + feeds;
  const quiet = (1 - inbox) * (polls - news) + inbox * (1 - socket) * subscriptions;
  const listeners = subscriptions * program.listenerShare;
  const calls = inbox * (polls + askedAfter + subscriptions + news * (1 + socket));
  const pings = (socket * hours * 3_600) / PING_SECONDS / BILLED.pings;

  const rowsRead =
    news * MEASURED.newsRows +
    quiet * MEASURED.quietRows +
    subscriptions * MEASURED.subscriptionRows +
    openings * program.screenRows;
  const rowsWritten = news * inbox * MEASURED.changeRows + listeners + feeds * program.feedRows;
  const activeSeconds = calls * ASSUMED.callSeconds + socket * hours * (ASSUMED.renewalSeconds - ASSUMED.callSeconds);
  const objectWrites =
    subscriptions * MEASURED.inboxSubscriptionRows +
    news * inbox * (MEASURED.inboxChangeRows + socket * MEASURED.inboxFrameRows);
  const objectGb = (inbox * program.customers * MEASURED.objectBytes) / 1_000;
  const logLines = feeds + listeners + (requests - feeds) / 200;
  const logsGb = (logLines * ASSUMED.lineBytes + ((4 * requests + 2 * calls) / 100) * ASSUMED.spanBytes) / 1_000;

  const dollars = {
    "the plan": 5,
    Workers: bill(requests, "workerRequest") + bill(requests * ASSUMED.cpuMs, "workerCpuMs"),
    D1: bill(rowsRead, "d1Read") + bill(rowsWritten, "d1Write") + bill(program.databaseGb, "d1Gb"),
    "Durable Objects":
      bill(calls + pings, "objectCall") +
      bill(BILLED.memoryGb * activeSeconds, "objectSecond") +
      bill(calls * ASSUMED.inboxReadRows, "objectRead") +
      bill(objectWrites, "objectWrite") +
      bill(objectGb, "objectGb"),
    KV: bill(DAYS * program.boards, "kvRead") + bill(DAYS * program.boards, "kvWrite"),
    "logs and traces": bill(logsGb, "logGb") + bill((logsGb * 7) / 30, "logGbKept"),
  };
  return {
    ...dollars,
    all: Object.values(dollars).reduce((sum, part) => sum + part, 0),
    "metrics, once they are billed": bill(requests + feeds, "metric"),
    "million apps that one database can serve":
      (((ASSUMED.queriesASecond * DAYS * DAY_SECONDS) / 1e6) * program.customers) / (news + quiet + subscriptions),
  };
}
