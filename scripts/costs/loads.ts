import type { Usage } from "./prices.ts";

/** The ways in which apps learn of changes; docs/costs.md says what each is. */
export const WAYS = ["database", "inboxes", "sockets", "sockets and polls"] as const;
export type Way = (typeof WAYS)[number];

/** What happens in a day. */
export interface Load {
  /** How long apps are open, all together. */
  openSeconds: number;
  /** How often an app is opened that was closed before, and polls. */
  starts: number;
  /** How often an app with a socket connects. */
  connections: number;
  /** Changes that concern an open app. */
  changes: number;
  /** Other requests of customers, and the rows that they read. */
  screens: number;
  screenRows: number;
  boards: number;
  /** Feed requests, and the rows that they write. */
  feeds: number;
  feedRows: number;
  databaseGb: number;
  /** Whether the amounts are so small that what the plan includes matters. */
  countIncluded: boolean;
}

const APPS = 1_000_000;

/** A million apps that are always open; their screens, and the feeds themselves, are left out. */
export const MILLION_APPS: Load = {
  openSeconds: APPS * 86_400,
  starts: 0,
  connections: APPS * 4,
  changes: APPS * 10,
  screens: 0,
  screenRows: 0,
  boards: 0,
  feeds: 0,
  feedRows: 0,
  databaseGb: 0,
  countIncluded: false,
};

const SESSIONS = 20_000;

/** A chain of 100 stores with 50,000 customers, of whom 2,000 have the app open at noon. */
export const CHAIN: Load = {
  openSeconds: SESSIONS * 15 * 60,
  starts: SESSIONS,
  connections: SESSIONS,
  changes: SESSIONS,
  screens: SESSIONS * 6,
  screenRows: SESSIONS * 2_000,
  boards: SESSIONS,
  feeds: 20_000,
  feedRows: 20_000 * 8,
  databaseGb: 1,
  countIncluded: true,
};

const DAYS = 30;
const POLL_SECONDS = 10;
const SLOW_POLL_SECONDS = 60;
const PING_SECONDS = 45;
const PINGS_A_CALL = 20;
// A report is trusted for half an hour; a socket renews its listener every hour, a poll twice a day.
const REPORT_SECONDS = 1_800;
const SOCKET_RENEWS_SECONDS = 3_600;
const POLL_RENEWS_SECONDS = 43_200;
const CPU_MS = 1;
const CALL_SECONDS = 0.005;
const RENEWAL_SECONDS = 0.05;
const OBJECT_GB = 0.128;
const ROWS = { quietPoll: 7, poll: 48, withInbox: 3, change: 3 };
// One request in so many is slow or fails, and is logged whatever LOG_SAMPLE is.
const UNUSUAL_ONE_IN = 200;
const TRACE_ONE_IN = 100;
const LINE_BYTES = 1_500;
const SPAN_BYTES = 1_000;
const SPANS = { request: 4, call: 2 };
const LOGS_KEPT_DAYS = 7;

/** What a load comes to in a day. */
interface Day {
  requests: number;
  polls: number;
  connections: number;
  /** Polls with nothing new that D1 answers. */
  quietAtD1: number;
  /** Renewals of listeners: by sockets in calls of their own, by polls with the poll. */
  renewals: number;
  /** Calls of inboxes by polls, by everything else but pings, and what pings are billed as. */
  pollCalls: number;
  otherCalls: number;
  pingCalls: number;
  hasInboxes: boolean;
  hasSockets: boolean;
}

