import { type Interval, PendingChanges } from "./changes.ts";
import type { SharedConnection } from "./connection.ts";
import { type GetMessages, pollMessages } from "./poll.ts";
import type { LoyaltyError, Since } from "./result.ts";
import type { MessageGroup } from "./shapes.ts";
import { abortable, pause } from "./waiting.ts";

export interface PollOptions {
  /**
   * Where to begin: the last group that you dealt with, whose `group_id` and `last_message_time` are enough; or a time
   * of the service, such as the newest `last_message_time` of a list that you have; `""` for every group. Left out:
   * now.
   */
  since?: Since | undefined;
  /**
   * How long it waits between two polls if there is no socket: a random time between this and twice this, 5,000 if left
   * out. Beside a socket it polls once a minute, or every `everyMs` if that is longer.
   */
  everyMs?: number;
  /** Is told of each poll that failed; without it a service that is down is waited for in silence. */
  onError?: ((error: LoyaltyError) => void) | undefined;
  /** Ends the iteration. */
  signal?: AbortSignal | undefined;
}

const EVERY_MS = 5_000;
const BESIDE_SOCKET_MS = 60_000;
// Polls go to the nearest replica, which may lag behind the database that the frame is from.
const AGAIN_AFTER_MS = [300, 1_000, 2_000];
// If the token is refused, a poll ends the iteration. If no poll does, there is a better token by then.
const REFUSED_WAIT_MS = 60_000;

/**
 * Message groups as they get new messages. Only polls find them (`pollMessages`). A socket says when to poll, so nothing
 * is lost or given twice, whatever it says. Where a poll after a frame finds nothing, three more follow shortly, also when
 * the frame came while they did for an earlier one: what they find may be only that one's.
 * @throws what `pollMessages` throws.
 */
export function followMessages(
  get: GetMessages,
  connection: SharedConnection,
  { since, everyMs = EVERY_MS, onError, signal }: PollOptions,
): AsyncGenerator<MessageGroup, void, undefined> {
  return abortable(signal, (stop) => {
    const interval = intervalOf(everyMs);
    // Somebody who takes the groups that there are and leaves needs no socket, so it is opened at the first wait.
    let pending: PendingChanges | null = null;
    let waits: number[] = [];
    let isOfTwoFrames = false;
    const untilDue = async (foundNews: boolean) => {
      pending ??= listen(connection, stop);
      const [wait, ...later] = foundNews && !isOfTwoFrames ? [] : waits;
      await pending.next(wait === undefined ? interval : () => wait, stop);
      isOfTwoFrames = pending.wasInFrame && wait !== undefined;
      waits = pending.wasInFrame ? AGAIN_AFTER_MS : later;
    };
    return pollMessages(get, { since, untilDue, onError, signal: stop });
  });
}

/** Without a socket only polls find new messages. Beside one, and right after it was dropped, they are a precaution. */
function intervalOf(everyMs: number): Interval {
  return (state) =>
    state === "blocked" || state === "unreachable"
      ? everyMs * (1 + Math.random())
      : Math.max(BESIDE_SOCKET_MS * (0.75 + 0.25 * Math.random()), everyMs);
}

function listen(connection: SharedConnection, stop: AbortSignal): PendingChanges {
  const pending = new PendingChanges(["messages"]);
  if (connection.hasSockets) keepListening(connection, pending, stop).catch(() => {});
  else pending.listener("blocked", []);
  return pending;
}

async function keepListening(connection: SharedConnection, pending: PendingChanges, stop: AbortSignal): Promise<never> {
  for (;;) {
    await connection.listen(pending.listener, stop).catch(() => pending.listener("blocked", []));
    await pause(REFUSED_WAIT_MS * (1 + Math.random()), stop);
  }
}
