import { setTimeout as sleep } from "node:timers/promises";
import { type ClientOptions, createClient, type Since } from "../../src/client/index.ts";
import type { Random } from "../demo/random.ts";
import { DroppableSocket } from "./droppable-socket.ts";
import { inProgram, partsOf } from "./programs.ts";
import type { OnError } from "./stalls.ts";
import { tokenOf } from "./traffic.ts";

/** A group that somebody was given, with the message that it showed. */
export interface Given {
  group: string;
  message: string;
  /** The message's time, as the service says it. */
  sentAt: string;
  /** When it was given, in milliseconds since 1970. */
  at: number;
}

/** Somebody who is to be given every group with news. */
export interface Follower {
  /** Who it is, for a person. */
  name: string;
  customer: string;
  given: Given[];
  polls: number;
  /** Polls that did not ask the database. */
  quiet: number;
}

export interface Following {
  url: string;
  random: Random;
  signal: AbortSignal;
  onError: OnError;
}

interface Group {
  group_id: string;
  last_message: string;
  last_message_time: string;
}

const PATH = "/api/v1/customer/messages?per_page=100&check_time=";
const BEGINNING = "2026-01-01 00:00:00";
const POLL_MS = { from: 3_000, to: 7_000 };
const LONGEST_MS = 30_000;
const AGAIN_MS = 1_000;

export function newFollower(sort: string, customer: string): Follower {
  return { name: `${sort} ${customer}`, customer, given: [], polls: 0, quiet: 0 };
}

/** Polls every few seconds with the greatest time seen, as an app without sockets does. */
export async function poll(follower: Follower, { url, random, signal, onError }: Following): Promise<void> {
  const headers = { Authorization: `Bearer ${await tokenOf(follower.customer)}` };
  const send = counting(follower);
  let since = BEGINNING;
  while (!signal.aborted) {
    await sleep(random.integer(POLL_MS.from, POLL_MS.to), null, { signal }).catch(() => {});
    if (signal.aborted) return;
    const startedAt = Date.now();
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]);
      const response = await send(url + PATH + encodeURIComponent(since), { headers, signal: limit });
      const { errorCode, items = [] } = (await response.json()) as { errorCode?: string; items?: Group[] };
      if (response.status !== 200 || (errorCode !== undefined && errorCode !== "NO_ITEMS"))
        onError(`poll: ${response.status} ${errorCode}`, response.status === 503 ? startedAt : undefined);
      for (const group of items) follower.given.push(toGiven(group, follower));
      since = [since, ...items.map(({ last_message_time }) => last_message_time)].sort().at(-1) ?? since;
    } catch (error) {
      if (!signal.aborted) onError(`poll: no answer (${error})`);
    }
  }
}

/**
 * Follows `newMessages()` of the client. Dropping it cuts its connection, or ends the iteration, which then goes on from
 * the last group that was dealt with, as an app that was restarted does.
 */
export class MessageFollower {
  readonly follower: Follower;
  readonly #sockets = new Set<DroppableSocket>();
  #restart = new AbortController();

  constructor(customer: string) {
    this.follower = newFollower("newMessages() of", customer);
  }

  async follow({ url, signal, onError }: Following): Promise<void> {
    const { customer } = this.follower;
    const sockets = this.#sockets;
    const options: ClientOptions = {
      url,
      token: await tokenOf(customer),
      fetch: counting(this.follower),
      WebSocket: class extends DroppableSocket {
        constructor(address: string, protocols: string[]) {
          super(address, protocols);
          sockets.add(this);
          this.addEventListener("close", () => sockets.delete(this));
        }
      },
    };
    let since: Since = "";
    while (!signal.aborted) {
      this.#restart = new AbortController();
      const end = AbortSignal.any([signal, this.#restart.signal]);
      try {
        for await (const group of createClient(options).newMessages({ since, signal: end })) {
          this.follower.given.push(toGiven(group, this.follower));
          since = { group_id: group.group_id, last_message_time: group.last_message_time };
        }
      } catch (error) {
        // As an app does, it goes on from the last group.
        onError(`newMessages(): ${error instanceof Error ? error.message : error}`, Date.now());
        await sleep(AGAIN_MS, null, { signal }).catch(() => {});
      }
    }
  }

  drop(random: Random): void {
    if (random.next() < 0.5) this.#restart.abort();
    else for (const socket of this.#sockets) socket.terminate();
  }
}

function toGiven({ group_id, last_message, last_message_time }: Group, { customer }: Follower): Given {
  const group = inProgram(partsOf(customer).program, group_id);
  return { group, message: last_message, sentAt: last_message_time, at: Date.now() };
}

/** A `fetch` that counts the polls, and those that were quiet. */
function counting(follower: Follower): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    follower.polls += 1;
    if (response.headers.get("Server-Timing")?.includes('trips;desc="0"')) follower.quiet += 1;
    return response;
  };
}
