import { setTimeout as sleep } from "node:timers/promises";
import { type Client, createClient, type PollOptions } from "../../src/client/index.ts";
import type { Random } from "../demo/random.ts";
import type { OnError } from "./stalls.ts";
import { tokenOf } from "./traffic.ts";

/** What an app follows: the changes, or the messages, over a socket or by polls alone. */
export type Follows = "changes" | "new messages" | "new messages by polls";

/** A group that an app was given, with the message that it showed. */
export interface Given {
  group: string;
  message: string;
  /** The message's time, as the service says it. */
  sentAt: string;
  /** When it was given, in milliseconds since 1970. */
  at: number;
}

export interface Following {
  url: string;
  signal: AbortSignal;
  onError: OnError;
}

const POLL_EVERY_MS = 3_500;
const START_WITHIN_MS = 5_000;
const AGAIN_MS = 1_000;

/** An app that stays open, with the client. */
export class OpenApp {
  readonly customer: string;
  readonly given: Given[] = [];
  /** When it was notified that messages have changed, in milliseconds since 1970. */
  readonly notifiedAt: number[] = [];
  readonly #follows: Follows;
  readonly #random: Random;
  readonly #sockets = new Set<WebSocket>();
  #since: PollOptions["since"] = "";
  #restart = new AbortController();

  constructor(customer: string, follows: Follows, random: Random) {
    this.customer = customer;
    this.#follows = follows;
    this.#random = random;
  }

  get isConnected(): boolean {
    return [...this.#sockets].some(({ readyState }) => readyState === WebSocket.OPEN);
  }

  /** Stays open until the signal. */
  async stayOpen({ url, signal, onError }: Following): Promise<void> {
    const sockets = this.#sockets;
    const Socket = class extends WebSocket {
      constructor(address: string, protocols: string[]) {
        super(address, protocols);
        sockets.add(this);
        this.addEventListener("close", ({ code }) => {
          const isUnexpected = sockets.delete(this) && !signal.aborted;
          if (isUnexpected) onError(`live: closed with ${code}`, this.protocol === "" ? Date.now() : undefined);
        });
      }

      /** The client closes it: when it stops, and when a ping is not answered. */
      override close(code?: number): void {
        sockets.delete(this);
        super.close(code);
      }
    };
    const client = createClient({
      url,
      token: await tokenOf(this.customer),
      WebSocket: this.#follows === "new messages by polls" ? null : Socket,
      // A failure that is tried again would not be seen.
      retry: { attempts: 1 },
    });
    await sleep(this.#random.next() * START_WITHIN_MS, null, { signal }).catch(() => {});
    while (!signal.aborted) {
      this.#restart = new AbortController();
      try {
        await this.#follow(client, AbortSignal.any([signal, this.#restart.signal]));
      } catch (error) {
        onError(`the client: ${error instanceof Error ? error.message : error}`, Date.now());
        await sleep(AGAIN_MS, null, { signal }).catch(() => {});
      }
    }
  }

  restart(): void {
    this.#restart.abort();
  }

  async #follow(client: Client, signal: AbortSignal): Promise<void> {
    if (this.#follows === "changes") {
      for await (const { what } of client.changes({ signal }))
        if (what.includes("messages")) this.notifiedAt.push(Date.now());
      return;
    }
    const options: PollOptions = { since: this.#since, everyMs: POLL_EVERY_MS, signal };
    for await (const { group_id, last_message, last_message_time } of client.newMessages(options)) {
      this.given.push({ group: group_id, message: last_message, sentAt: last_message_time, at: Date.now() });
      // An app that is restarted goes on from here.
      this.#since = { group_id, last_message_time };
    }
  }
}
