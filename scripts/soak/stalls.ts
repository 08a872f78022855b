import { setTimeout as sleep } from "node:timers/promises";
import { call } from "../lib/call.ts";
import { CommandError } from "../lib/command-error.ts";
import { DEMO_CUSTOMER } from "../program/program.ts";
import { STALL_PATH } from "./stall-path.ts";
import { PLAYED_STORE_IDS, tokenOf } from "./traffic.ts";

export interface StallReport {
  stalls: number;
  /** How long each stall was. */
  seconds: number;
}

/** Notes an error. If it has the time at which the request began, a stall may excuse the error. */
export type OnError = (text: string, startedAt?: number) => void;

const STALL_EVERY_MS = 60_000;
const FIRST_AFTER_MS = 10_000;
/** How long after a stall it excuses errors. The circuit breaker refuses requests for up to six more seconds. */
export const AFTER_STALL_MS = 10_000;

/** Stalls the primary once a minute, and excuses requests that fail because of a stall. */
export class Stalls {
  readonly #url: string;
  readonly #milliseconds: number;
  readonly #stalls: { from: number; to: number }[] = [];

  constructor(url: string, milliseconds: number) {
    this.#url = url;
    this.#milliseconds = milliseconds;
  }

  /** Stalls again and again, until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#milliseconds === 0) return;
    for (let wait = FIRST_AFTER_MS; ; wait = STALL_EVERY_MS - this.#milliseconds) {
      await sleep(wait, null, { signal }).catch(() => {});
      if (signal.aborted) return;
      const stall = { from: Date.now(), to: Date.now() + this.#milliseconds };
      this.#stalls.push(stall);
      await this.#stallPrimaryFor(this.#milliseconds);
      await sleep(this.#milliseconds, null, { signal }).catch(() => {});
      await this.#endStall(stall);
    }
  }

  /** Whether a request that has just failed may have failed because of a stall. */
  excuses(startedAt: number): boolean {
    return this.#stalls.some(({ from, to }) => startedAt < to + AFTER_STALL_MS && Date.now() >= from);
  }

  /** Asks for each board once, so that a cache answers for it during stalls. */
  async cacheBoards(): Promise<void> {
    if (this.#milliseconds === 0) return;
    console.error("Caching the boards …");
    const token = await tokenOf(DEMO_CUSTOMER);
    for (const id of PLAYED_STORE_IDS) {
      const address = `${this.#url}/api/v1/customer/gamification/leaderboard`;
      const { status } = await call(address, { token, body: JSON.stringify({ location_id: id }) });
      if (status !== 200) throw new CommandError(`The board of ${id} was answered ${status}.`);
    }
  }

  report(): StallReport | null {
    if (this.#milliseconds === 0) return null;
    return { stalls: this.#stalls.length, seconds: this.#milliseconds / 1_000 };
  }

  async #endStall(stall: { to: number }): Promise<void> {
    await this.#stallPrimaryFor(0);
    stall.to = Date.now();
  }

  async #stallPrimaryFor(milliseconds: number): Promise<void> {
    const { ok } = await fetch(`${this.#url}${STALL_PATH}?ms=${milliseconds}`);
    if (!ok) throw new CommandError("The service could not be made to stall.");
  }
}
