import type { Changed, ChangesOptions, Client, PollOptions } from "./calls.ts";
import type { LiveState, SharedConnection, Subscription } from "./connection.ts";
import { pollMessages } from "./poll.ts";
import { LoyaltyError } from "./result.ts";
import type { MessageGroup } from "./shapes.ts";
import { EVERYTHING } from "./socket.ts";
import { abortable } from "./waiting.ts";

const BLOCKED_EVERY_MS = 60_000;

/**
 * The first item after each connection has all changes, and later items have the changes of a frame. While no socket can be
 * opened, an item with all changes comes every one or two minutes. Changes while the app is busy are merged into one item.
 * After an outage the first item comes within 70 seconds: the end of an attempt to connect, 10, and the wait for the next.
 * @throws a LoyaltyError if the service refuses the token.
 */
export function followChanges(
  connection: SharedConnection,
  { signal }: ChangesOptions,
): AsyncGenerator<Changed, void, undefined> {
  return abortable(signal, async function* (stop) {
    connection.waits.wakeOnline(stop);
    const subscription = connection.subscribe(EVERYTHING, stop);
    for (let isFirst = true; ; isFirst = false) {
      const blockedMs = isFirst ? 0 : BLOCKED_EVERY_MS * (1 + Math.random());
      const what = await connection.next(subscription, (state) => {
        if (state instanceof LoyaltyError) throw state;
        return state === "blocked" ? blockedMs : Infinity;
      });
      yield { what };
    }
  });
}

const DEFAULT_EVERY_MS = 5_000;
const WITH_SOCKET_EVERY_MS = 60_000;

/**
 * Message groups as they get new messages. Only polls find messages (`pollMessages`); a socket only says when to poll. So
 * nothing is lost or given twice, whatever the socket says. A poll after a frame reads at the frame's bookmark.
 * @throws the errors of `pollMessages`.
 */
export function followMessages(
  listGroups: Client["messages"]["all"],
  connection: SharedConnection,
  { since, everyMs = DEFAULT_EVERY_MS, onError, signal }: PollOptions,
): AsyncGenerator<MessageGroup, void, undefined> {
  return abortable(signal, (stop) => {
    const { waits } = connection;
    waits.wakeOnline(stop);
    const waitWithoutSocket = () => everyMs * (1 + Math.random());
    // Polls are frequent only while there is no socket. In every other state, also right after a socket was dropped, one a
    // minute is enough, in case a frame was lost. A refused token ends nothing here: the next poll is refused too, or has a
    // newer token.
    const interval = (state: LiveState) =>
      state === "connecting" || state === "connected"
        ? Math.max(WITH_SOCKET_EVERY_MS * (0.75 + 0.25 * Math.random()), everyMs)
        : waitWithoutSocket();
    // The socket is opened at the first wait, because an app that stops after the present groups needs no socket.
    let subscription: Subscription | null = null;
    const untilDue = async () => {
      if (connection.WebSocket === null) return waits.pause(waitWithoutSocket(), stop);
      subscription ??= connection.subscribe(["messages"], stop);
      await connection.next(subscription, interval);
    };
    return pollMessages(listGroups, untilDue, { since, onError }, waits, stop);
  });
}
