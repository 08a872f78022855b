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

/** Something changed. */
export interface Changed {
  /** What to ask for again: one or more. */
  what: Change[];
}

/** After how many milliseconds everything counts as changed without a frame. */
type Interval = (state: LiveState) => number;

const BLOCKED_EVERY_MS = 60_000;

/**
 * Changes: everything after each connection, then what frames list; without a socket, everything now and then. Changes that
 * come while the app is busy are merged into one item.
 * @throws a LoyaltyError if the service refuses the token.
 */
export function followChanges(
  connection: SharedConnection,
  { signal }: ChangesOptions,
): AsyncGenerator<Changed, void, undefined> {
  return abortable(signal, async function* (stop) {
    const pending = new PendingChanges(EVERYTHING);
    // A failure while the app is busy is thrown at the next item.
    connection.listen(pending.listener, pending.fail, stop);
    for (let isFirst = true; ; isFirst = false) {
      const blockedMs = isFirst ? 0 : BLOCKED_EVERY_MS * (1 + Math.random());
      const interval: Interval = (state) => (state === "blocked" ? blockedMs : Infinity);
      yield { what: await pending.next(interval, stop) };
    }
  });
}

/** The changes since the last call of `next`, each once. */
class PendingChanges {
  readonly #kinds: readonly Change[];
  readonly #changed = new Set<Change>();
  #hasFrame = false;
  /** Whether the last changes of `next` were in a frame, not only due to a new connection or the interval. */
  wasInFrame = false;
  #state: LiveState = "connecting";
  #failure: { error: unknown } | null = null;
  #wake = () => {};

  constructor(kinds: readonly Change[]) {
    this.#kinds = kinds;
  }

  readonly listener: LiveListener = (state, changed) => {
    this.#state = state;
    const wanted = changed.filter((kind) => this.#kinds.includes(kind));
    for (const kind of wanted) this.#changed.add(kind);
    if (changed !== EVERYTHING && wanted.length > 0) this.#hasFrame = true;
    this.#wake();
  };

  /** No changes follow. `next` gives those that are pending, and then throws the error. */
  readonly fail = (error: unknown): void => {
    this.#failure = { error };
    this.#wake();
  };

  /**
   * Waits for a change, or until everything counts as changed after the interval.
   * @throws the error given to `fail`, and the signal's reason once it is aborted.
   */
  async next(interval: Interval, signal: AbortSignal): Promise<Change[]> {
    const askedAt = Date.now();
    for (;;) {
      throwIfAborted(signal);
      if (this.#changed.size > 0) return this.#take([...this.#changed]);
      if (this.#failure !== null) throw this.#failure.error;
      const left = interval(this.#state) - Math.max(Date.now() - askedAt, 0);
      if (left <= 0) return this.#take(this.#kinds);
      await pause(left, signal, (wake) => {
        this.#wake = wake;
      });
    }
  }

  #take(kinds: readonly Change[]): Change[] {
    this.#changed.clear();
    this.wasInFrame = this.#hasFrame;
    this.#hasFrame = false;
    return EVERYTHING.filter((kind) => kinds.includes(kind));
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
// A refused token makes a poll end the iteration. If polls succeed, there is a better token after this time.
const REFUSED_WAIT_MS = 60_000;

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
      await pending.next(wait === undefined ? interval : () => wait, stop);
      isOfTwoFrames = pending.wasInFrame && wait !== undefined;
      waits = pending.wasInFrame ? AGAIN_AFTER_MS : later;
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
  const listenAgain = () => {
    pending.listener("blocked", []);
    pause(REFUSED_WAIT_MS * (1 + Math.random()), stop).then(begin, () => {});
  };
  const begin = () => connection.listen(pending.listener, listenAgain, stop);
  if (connection.hasSockets) begin();
  else pending.listener("blocked", []);
  return pending;
}
