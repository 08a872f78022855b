import type { LiveState, SharedConnection } from "./connection.ts";
import { type GetMessages, pollMessages } from "./poll.ts";
import type { LoyaltyError, Since } from "./result.ts";
import type { MessageGroup } from "./shapes.ts";
import { type Change, EVERYTHING } from "./socket.ts";
import { abortable, pause, throwIfAborted } from "./waiting.ts";

export interface ChangesOptions {
  /** Ends the iteration, and closes the connection. */
  signal?: AbortSignal | undefined;
}

export interface Changed {
  /** What to ask for again: one or more. */
  what: Change[];
}

/**
 * How many milliseconds to wait for a frame. When they are over, everything counts as changed. May throw the refusal of the
 * token.
 */
type Interval = (state: LiveState, refusal: LoyaltyError | undefined) => number;

const BLOCKED_EVERY_MS = 60_000;

/**
 * The first item after each connection has all changes, and later items have the changes of a frame. While no socket can be
 * opened, an item with all changes comes every one or two minutes. Changes while the app is busy are merged into one item.
 * @throws a LoyaltyError if the service refuses the token.
 */
export function followChanges(
  connection: SharedConnection,
  { signal }: ChangesOptions,
): AsyncGenerator<Changed, void, undefined> {
  return abortable(signal, async function* (stop) {
    const changes = new PendingChanges(EVERYTHING);
    connection.listen(changes, stop);
    for (let isFirst = true; ; isFirst = false) {
      const blockedMs = isFirst ? 0 : BLOCKED_EVERY_MS * (1 + Math.random());
      const interval: Interval = (state, refusal) => {
        if (refusal !== undefined) throw refusal;
        return state === "blocked" ? blockedMs : Infinity;
      };
      const { what } = await changes.next(interval, stop);
      yield { what };
    }
  });
}

/** The changes since the last call of `next`, each once. */
export class PendingChanges {
  readonly #followed: readonly Change[];
  #changed: readonly Change[] = [];
  #hasFrame = false;
  #state: LiveState = "connecting";
  #refusal: LoyaltyError | undefined;
  #wake = () => {};

  constructor(followed: readonly Change[]) {
    this.#followed = followed;
  }

  setState(state: LiveState, refusal?: LoyaltyError): void {
    this.#state = state;
    this.#refusal ??= refusal;
    if (state === "connected") this.#changed = this.#followed;
    this.#wake();
  }

  addFrame(changed: readonly Change[]): void {
    const followedChanges = changed.filter((kind) => this.#followed.includes(kind));
    this.#hasFrame ||= followedChanges.length > 0;
    this.#changed = EVERYTHING.filter((kind) => this.#changed.includes(kind) || followedChanges.includes(kind));
    this.#wake();
  }

  /**
   * Waits for a change, or for the end of the interval: then everything counts as changed. `hasFrame` is true if a frame
   * had some of the changes, and false if all came from a new connection or the end of the interval.
   * @throws the signal's reason once the signal is aborted, and what `interval` throws once all earlier changes were
   * returned.
   */
  async next(interval: Interval, signal: AbortSignal): Promise<{ what: Change[]; hasFrame: boolean }> {
    const askedAt = Date.now();
    for (;;) {
      throwIfAborted(signal);
      if (this.#changed.length > 0) break;
      const leftMs = interval(this.#state, this.#refusal) - Math.max(Date.now() - askedAt, 0);
      if (leftMs <= 0) {
        this.#changed = this.#followed;
        break;
      }
      await pause(leftMs, signal, (wake) => {
        this.#wake = wake;
      });
    }
    const news = { what: [...this.#changed], hasFrame: this.#hasFrame };
    this.#changed = [];
    this.#hasFrame = false;
    return news;
  }
}

export interface PollOptions {
  /**
   * Where to begin: the last group that you dealt with, whose `group_id` and `last_message_time` are enough; or a time
   * of the service, such as the newest `last_message_time` of a list that you have; `""` for every group. Left out:
   * now.
   */
  since?: Since | undefined;
  /**
   * The wait between two polls without a socket: a random time between this and twice this; 5,000 if left out. With a
   * socket, polls come once a minute, or every `everyMs` if that is longer.
   */
  everyMs?: number;
  /** Is called with the error of each failed poll, before the poll is tried again. */
  onError?: ((error: LoyaltyError) => void) | undefined;
  /** Ends the iteration. */
  signal?: AbortSignal | undefined;
}

const DEFAULT_EVERY_MS = 5_000;
const WITH_SOCKET_EVERY_MS = 60_000;
// A poll goes to the nearest replica, which may not have the message of the frame yet.
const WAITS_AFTER_FRAME_MS = [300, 1_000, 2_000];

/**
 * Message groups as they get new messages. Only polls find messages (`pollMessages`); a socket only says when to poll. So
 * nothing is lost or given twice, whatever the socket says. If a poll after a frame finds nothing, three more follow shortly.
 * If a second frame comes during these three, three more follow even if a poll finds a message: the message may be of the
 * first frame, and that of the second may still be missing.
 * @throws the errors of `pollMessages`.
 */
export function followMessages(
  get: GetMessages,
  connection: SharedConnection,
  { since, everyMs = DEFAULT_EVERY_MS, onError, signal }: PollOptions,
): AsyncGenerator<MessageGroup, void, undefined> {
  return abortable(signal, (stop) => {
    const interval = intervalOf(everyMs);
    // The socket is opened at the first wait, because an app that stops after the present groups needs no socket.
    let changes: PendingChanges | null = null;
    let waits: number[] = [];
    let mayBeOfFirstFrame = false;
    const untilDue = async (foundNews: boolean) => {
      changes ??= listen(connection, stop);
      const [wait, ...laterWaits] = foundNews && !mayBeOfFirstFrame ? [] : waits;
      const { hasFrame } = await changes.next(wait === undefined ? interval : () => wait, stop);
      mayBeOfFirstFrame = hasFrame && wait !== undefined;
      waits = hasFrame ? WAITS_AFTER_FRAME_MS : laterWaits;
    };
    return pollMessages(get, { since, untilDue, onError, signal: stop });
  });
}

/**
 * Polls are frequent only without a socket (`blocked`, `unreachable`). In every other state, also right after a socket was
 * dropped, one a minute is enough, in case a frame was lost. A refused token ends nothing here: the next poll is refused too,
 * or has a newer token.
 */
function intervalOf(everyMs: number): Interval {
  return (state) =>
    state === "blocked" || state === "unreachable"
      ? everyMs * (1 + Math.random())
      : Math.max(WITH_SOCKET_EVERY_MS * (0.75 + 0.25 * Math.random()), everyMs);
}

function listen(connection: SharedConnection, stop: AbortSignal): PendingChanges {
  const changes = new PendingChanges(["messages"]);
  if (connection.hasSockets) connection.listen(changes, stop);
  else changes.setState("blocked");
  return changes;
}
