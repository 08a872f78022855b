import { compareCodePoints } from "../values/code-points.ts";
import type { MessagesQuery } from "./client.ts";
import { type CallOptions, errorOf, LoyaltyError, type PagedResult, type Since } from "./result.ts";
import { pauseAsAsked } from "./service.ts";
import type { MessageGroup } from "./shapes.ts";
import { pause } from "./waiting.ts";

/** Asks for the first page of the message groups. */
export type GetMessages = (query: MessagesQuery, call: CallOptions) => Promise<PagedResult<MessageGroup[]>>;

const GROUPS_A_PAGE = 100;
// How many groups of a poll are held at once. Where there are more, the oldest come first, and the poll is read again.
const HELD_GROUPS = 1_000;

interface Polling {
  /** The last group that was dealt with, or a time of the service, or `""` for every group. Left out: now. */
  since?: Since | undefined;
  /** Waits until it is time for another poll, by whether the last one found a group with a new message. */
  untilDue: (foundNews: boolean) => Promise<void>;
  /** Is told of each poll that failed, before it is tried again. */
  onError?: ((error: LoyaltyError) => void) | undefined;
  signal: AbortSignal;
}

/**
 * Message groups, each whenever it has a new message, oldest first. All pages of a poll are read with one `check_time`
 * before its first group is given (docs/contract/interface.md, 4.2): so everything that precedes a group has been given
 * before it, and whoever goes on from the last group that they dealt with loses none.
 *
 * "Now" is the newest message that the first poll shows: what is shown later has a later time. Where that poll shows no
 * group, every group that comes is new.
 *
 * A page that fails is tried again. Only after a 422 the poll begins again with its first page: the cursor may be what is
 * refused.
 * @throws a LoyaltyError where the service refuses the token, or asks to wait for more than five minutes: its `since` is
 * where to go on. And a RangeError for a `since` that is none.
 */
export async function* pollMessages(
  get: GetMessages,
  { since, untilDue, onError, signal }: Polling,
): AsyncGenerator<MessageGroup, void, undefined> {
  if (typeof since === "string" && since !== "") toDate(since);
  let reached = since;
  const untilRead = <Outcome>(read: () => Promise<Outcome>) => untilAnswered(read, REFUSALS, onError, signal);
  const readPage: ReadPage = (ask) => untilAnswered(() => pageOf(ask, signal), [...REFUSALS, 422], onError, signal);
  try {
    if (reached === undefined) {
      const { groups } = await untilRead(() => readPage((call) => get({ per_page: 1 }, call)));
      reached = groups[0]?.last_message_time ?? "";
      await untilDue(true);
    }
    for (;;) {
      const from: Since = reached;
      const { groups, upTo }: Oldest = await untilRead(() => readOldest(get, from, readPage));
      for (const group of groups) {
        if (signal.aborted) return;
        yield group;
        reached = group;
      }
      if (upTo === null) continue;
      reached = upTo;
      await untilDue(groups.length > 0);
    }
  } catch (error) {
    if (error instanceof LoyaltyError && reached !== undefined) error.since = reached;
    throw error;
  }
}

type Ask = (call: CallOptions) => Promise<PagedResult<MessageGroup[]>>;

type ReadPage = (ask: Ask) => ReturnType<typeof pageOf>;

/** The answers that refuse the token. */
const REFUSALS = [401, 403];

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
// A service that asks for more, such as the rest of a day, ends the iteration.
const LONGEST_ASKED_MS = 300_000;

/**
 * What was read at last. It waits as long as the service asks, else longer each time; part of each wait is chance, so that
 * clients that were refused together do not come back together.
 * @throws a LoyaltyError for an answer of these statuses, and for one that asks to wait for more than five minutes.
 */
async function untilAnswered<Outcome>(
  read: () => Promise<Outcome>,
  statuses: readonly number[],
  onError: Polling["onError"],
  signal: AbortSignal,
): Promise<Outcome> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof LoyaltyError) || statuses.includes(error.failure?.httpStatus ?? 0)) throw error;
      const asked = error.failure?.retryAfterMs;
      if (asked !== undefined && asked > LONGEST_ASKED_MS) throw error;
      onError?.(error);
      const half = Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS) / 2;
      await (asked === undefined ? pause(half + Math.random() * half, signal) : pauseAsAsked(asked, signal));
    }
  }
}

/** The groups of a page, and how to ask for the next one. @throws a LoyaltyError for a failure. */
async function pageOf(ask: Ask, signal: AbortSignal) {
  const page = await ask({ signal });
  if (page.status) return { groups: page.items, next: page.next };
  if (page.errorCode === "NO_ITEMS") return { groups: [], next: null };
  throw errorOf(page);
}

interface Oldest {
  groups: MessageGroup[];
  upTo: Since | null;
}

/**
 * The oldest groups with a message later than what was reached, oldest first. `upTo` is the time up to which these are
 * all, and null where there are more than could be held. It comes from the first page: a group that moved there while
 * later pages were read has a later message than that page, and comes with the next poll.
 */
async function readOldest(get: GetMessages, reached: Since, readPage: ReadPage): Promise<Oldest> {
  // Other groups may have a message in the second of the group that was dealt with.
  const checkTime = typeof reached === "string" ? reached : secondBefore(reached.last_message_time);
  let newest: string | undefined;
  let held: MessageGroup[] = [];
  let isWhole = true;
  const query = { per_page: GROUPS_A_PAGE, check_time: checkTime === "" ? undefined : checkTime };
  let ask: Ask | null = (call) => get(query, call);
  while (ask !== null) {
    const { groups, next }: Awaited<ReturnType<ReadPage>> = await readPage(ask);
    newest ??= groups[0]?.last_message_time;
    held.push(...groups.filter((group) => !isDealtWith(group, reached)));
    if (held.length > HELD_GROUPS) {
      held = held.slice(-HELD_GROUPS);
      isWhole = false;
    }
    ask = next;
  }
  return { groups: held.reverse(), upTo: isWhole ? (newest ?? reached) : null };
}

/** The service lists the groups of one second by id, and the last of a list is given first. */
function isDealtWith(group: MessageGroup, reached: Since): boolean {
  if (typeof reached === "string" || group.last_message_time !== reached.last_message_time) return false;
  return compareCodePoints(group.group_id, reached.group_id) >= 0;
}

function secondBefore(time: string): string {
  return new Date(toDate(time).getTime() - 1_000).toISOString().slice(0, 19).replace("T", " ");
}

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

/**
 * A time of the service, which is UTC, such as `2026-11-20 09:30:00`: `new Date` would take it for a local one.
 * @throws a RangeError for another text, such as a date alone, which is no moment.
 */
export function toDate(time: string): Date {
  const date = new Date(`${time.replace(" ", "T")}Z`);
  if (!TIME.test(time) || Number.isNaN(date.getTime())) throw new RangeError(`"${time}" is not a time of the service.`);
  return date;
}
