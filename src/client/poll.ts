import { pause } from "./retry.ts";
import type { Failure, MessageGroup } from "./shapes.ts";

export interface PollOptions {
  /** The greatest `last_message_time` that is known already; left out: every group comes first. */
  since?: string;
  /** The time between two polls: five seconds unless told. */
  everyMs?: number;
  /** Ends the iteration. */
  signal?: AbortSignal;
}

/** A call that failed for good, where no result can be given back: while polling. */
export class LoyaltyError extends Error {
  override readonly name = "LoyaltyError";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message ?? failure.errorCode ?? "The call failed.");
    this.failure = failure;
  }
}

interface MessagesQuery {
  check_time?: string;
  page?: string;
  after?: string;
}

type GetMessages = (query: MessagesQuery, call: { signal?: AbortSignal }) => Promise<AnswerLike>;

interface AnswerLike {
  headers: Headers;
  json(): Promise<unknown>;
}

/**
 * Message groups, each whenever it has a new message. All pages of a poll are read with one `check_time`, and the next
 * poll asks with the greatest time seen: so no group with a new message is missed (decisions.md, section 4).
 * @throws a LoyaltyError for a failure that trying again does not mend.
 */
export async function* pollMessages(
  get: GetMessages,
  { since, everyMs = 5_000, signal }: PollOptions,
): AsyncGenerator<MessageGroup, void, undefined> {
  const call = signal === undefined ? {} : { signal };
  let seen = since;
  try {
    for (; !signal?.aborted; await pause(everyMs, signal ?? null)) {
      const checkTime = seen;
      let next: MessagesQuery | null = checkTime === undefined ? {} : { check_time: checkTime };
      while (next !== null) {
        const answer = await get(next, call);
        const groups = groupsOf((await answer.json()) as { status: true; items: MessageGroup[] } | Failure);
        next = nextPage(answer.headers.get("Link"), checkTime);
        for (const group of groups) {
          if (signal?.aborted) return;
          if (seen === undefined || group.last_message_time > seen) seen = group.last_message_time;
          yield group;
        }
      }
    }
  } catch (error) {
    // Called off is the way to end it, and no fault.
    if (!signal?.aborted) throw error;
  }
}

function groupsOf(body: { status: true; items: MessageGroup[] } | Failure): MessageGroup[] {
  if (body.status) return body.items;
  if (body.errorCode === "NO_ITEMS") return [];
  throw new LoyaltyError(body);
}

/** The query of the next page, as the `Link` header gives it, with the poll's own time. */
function nextPage(link: string | null, checkTime: string | undefined): MessagesQuery | null {
  const address = /<([^>]*)>; rel="next"/.exec(link ?? "")?.[1];
  if (address === undefined) return null;
  const parameters = new URL(address).searchParams;
  const query: MessagesQuery = { page: parameters.get("page") ?? "1" };
  const after = parameters.get("after");
  if (after !== null) query.after = after;
  return checkTime === undefined ? query : { ...query, check_time: checkTime };
}
