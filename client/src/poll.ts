import { compareCodePoints } from "../../src/values/code-points.ts";
import type { Client, MessagesQuery, PollOptions } from "./calls.ts";
import { LoyaltyError, type Since } from "./result.ts";
import type { MessageGroup } from "./shapes.ts";
import { waitAfterFailure } from "./waiting.ts";
import type { Waits } from "./waits.ts";

/**
 * Gives a message group each time that it has a new message, oldest message first. A poll reads all pages with one
 * `check_time` before it gives its first group (docs/contract/interface.md, 4.2). So a group comes after all groups with
 * earlier messages, and an app that continues from the last group that it dealt with loses none.
 *
 * "Now" is the newest message that the first poll shows: messages that are shown later have a later time. If the first poll
 * shows no group, every group is new.
 *
 * A failed poll starts again with its first page, because its cursor may have been refused. After a 429 it goes on with the
 * same page.
 * @param untilDue waits until the next poll is due.
 * @throws a LoyaltyError if the service refuses the token, or asks to wait for more than five minutes; its `since` is the
 * position to continue from. Throws a RangeError for a bad `since`.
 */
export async function* pollMessages(
  listGroups: Client["messages"]["all"],
  untilDue: () => Promise<void>,
  { since, onError }: PollOptions,
  waits: Waits,
  signal: AbortSignal,
): AsyncGenerator<MessageGroup, void, undefined> {
  if (typeof since === "string" && since !== "") toDate(since);
  let reached = since;
  const read = (query: MessagesQuery, limit = Infinity) =>
    readGroups((stop) => firstGroups(listGroups(query, { signal: stop }), limit), onError, waits, signal);
  try {
    if (reached === undefined) {
      const [newest] = await read({ per_page: 1 }, 1);
      reached = newest?.last_message_time ?? "";
      await untilDue();
    }
    for (;;) {
      const from: Since = reached;
      // Other groups may have a message of the same second as the group that was dealt with, so the poll includes it.
      const checkTime = typeof from === "string" ? from : secondBefore(from.last_message_time);
      const found = await read({ check_time: checkTime === "" ? undefined : checkTime });
      const groups = found.filter((group) => !isDealtWith(group, from)).reverse();
      for (const group of groups) {
        if (signal.aborted) return;
        yield group;
      }
      // A group that moves to the first page while later pages are read has a later message, and comes with the next poll.
      reached = found[0]?.last_message_time ?? from;
      await untilDue();
    }
  } catch (error) {
    if (error instanceof LoyaltyError && reached !== undefined) error.since = reached;
    throw error;
  }
}

const STATUSES_OF_REFUSED_TOKEN = [401, 403];

const LONGEST_WAIT_MS = 30_000;
// If the service asks for a longer wait, such as the rest of a day, the iteration ends.
const LONGEST_ASKED_MS = 300_000;

/**
 * The groups of a poll. If it fails, it is repeated after a wait, or at once if the client was woken meanwhile.
 * @throws a LoyaltyError if the service refuses the token, or asks to wait for more than five minutes.
 */
async function readGroups(
  poll: (signal: AbortSignal) => Promise<MessageGroup[]>,
  onError: PollOptions["onError"],
  waits: Waits,
  signal: AbortSignal,
): Promise<MessageGroup[]> {
  for (let failures = 1; ; failures += 1) {
    const { wakes } = waits;
    try {
      return await waits.limit(Infinity, signal, poll);
    } catch (error) {
      if (waits.wakes > wakes) continue;
      if (!(error instanceof LoyaltyError) || STATUSES_OF_REFUSED_TOKEN.includes(error.failure?.httpStatus ?? 0))
        throw error;
      const askedMs = error.failure?.retryAfterMs;
      if (askedMs !== undefined && askedMs > LONGEST_ASKED_MS) throw error;
      onError?.(error);
      // A socket that opens says that the service is back, but not that a limit of calls is over.
      const cause = error.failure?.httpStatus === 429 ? "woken" : "reached";
      await waits.pause(waitAfterFailure(failures, askedMs, LONGEST_WAIT_MS), signal, cause);
    }
  }
}

async function firstGroups(list: AsyncIterable<MessageGroup>, limit: number): Promise<MessageGroup[]> {
  const groups: MessageGroup[] = [];
  for await (const group of list) if (groups.push(group) >= limit) break;
  return groups;
}

/** The service lists the groups of one second by id. The iteration gives them in reverse, so the greatest id comes first. */
function isDealtWith(group: MessageGroup, reached: Since): boolean {
  if (typeof reached === "string" || group.last_message_time !== reached.last_message_time) return false;
  return compareCodePoints(group.group_id, reached.group_id) >= 0;
}

function secondBefore(time: string): string {
  return new Date(toDate(time).getTime() - 1_000).toISOString().slice(0, 19).replace("T", " ");
}

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

/**
 * The date of a time of the service, such as `2026-11-20 09:30:00`. It is UTC; `new Date` would take it for local time.
 * @throws a RangeError for another text, such as a date alone.
 */
export function toDate(time: string): Date {
  const date = new Date(`${time.replace(" ", "T")}Z`);
  if (!TIME.test(time) || Number.isNaN(date.getTime())) throw new RangeError(`"${time}" is not a time of the service.`);
  return date;
}