function dayOf(load: Load, way: Way): Day {
  const hasInboxes = way !== "database";
  const hasSockets = way === "sockets" || way === "sockets and polls";
  const connections = hasSockets ? load.connections : 0;
  const regular = way === "sockets" ? 0 : load.openSeconds / (hasSockets ? SLOW_POLL_SECONDS : POLL_SECONDS);
  // After a frame, and after it has connected, an app with a socket polls at once.
  const polls = regular + (hasSockets ? load.changes + connections : 0);
  const outdated = way === "sockets" ? 0 : load.openSeconds / REPORT_SECONDS;
  const quietAtInbox = outdated + (hasSockets ? connections : load.starts);
  const quietAtD1 = hasInboxes ? quietAtInbox : polls - load.changes;
  const renewals = hasInboxes ? load.openSeconds / (hasSockets ? SOCKET_RENEWS_SECONDS : POLL_RENEWS_SECONDS) : 0;
  const reports = load.changes + quietAtD1;
  const bySockets = hasSockets ? connections + load.changes + renewals : 0;
  return {
    requests: polls + connections + load.screens + load.boards + load.feeds,
    polls,
    connections,
    quietAtD1,
    renewals,
    pollCalls: hasInboxes ? polls : 0,
    otherCalls: hasInboxes ? reports + load.changes + bySockets : 0,
    pingCalls: hasSockets ? load.openSeconds / PING_SECONDS / PINGS_A_CALL : 0,
    hasInboxes,
    hasSockets,
  };
}

/** What a load uses of each service in a month. */
export function usageOf(load: Load, way: Way): Record<"Workers" | "D1" | "Durable Objects" | "KV", Usage> {
  const { requests, quietAtD1, renewals, connections, hasInboxes, hasSockets, ...day } = dayOf(load, way);
  const calls = day.pollCalls + day.otherCalls;
  const moreRows = hasInboxes ? ROWS.withInbox : 0;
  const pollRows = load.changes * (ROWS.poll + moreRows) + quietAtD1 * (ROWS.quietPoll + moreRows);
  const outboxRows = hasInboxes ? load.changes * ROWS.change : 0;
  const longer = hasSockets ? renewals * (RENEWAL_SECONDS - CALL_SECONDS) : 0;
  // A report, a connection and a renewal write a row, a change one, or five with its frame.
  const reported = load.changes + quietAtD1;
  const heard = hasSockets ? connections + renewals + load.changes * 5 : load.changes;
  return {
    Workers: { requests: DAYS * requests, cpuMs: DAYS * requests * CPU_MS },
    D1: {
      rowsRead: DAYS * (pollRows + load.screenRows),
      rowsWritten: DAYS * (outboxRows + renewals + load.feedRows),
      databaseGb: load.databaseGb,
    },
    "Durable Objects": {
      calls: DAYS * (calls + day.pingCalls),
      gbSeconds: DAYS * OBJECT_GB * (calls * CALL_SECONDS + longer),
      objectRowsRead: DAYS * (day.pollCalls + day.otherCalls * (hasSockets ? 4 : 1)),
      objectRowsWritten: hasInboxes ? DAYS * (reported + heard) : 0,
    },
    KV: { kvReads: DAYS * load.boards, kvWrites: (DAYS * load.boards) / 2 },
  };
}

/** What the log of a load comes to in a month where one in so many ordinary requests is logged. */
export function logsOf(load: Load, way: Way, oneIn: number): Usage {
  const { requests, renewals, connections, hasSockets } = dayOf(load, way);
  const written = load.feeds + (hasSockets ? connections : renewals);
  const always = written + (requests - written) / UNUSUAL_ONE_IN;
  return stored(DAYS * (always + (requests - always) / oneIn) * LINE_BYTES);
}

/** What its traces come to. */
export function tracesOf(load: Load, way: Way): Usage {
  const { requests, pollCalls, otherCalls } = dayOf(load, way);
  const spans = requests * SPANS.request + (pollCalls + otherCalls) * SPANS.call;
  return stored((DAYS * spans * SPAN_BYTES) / TRACE_ONE_IN);
}

function stored(bytes: number): Usage {
  const gigabytes = bytes / 1e9;
  return { logGb: gigabytes, logGbMonths: (gigabytes * LOGS_KEPT_DAYS) / DAYS };
}

/** The data points of its requests and feeds. */
export function pointsOf(load: Load, way: Way): Usage {
  return { points: DAYS * (dayOf(load, way).requests + load.feeds) };
}

const ANSWERED_A_SECOND = 1_000;

/** How many apps that are always open one database can serve. */
export function appsOfOneDatabase(way: Way): number {
  const { quietAtD1, renewals, hasSockets } = dayOf(MILLION_APPS, way);
  const asked = MILLION_APPS.changes + quietAtD1 + (hasSockets ? renewals : 0);
  return (ANSWERED_A_SECOND * 86_400 * APPS) / asked;
}
