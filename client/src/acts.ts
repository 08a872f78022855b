import { type FailedResult, LoyaltyError, type Result } from "./result.ts";
import { encode, errorOf, type Sent, type Service } from "./service.ts";
import type { Act } from "./till-bodies.ts";
import type { ActNotes, ActOptions } from "./till-calls.ts";
import { millisecondsSince, pause, throwIfAborted, waitAfterFailure } from "./waiting.ts";

interface ActsOptions {
  /** How long an act is repeated. */
  repeatForMs: number;
  /** The longest time of one try, to the last byte of its answer. */
  answerWithinMs: number;
  notes: ActNotes | undefined;
  onError: (error: LoyaltyError, act: Act) => void;
}

interface Limits {
  signal?: AbortSignal | undefined;
  repeatForMs?: number | undefined;
  /** Whether the act may be stored before the first try. */
  mayBeStored?: boolean;
  onFailure?: (error: LoyaltyError) => void;
}

const PATHS = { redeem: "/redemptions", book: "/entries", hold: "/holds" } as const;
const LONGEST_WAIT_MS = 30_000;
/** A try whose answer was lost may reach the database so much later: on its way, and within the service's four seconds. */
const LATE_MS = 15_000;

/** The key of an act's note. An entry may have the id of a redemption, and a redemption that of its hold. */
const noteOf = ({ act, body }: Act) => `${act} ${body.id}`;

/**
 * The acts of a till. Each has an id, so it can be repeated until the service says whether it is done. An act that is given up
 * is taken back in the background (docs/contract/till.md, 1).
 */
export class Acts {
  readonly #service: Service;
  readonly #options: ActsOptions;
  readonly #takingBack = new Set<Promise<void>>();

  constructor(service: Service, options: ActsOptions) {
    this.#service = service;
    this.#options = options;
  }

  /**
   * Does an act. If it throws, the act is taken back: also if only its note could not be removed, because the next start would
   * take it back. So it is if it is refused after a lost try, which may arrive late.
   * @throws a LoyaltyError if the act is given up, and the signal's reason once it is aborted.
   */
  async perform<Items>(act: Act, { takeBack = true, ...limits }: ActOptions = {}): Promise<Result<Items>> {
    throwIfAborted(limits.signal);
    const notes = takeBack ? this.#options.notes : undefined;
    await notes?.set(noteOf(act), act);
    let mayArrive = false;
    const onFailure = (error: LoyaltyError) => {
      mayArrive ||= mayBeStoredAfter(error);
    };
    try {
      const result = await this.repeat<Items>(PATHS[act.act], post(act.body), { ...limits, onFailure });
      if (takeBack && mayArrive && !result.status) this.#takeBackLater(act, { isRefused: true });
      else await notes?.delete(noteOf(act));
      return result;
    } catch (error) {
      if (error instanceof LoyaltyError) error.act = act;
      if (takeBack) this.#takeBackLater(act);
      throw error;
    }
  }

  /**
   * Repeats an act until the service answers, and then reverses it. A refusal counts if it comes again once no earlier try can
   * arrive. A hold is only freed: a request for it that arrives later holds nothing.
   * @param known `isRefused`: the service has just refused it.
   * @throws a LoyaltyError if the service refuses to reverse the act.
   */
  async takeBack(act: Act, known = { isRefused: false }): Promise<void> {
    const { notes, onError } = this.#options;
    const onFailure = (error: LoyaltyError) => onError(error, act);
    const limits = { repeatForMs: Infinity, mayBeStored: true, onFailure };
    if (act.act === "hold") await this.repeat(...freeing(act.body.id), limits);
    else {
      const isDone = async () => (await this.repeat(PATHS[act.act], post(act.body), limits)).status;
      const isStored = (!known.isRefused && (await isDone())) || (await pause(LATE_MS, undefined).then(isDone));
      const reversal = isStored ? await this.repeat(...(await undoing(act)), limits) : null;
      if (reversal?.status === false && !isReversed(reversal)) throw errorOf(reversal);
    }
    await notes?.delete(noteOf(act));
  }

