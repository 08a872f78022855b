import type { LiveListener, LiveState, SharedConnection } from "./connection.ts";
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

/** After how many milliseconds everything counts as changed without a frame. */
type Interval = (state: LiveState) => number;

const BLOCKED_EVERY_MS = 60_000;

/**
 * Changes: everything after each connection, then the changes of each frame. While no socket can be opened, everything once
 * in a while. Changes that come while the app is busy are merged into one item.
 * @throws a LoyaltyError if the service refuses the token.
 */
export function followChanges(
  connection: SharedConnection,
  { signal }: ChangesOptions,
): AsyncGenerator<Changed, void, undefined> {
  return abortable(signal, async function* (stop) {
    const pending = new PendingChanges(EVERYTHING);
    connection.listen(pending, stop);
    for (let isFirst = true; ; isFirst = false) {
      const blockedMs = isFirst ? 0 : BLOCKED_EVERY_MS * (1 + Math.random());
      const interval: Interval = (state) => (state === "blocked" ? blockedMs : Infinity);
      const { what } = await pending.next(interval, stop);
      yield { what };
    }
  });
}

/** The changes since the last call of `next`, each once. */
class PendingChanges implements LiveListener {
  readonly #kinds: readonly Change[];
  readonly #changed = new Set<Change>();
  #hasFrame = false;
  #state: LiveState = "connecting";
  #refusal: LoyaltyError | undefined;
  #wake = () => {};

  constructor(kinds: readonly Change[]) {
    this.#kinds = kinds;
  }

  readonly onState: LiveListener["onState"] = (state, refusal) => {
    this.#state = state;
    this.#refusal ??= refusal;
    if (state === "connected") this.#add(this.#kinds);
    this.#wake();
  };

  readonly onFrame: LiveListener["onFrame"] = (changed) => {
    const wanted = changed.filter((kind) => this.#kinds.includes(kind));
    this.#hasFrame ||= wanted.length > 0;
    this.#add(wanted);
    this.#wake();
  };

  /**
   * Waits for a change, or until everything counts as changed after the interval. `hasFrame`: a frame had some of the
   * changes, not only a new connection or the end of the interval.
   * @throws a LoyaltyError if the token was refused, after the changes before that, and the signal's reason once it is
   * aborted.
   */
  async next(interval: Interval, signal: AbortSignal): Promise<Changed & { hasFrame: boolean }> {
    const askedAt = Date.now();
    for (;;) {
      throwIfAborted(signal);
      if (this.#changed.size > 0) break;
      if (this.#refusal !== undefined) throw this.#refusal;
      const left = interval(this.#state) - Math.max(Date.now() - askedAt, 0);
      if (left <= 0) this.#add(this.#kinds);
      else
        await pause(left, signal, (wake) => {
          this.#wake = wake;
        });
    }
    const what = EVERYTHING.filter((kind) => this.#changed.has(kind));
    const hasFrame = this.#hasFrame;
    this.#changed.clear();
    this.#hasFrame = false;
    return { what, hasFrame };
  }

  #add(kinds: readonly Change[]): void {
    for (const kind of kinds) this.#changed.add(kind);
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
   * The wait between two polls without a socket: a random time between this and twice this; 5,000 if left out. Beside a
   * socket it polls once a minute, or every `everyMs` if that is longer.
   */
  everyMs?: number;
  /** Is called with the error of each failed poll, before the poll is tried again. */
  onError?: ((error: LoyaltyError) => void) | undefined;
  /** Ends the iteration. */
  signal?: AbortSignal | undefined;
}

const EVERY_MS = 5_000;
const BESIDE_SOCKET_MS = 60_000;
// A poll goes to the nearest replica, which may not have the message of the frame yet.
const AGAIN_AFTER_MS = [300, 1_000, 2_000];

/**
 * Message groups as they get new messages. Only polls find messages (`pollMessages`); a socket only says when to poll. So
 * nothing is lost or given twice, whatever the socket says. If a poll after a frame finds nothing, three more follow shortly.
 * If another frame comes during these three, three more follow in any case: the message found may be that of the first frame.
 * @throws the errors of `pollMessages`.
 */
export function followMessages(
  get: GetMessages,
  connection: SharedConnection,
  { since, everyMs = EVERY_MS, onError, signal }: PollOptions,
): AsyncGenerator<MessageGroup, void, undefined> {
  return abortable(signal, (stop) => {
    const interval = intervalOf(everyMs);
    // The socket is opened at the first wait: an app that only takes the present groups needs none.
    let pending: PendingChanges | null = null;
    let waits: number[] = [];
    let isOfTwoFrames = false;
    const untilDue = async (foundNews: boolean) => {
      pending ??= listen(connection, stop);
      const [wait, ...later] = foundNews && !isOfTwoFrames ? [] : waits;
      const { hasFrame } = await pending.next(wait === undefined ? interval : () => wait, stop);
      isOfTwoFrames = hasFrame && wait !== undefined;
      waits = hasFrame ? AGAIN_AFTER_MS : later;
    };
    return pollMessages(get, { since, untilDue, onError, signal: stop });
  });
}

/** Without a socket, polls are frequent. Beside one, and right after it was dropped, they are a precaution. */
function intervalOf(everyMs: number): Interval {
  return (state) =>
    state === "blocked" || state === "unreachable"
      ? everyMs * (1 + Math.random())
      : Math.max(BESIDE_SOCKET_MS * (0.75 + 0.25 * Math.random()), everyMs);
}

function listen(connection: SharedConnection, stop: AbortSignal): PendingChanges {
  const pending = new PendingChanges(["messages"]);
  const { onState, onFrame } = pending;
  // Without the refusal of a token: the next poll gets it too, or has a better token.
  if (connection.hasSockets) connection.listen({ onState: (state) => onState(state), onFrame }, stop);
  else onState("blocked");
  return pending;
}
