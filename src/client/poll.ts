import { errorOf, LoyaltyError, type Since } from "./loyalty-error.ts";
import { bodyOf } from "./result.ts";
import type { Failure, MessageGroup } from "./shapes.ts";

interface MessagesQuery {
  check_time?: string;
  per_page?: string;
  page?: string;
  after?: string;
}

interface AnswerLike {
  status: number;
  headers: Headers;
  json(): Promise<unknown>;
}

export type GetMessages = (query: MessagesQuery, call: { signal?: AbortSignal }) => Promise<AnswerLike>;
type GetPage = (query: MessagesQuery) => Promise<{ groups: MessageGroup[]; next: MessagesQuery | null }>;

const GROUPS_A_PAGE = 100;
// How many groups of a poll are held at once. Where there are more, the oldest come first, and the poll is read again.
const HELD_GROUPS = 1_000;

export interface Polling {
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
  const getPage = pageReader(get, signal);
  let reached = since;
  try {
    if (reached === undefined) {
      const { groups } = await getPage({ per_page: "1" });
      reached = groups[0]?.last_message_time ?? "";
      await untilDue(true);
    }
    for (;;) {
      const { groups, upTo } = await readOldest(getPage, reached);
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

function pageReader(get: GetMessages, signal: AbortSignal): GetPage {
  return async (query) => {
    const answer = await get(query, { signal });
    const body = (await bodyOf(answer)) as { status: true; items: MessageGroup[] } | Failure;
    if (body.status) return { groups: body.items, next: nextPage(answer.headers.get("Link"), query) };
    if (body.errorCode === "NO_ITEMS") return { groups: [], next: null };
    throw errorOf(body);
  };
}

/** The query of the next page, as the `Link` header gives it, with the poll's own time. */
function nextPage(link: string | null, query: MessagesQuery): MessagesQuery | null {
  const address = /<([^>]*)>; rel="next"/.exec(link ?? "")?.[1];
  if (address === undefined) return null;
  const parameters = new URL(address).searchParams;
  const next: MessagesQuery = { ...query, page: parameters.get("page") ?? "1" };
  const after = parameters.get("after");
  return after === null ? next : { ...next, after };
}

/**
 * The oldest groups with a message later than what was reached, oldest first. `upTo` is the time up to which these are
 * all, and null where there are more than could be held. It comes from the first page: a group that moved there while
 * later pages were read has a later message than that page, and comes with the next poll.
 */
async function readOldest(getPage: GetPage, reached: Since): Promise<{ groups: MessageGroup[]; upTo: Since | null }> {
  // Other groups may have a message in the second of the group that was dealt with.
  const checkTime = typeof reached === "string" ? reached : secondBefore(reached.last_message_time);
  let newest: string | undefined;
  let held: MessageGroup[] = [];
  let isWhole = true;
  let next: MessagesQuery | null = { per_page: String(GROUPS_A_PAGE) };
  if (checkTime !== "") next.check_time = checkTime;
  while (next !== null) {
    const page: Awaited<ReturnType<GetPage>> = await getPage(next);
    newest ??= page.groups[0]?.last_message_time;
    held.push(...page.groups.filter((group) => !isDealtWith(group, reached)));
    if (held.length > HELD_GROUPS) {
      held = held.slice(-HELD_GROUPS);
      isWhole = false;
    }
    next = page.next;
  }
  return { groups: held.reverse(), upTo: isWhole ? (newest ?? reached) : null };
}

/** The service lists the groups of one second by id, and the last of a list is given first. */
function isDealtWith(group: MessageGroup, reached: Since): boolean {
  if (typeof reached === "string" || group.last_message_time !== reached.last_message_time) return false;
  return !precedes(group.group_id, reached.group_id);
}

/** By code point, as the service orders ids; `<` goes by UTF-16 unit, which is another order beyond U+FFFF. */
function precedes(one: string, other: string): boolean {
  const [a, b] = [[...one], [...other]];
  const at = a.findIndex((character, index) => character !== b[index]);
  if (at === -1) return a.length < b.length;
  return (a[at]?.codePointAt(0) ?? 0) < (b[at]?.codePointAt(0) ?? -1);
}

function secondBefore(time: string): string {
  const at = Date.parse(`${time.replace(" ", "T")}Z`) - 1_000;
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}
