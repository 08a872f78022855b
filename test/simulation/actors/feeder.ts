import type { Random } from "../../../scripts/program/random.ts";
import { toDatetime, toInstant } from "../../../src/values/time.ts";
import {
  ACCOUNT,
  CAMPAIGN,
  COUPON,
  CUSTOMERS,
  customer,
  EIP_CAMPAIGN,
  EMPLOYEES,
  GROUPS,
  group,
  type Line,
  STORES,
  someMembers,
} from "../lines.ts";
import type { Answer } from "../network.ts";
import { LOCATIONS } from "../world.ts";
import { rest, type Stage } from "./actor.ts";

const WAIT_MS = 6_000;
const LONGEST_RETRY_MS = 20_000;
const ANSWER_WITHIN_MS = 60_000;

/**
 * A system of record: it feeds changes, and sends each request again until it is answered (docs/contract/feed.md). It
 * alone writes the states whose keys have its number.
 */
export async function feeder(stage: Stage, number: number): Promise<void> {
  const { world } = stage;
  const random = world.random(`feeder ${number}`);
  const composer = new Composer({ number, random, oldTime: () => timeOfOldEvent(stage, random) });
  while (!stage.isEnding()) {
    await rest(stage, random, WAIT_MS);
    if (stage.isEnding()) return;
    const lines = Array.from({ length: random.integer(1, 4) }, () => composer.line()).flat();
    await feed(stage, random, { lines, before: stage.rules.history?.tooOld(lines) ?? [] });
  }
}

interface Fed {
  lines: readonly Line[];
  /** Which of them were too old when they were fed first. */
  before: readonly number[];
}

/** Feeds the lines, in halves if they are too much. */
async function feed(stage: Stage, random: Random, { lines, before }: Fed): Promise<void> {
  const answer = await feedUntilAnswered(stage, random, lines);
  if (answer === null) return;
  if (answer.status === 413) {
    const half = Math.ceil(lines.length / 2);
    await feed(stage, random, { lines: lines.slice(0, half), before: before.filter((index) => index < half) });
    const later = before.filter((index) => index >= half).map((index) => index - half);
    await feed(stage, random, { lines: lines.slice(half), before: later });
    return;
  }
  stage.rules.history?.checkFeed({ lines, before }, answer);
  const bookmark = answer.headers.get("X-D1-Bookmark");
  if (bookmark === null || random.next() < 0.7) return;
  // What was acknowledged is seen with the bookmark of its answer, wherever it is read.
  const [location, customer] = [random.pick(LOCATIONS), random.pick(CUSTOMERS)];
  const call = { location, customer, path: "/api/v1/customer/coupons", headers: { "X-D1-Bookmark": bookmark } };
  await stage.network.send(call).catch(() => null);
}

const DAY_MS = 86_400_000;

/** Of one event in three a time that leaves in the next months, seldom one that has left already; of others none. */
export function timeOfOldEvent({ world: { history } }: Stage, random: Random): string | null {
  if (history === null || random.next() < 0.65) return null;
  const days = random.next() < 0.06 ? random.integer(-60, -1) : random.integer(0, 100);
  return toDatetime(new Date(toInstant(history.horizon) + days * DAY_MS + random.integer(0, DAY_MS - 1)));
}

/** Sends the lines, again and again while they are not answered for good. Null: the simulation ended before. */
export async function feedUntilAnswered(
  { world, network, isOver }: Stage,
  random: Random,
  lines: readonly Line[],
): Promise<Answer | null> {
  const body = lines.map((line) => JSON.stringify(line)).join("\n");
  for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS)) {
    if (isOver()) return null;
    const location = random.pick(LOCATIONS);
    const sending = network.send({ location, method: "POST", path: "/api/v1/feed", scope: "feed", body });
    const tooLate = world.time.wait(ANSWER_WITHIN_MS).then(() => null);
    const answer = await Promise.race([sending.catch(() => null), tooLate]);
    // Refused for good: it names somebody who is erased, or the database is full.
    if (answer !== null && !isPassing(answer, lines)) return answer;
    await world.time.wait(random.integer(waitMs / 2, waitMs));
  }
}

/** Whether it is worth sending the same lines again. A single line may be too much only because of another request. */
function isPassing({ status }: Answer, lines: readonly Line[]): boolean {
  return [429, 503].includes(status) || (status === 413 && lines.length === 1);
}

