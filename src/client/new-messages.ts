import { PendingChanges, type Rhythm } from "./changes.ts";
import { endable } from "./endable.ts";
import type { Since } from "./loyalty-error.ts";
import { type GetMessages, pollMessages } from "./poll.ts";
import { pause } from "./retry.ts";
import type { MessageGroup } from "./shapes.ts";
import type { SharedConnection } from "./shared-connection.ts";

export interface PollOptions {
  /**
   * Where to begin: the last group that you dealt with, whose `group_id` and `last_message_time` are enough; or a time
   * of the service, such as the newest `last_message_time` of a list that you have; `""` for every group. Left out:
   * now.
   */
  since?: Since | undefined;
  /**
   * How long it waits between two polls where no socket comes through: this long, 5,000 unless told, to twice as long,
   * by chance. Beside a socket it polls once a minute, or as seldom as this.
   */
  everyMs?: number;
  /** Ends the iteration. */
  signal?: AbortSignal;
}

const EVERY_MS = 5_000;
const BESIDE_SOCKET_MS = 60_000;
// The polls say why, if the token is refused; until then a new token may come.
const REFUSED_WAIT_MS = 60_000;

/**
 * Message groups as they get new messages. The polls alone keep the promise (`pollMessages`); a socket only says that
 * one is worth it now, so it makes no difference what it says, or whether there is one.
 * @throws a LoyaltyError for a poll that failed, also after trying again; its `since` is where to go on.
 */
export function followMessages(
  get: GetMessages,
  connection: SharedConnection,
  { since, everyMs = EVERY_MS, signal }: PollOptions,
): AsyncGenerator<MessageGroup, void, undefined> {
  return endable(signal, (stop) => {
    const rhythm = rhythmOf(everyMs);
    // Connects when there is something to wait for: whoever takes one group and leaves opens no socket.
    let pending: PendingChanges | null = null;
    const untilDue = async () => {
      pending ??= listen(connection, stop);
      await pending.next(rhythm, stop);
    };
    return pollMessages(get, { since, untilDue, signal: stop });
  });
}

/** A poll that everything hangs on is due soon; beside a socket, or while the next one is due, it is a precaution. */
function rhythmOf(everyMs: number): Rhythm {
  return (state) =>
    state === "blocked" || state === "unreachable"
      ? everyMs * (1 + Math.random())
      : Math.max(BESIDE_SOCKET_MS * (0.75 + 0.25 * Math.random()), everyMs);
}

function listen(connection: SharedConnection, stop: AbortSignal): PendingChanges {
  const pending = new PendingChanges(["messages"]);
  if (connection.hasSockets) keepListening(connection, pending, stop).catch(() => {});
  else pending.onTrouble("blocked");
  return pending;
}

async function keepListening(connection: SharedConnection, pending: PendingChanges, stop: AbortSignal): Promise<never> {
  for (;;) {
    await connection.listen(pending, stop).catch(() => pending.onTrouble("blocked"));
    await pause(REFUSED_WAIT_MS * (1 + Math.random()), stop);
  }
}