  /** Resolves once all that was given up is taken back. */
  async settled(): Promise<void> {
    await Promise.all(this.#takingBack);
  }

  #takeBackLater(act: Act, known = { isRefused: false }): void {
    const job = this.takeBack(act, known)
      .catch((error: LoyaltyError) => this.#options.onError(error, act))
      .finally(() => this.#takingBack.delete(job));
    this.#takingBack.add(job);
  }

  /**
   * Sends a request until an answer says whether it is done, with growing waits.
   * @throws a LoyaltyError if no answer says so in time, and the signal's reason once it is aborted.
   */
  async repeat<Items>(path: string, sent: Sent, limits: Limits = {}): Promise<Result<Items>> {
    const { signal, repeatForMs = this.#options.repeatForMs, onFailure } = limits;
    const beganAt = Date.now();
    const leftMs = () => Math.max(repeatForMs - millisecondsSince(beganAt), 0);
    for (let failures = 1, { mayBeStored = false } = limits; ; failures += 1) {
      let error: LoyaltyError;
      try {
        const answerWithinMs = Math.min(this.#options.answerWithinMs, leftMs());
        const retry = { attempts: 1, longestWaitMs: 0, answerWithinMs };
        const result = await this.#service.request<Items>(path, sent, { signal, retry });
        if (result.status || saysWhetherDone(result, mayBeStored)) return result;
        error = errorOf(result);
      } catch (cause) {
        throwIfAborted(signal);
        if (!(cause instanceof LoyaltyError)) throw cause;
        error = cause;
      }
      const { failure } = error;
      mayBeStored ||= mayBeStoredAfter(error);
      onFailure?.(error);
      const waitMs = waitAfterFailure(failures, failure?.retryAfterMs, LONGEST_WAIT_MS);
      if (waitMs >= leftMs()) {
        if (failure !== null && !mayBeStored) return failure;
        throw new LoyaltyError("No answer in time says whether it was done.", { failure, cause: error });
      }
      await pause(waitMs, signal);
    }
  }
}

/** The service may have stored the act before it failed. */
const isOutage = ({ httpStatus }: FailedResult) => httpStatus >= 500 && httpStatus !== 507;
const mayBeStoredAfter = ({ failure }: LoyaltyError) => failure === null || isOutage(failure);
/** The service could not take the request now. */
const isPostponed = ({ httpStatus }: FailedResult) => [408, 429].includes(httpStatus);
/** The service refused the request before it looked at the id. So the answer says nothing of earlier tries. */
const isBeforeId = ({ httpStatus }: FailedResult) => [401, 403, 507].includes(httpStatus);

function saysWhetherDone(failure: FailedResult, mayBeStored: boolean): boolean {
  return !isOutage(failure) && !isPostponed(failure) && !(mayBeStored && isBeforeId(failure));
}

export const post = (body: object): Sent => ({ method: "POST", body: JSON.stringify(body) });

export const freeing = (holdId: string) => [`/holds/${encode(holdId)}`, { method: "DELETE" }] as const;

/** The request that reverses an act. Its id is always the same, so that it counts once: also beside `npm run undo`. */
async function undoing({ act, body }: Exclude<Act, { act: "hold" }>): Promise<[path: string, sent: Sent]> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body.id));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)));
  const id = `undo:${base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  if (act === "redeem") return ["/reversals", post({ id, redemption_id: body.id, store_id: body.store_id })];
  const amount = body.amount.startsWith("-") ? body.amount.slice(1) : `-${body.amount}`;
  const { minimum_balance: _, ...entry } = body;
  return [PATHS.book, post({ ...entry, id, amount })];
}

/** Somebody else has reversed it. */
function isReversed({ checks = [] }: FailedResult): boolean {
  return checks.some(({ check, holds }) => check === "not_reversed" && !holds);
}