/** Lines that are good, mostly. `oldTime` gives the time of an event that was long ago; null: it has none. */
export class Composer {
  readonly #number: number;
  readonly #random: Random;
  readonly #oldTime: () => string | null;
  #count = 0;
  readonly #uses = new Map<string, number>();
  readonly #messages: string[] = [];

  constructor({ number, random, oldTime }: { number: number; random: Random; oldTime: () => string | null }) {
    this.#number = number;
    this.#random = random;
    this.#oldTime = oldTime;
  }

  line(): Line[] {
    const random = this.#random;
    const kind = random.integer(1, 100);
    if (kind <= 37) return [this.#message()];
    if (kind <= 40) return [this.#deletedMessage()];
    if (kind <= 55) return [this.#entry()];
    if (kind <= 70) return [this.#coupon()];
    if (kind <= 85) return [this.#play()];
    if (kind <= 88) return [this.#earning()];
    if (kind <= 91) return [this.#group()];
    if (kind <= 93) return [{ record: "message_group", id: "g4", deleted: true }];
    if (kind <= 94) return [{ record: "customer", id: "c6", deleted: true }];
    if (kind <= 95) return [customer("c6")];
    if (kind <= 97)
      return [
        {
          record: "store",
          id: "s3",
          account_id: ACCOUNT,
          name: `Street ${this.#id("x")}`,
          latitude: 35.49,
          longitude: -97.52,
        },
      ];
    if (kind <= 98)
      return [
        {
          record: "friendship",
          customer_id: "c1",
          friend_id: random.pick(CUSTOMERS.slice(1, 4)),
          status: random.integer(0, 1),
        },
      ];
    if (kind <= 99)
      return [
        {
          record: "membership",
          store_id: "s2",
          customer_id: random.pick(CUSTOMERS),
          ...(random.next() < 0.3 && { deleted: true }),
        },
      ];
    return [{ record: "store", id: "s1" }];
  }

  #message(): Line {
    const random = this.#random;
    const id = this.#id("m");
    const groupId = random.pick(GROUPS);
    const sender = groupId === "g1" ? "c1" : (CUSTOMERS[GROUPS.indexOf(groupId) - 1] ?? "c1");
    this.#messages.push(id);
    return { record: "message", id, group_id: groupId, customer_id: sender, body: id, sent_at: this.#oldTime() };
  }

  /** One of the last messages loses its body. */
  #deletedMessage(): Line {
    const id = this.#random.pick(this.#messages.length === 0 ? ["none"] : this.#messages.slice(-10));
    return { record: "message", id, deleted: true };
  }

  #entry(): Line {
    const random = this.#random;
    const amount = `${random.integer(1, 99)}.${random.integer(10, 99)}`;
    return {
      record: "balance_entry",
      id: this.#id("b"),
      customer_id: random.pick(CUSTOMERS.slice(0, 5)),
      store_id: "s1",
      amount,
      campaign_id: random.next() < 0.5 ? CAMPAIGN : null,
      created_at: this.#oldTime(),
    };
  }

  #coupon(): Line {
    const customerId = this.#random.pick(CUSTOMERS.slice(0, 4));
    const id = `i${this.#number}${customerId}`;
    const uses = (this.#uses.get(id) ?? 0) + 1;
    this.#uses.set(id, uses);
    return {
      record: "customer_coupon",
      id,
      customer_id: customerId,
      campaign_coupon_id: COUPON,
      store_id: "s1",
      total_count: 999_999_999,
      usage_count: uses,
    };
  }

  #play(): Line {
    const random = this.#random;
    return {
      record: "play",
      id: this.#id("y"),
      eip_campaign_id: EIP_CAMPAIGN,
      location_id: random.pick(STORES),
      employee_id: random.pick(EMPLOYEES),
      runs: random.pick(["1.25", "1.25", "-1.25"]),
      hits: random.integer(-2, 3),
      played_at: this.#oldTime(),
    };
  }

  #earning(): Line {
    const random = this.#random;
    return {
      record: "token_earning",
      id: this.#id("t"),
      store_id: "s1",
      customer_id: random.pick(CUSTOMERS.slice(0, 4)),
      level_no: random.integer(1, 5),
      tokens: "2.50",
      earned_at: this.#oldTime(),
    };
  }

  #group(): Line {
    const id = this.#random.pick(GROUPS);
    return group(id, someMembers(this.#random, id));
  }

  #id(prefix: string): string {
    this.#count += 1;
    return `${prefix}${this.#number}x${this.#count}`;
  }
}
