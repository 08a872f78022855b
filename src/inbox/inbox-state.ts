/** What a poll has read at D1 (docs/contract/live.md, 1). */
export interface Report {
  /** The feed version that was read with it. */
  version: number;
  /** The time of the newest message in the customer's groups, shown or not; empty where there is none. */
  newestAt: string;
  /** The inbox's clock before D1 was asked, in milliseconds since 1970. */
  at: number;
}

/** What an inbox remembers. It is stored, because an idle object loses its memory. */
export interface InboxState {
  /** The highest feed version of which it was notified or that was reported, and when it heard of it. */
  highest: { version: number; at: number } | null;
  /** The last report that may be trusted: none that was read before `highest` was committed. */
  report: Report | null;
  /** When the last message is shown of which it was notified: a socket that opens before is sent a frame then. */
  messageShownAt: number;
}

export const EMPTY_INBOX: InboxState = { highest: null, report: null, messageShownAt: 0 };

/** How long a report is trusted, from when its poll began; so an inbox that cannot be notified is wrong for no longer. */
const TRUST_MS = 30 * 60_000;
const REPORT_AGAIN_AFTER_MS = TRUST_MS / 2;
/**
 * How long a version is remembered. Every report from before it is too old by then, even one of a replica that lagged by
 * half an hour. It is forgotten so that an inbox recovers where the database was set back.
 */
const REMEMBER_MS = 2 * TRUST_MS;

/** Whether no group has a message later than this time: the answer of an inbox, if it can be sure. */
export function hasNothingNew({ report }: InboxState, checkTime: string, now: number): boolean {
  return report !== null && isRecent(report.at, now) && report.newestAt <= checkTime;
}

/** After a report, which may come late: one that was read before a version that the inbox knows of is dropped. */
export function afterReport(state: InboxState, report: Report, now: number): InboxState {
  const known = knownVersion(state, now);
  if (!isRecent(report.at, now) || report.version < known) return state;
  const isOlder = state.report?.version === report.version && state.report.at >= report.at;
  if (isOlder) return state;
  return { ...state, highest: report.version > known ? { version: report.version, at: now } : state.highest, report };
}

/** After a notification that a feed of this version concerns the customer: it may come late, or a second time. */
export function afterNotification(state: InboxState, version: number, now: number): InboxState {
  if (version <= knownVersion(state, now)) return state;
  const isBefore = state.report !== null && state.report.version < version;
  return { ...state, highest: { version, at: now }, report: isBefore ? null : state.report };
}

/** After a notification of a message that is shown later. */
export function afterUnshownMessage(state: InboxState, shownAt: number): InboxState {
  return shownAt > state.messageShownAt ? { ...state, messageShownAt: shownAt } : state;
}

/** The newest message that was reported; null where a poll should report it again, so that its trust never ends. */
export function knownNewestAt({ report }: InboxState, now: number): string | null {
  return report !== null && Math.abs(now - report.at) <= REPORT_AGAIN_AFTER_MS ? report.newestAt : null;
}

function knownVersion({ highest }: InboxState, now: number): number {
  return highest !== null && isRecent(highest.at, now, REMEMBER_MS) ? highest.version : -1;
}

// A clock that was ahead is no reason to trust for longer.
function isRecent(at: number, now: number, milliseconds = TRUST_MS): boolean {
  return Math.abs(now - at) <= milliseconds;
}
