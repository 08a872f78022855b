import { compareCodePoints } from "../values/code-points.ts";
import type { MessagesQuery } from "./client.ts";
import { errorOf, LoyaltyError, type Since } from "./loyalty-error.ts";
import type { CallOptions, PagedResult } from "./result.ts";
import { pause } from "./retry.ts";
import type { MessageGroup } from "./shapes.ts";
import { toDate } from "./time.ts";

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
  signal: AbortSignal;
}

/**
 * Message groups, each whenever it has a new message, oldest first. All pages of a poll are read with one `check_time`
 * before its first group is given (docs/contract/interface.md, 4.2): so everything that precedes a group has been given
 * before it, and whoever goes on from the last group that they dealt with loses none.
 *
 * "Now" is the newest message that the first poll shows: what is shown later has a later time. Where that poll shows no
 * group, every group that comes is new.
 * @throws a LoyaltyError for a failure that remained after trying again; its `since` is where to go on.
 */
export async function* pollMessages(
  get: GetMessages,
  { since, untilDue, signal }: Polling,
): AsyncGenerator<MessageGroup, void, undefined> {
  let reached = since;
  try {
    if (reached === undefined) {
      const { groups } = await readPage((call) => get({ per_page: 1 }, call), signal);
      reached = groups[0]?.last_message_time ?? "";
      await untilDue(true);
    }
    for (;;) {
      const { groups, upTo } = await readOldest(get, reached, signal);
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

// Clients that were refused together do not come back together.
const SPREAD_MS = 1_000;

/**
 * The groups of a page, and how to ask for the next one. A 429 or 503 that says when to come back is a pause, however
 * long. @throws a LoyaltyError for another failure.
 */
async function readPage(ask: Ask, signal: AbortSignal) {
  for (;;) {
    const page = await ask({ signal });
    if (page.status) return { groups: page.items, next: page.next };
    if (page.errorCode === "NO_ITEMS") return { groups: [], next: null };
    const isBusy = page.httpStatus === 429 || page.httpStatus === 503;
    if (!isBusy || page.retryAfterMs === undefined) throw errorOf(page);
    await pause(page.retryAfterMs + Math.random() * SPREAD_MS, signal);
  }
}

/**
 * The oldest groups with a message later than what was reached, oldest first. `upTo` is the time up to which these are
 * all, and null where there are more than could be held. It comes from the first page: a group that moved there while
 * later pages were read has a later message than that page, and comes with the next poll.
 */
async function readOldest(
  get: GetMessages,
  reached: Since,
  signal: AbortSignal,
): Promise<{ groups: MessageGroup[]; upTo: Since | null }> {
  // Other groups may have a message in the second of the group that was dealt with.
  const checkTime = typeof reached === "string" ? reached : secondBefore(reached.last_message_time);
  let newest: string | undefined;
  let held: MessageGroup[] = [];
  let isWhole = true;
  const query = { per_page: GROUPS_A_PAGE, check_time: checkTime === "" ? undefined : checkTime };
  let ask: Ask | null = (call) => get(query, call);
  while (ask !== null) {
    const { groups, next }: Awaited<ReturnType<typeof readPage>> = await readPage(ask, signal);
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
