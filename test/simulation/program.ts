import type { Random } from "../../scripts/program/random.ts";
import { KINDS, type Row } from "../model/kinds.ts";
import type { Call } from "../model/parameters.ts";
import { toTime } from "../model/time.ts";
import { RandomProgram } from "../programs/random-program.ts";
import { EVENTFUL, FEW_FAULTS } from "../programs/shapes.ts";
import type { Time } from "./platform/time.ts";

const HALF_A_DAY_MS = 43_200_000;
const NEW_IDS_SHARE = 0.2;
const TAKEN_ID_SHARE = 0.03;
const OLD_SHARE = 0.35;
const OF_NOW_SHARE = 0.8;
const TIME_FIELDS = new Map(KINDS.filter(({ isEvent }) => isEvent).map(({ record, timeField }) => [record, timeField]));

/** The program that all feeders change and all apps ask about. */
export class SimulatedProgram {
  readonly #program: RandomProgram;
  readonly #random: Random;
  readonly #time: Time;
  /** The line of each event that has been fed, by its kind and id. */
  readonly #events = new Map<string, Row>();

  constructor(random: Random, time: Time) {
    this.#random = random;
    this.#time = time;
    this.#program = new RandomProgram(random, "leaderboard", EVENTFUL, { ...FEW_FAULTS, keepsOthers: true });
  }

  /** All customers except the last one, whom the first lines leave out. */
  get customers(): readonly string[] {
    return this.#program.idsOf("customer").slice(0, -1);
  }

  get firstStore(): string {
    return this.#program.idsOf("store")[0] ?? "";
  }

  /** Lines that the service takes. A mark that is a day ahead of the database's clock, which may be behind, is refused. */
  firstLines(): Row[] {
    const inHalfADay = toTime(this.#time.now + HALF_A_DAY_MS);
    return this.#program
      .beginning(this.#now)
      .filter((line) => line.record !== "message" || !this.#isOfOldGroup(line))
      .filter(({ record, read_at }) => record !== "message_state" || !(read_at > inHalfADay));
  }

  /**
   * Lines that change something. An event that is fed again has the line that it had first, so its age stays. Seldom its id is
   * of another event.
   */
  changes(oldTime: (share: number) => string | null): Row[] {
    if (this.#random.next() < NEW_IDS_SHARE) this.#program.renameEvents();
    return this.#program.changes(this.#now).lines.map((line) => {
      const timeField = TIME_FIELDS.get(line.record);
      if (timeField === undefined || line.deleted) return line;
      const name = `${line.record} ${line.id}`;
      const earlier = this.#events.get(name);
      if (earlier !== undefined && this.#random.next() >= TAKEN_ID_SHARE) return earlier;
      const event = { ...line, [timeField]: this.#timeOf(line, timeField, oldTime) };
      this.#events.set(name, earlier ?? event);
      return event;
    });
  }

  /** A random customer, and what they ask. */
  call(): { caller: string; call: Call } {
    return this.#program.call(this.#now);
  }

  /** Whether a message is of the one group that has only old messages. They stay in D1, because the group shows one. */
  #isOfOldGroup({ group_id: group }: Row): boolean {
    return group === this.#program.idsOf("message_group").at(-2);
  }

  #timeOf(line: Row, timeField: string, oldTime: (share: number) => string | null): unknown {
    if (line.record !== "message") return oldTime(OLD_SHARE) ?? line[timeField];
    if (this.#isOfOldGroup(line)) return oldTime(1);
    const isOfNow = this.#random.next() < OF_NOW_SHARE;
    return oldTime(OLD_SHARE) ?? (isOfNow ? null : line[timeField]);
  }

  get #now(): string {
    return toTime(this.#time.now);
  }
}

export const customerLine = (id: string): Row => ({
  record: "customer",
  id,
  first_name: `Ada ${id}`,
  last_name: "Byron",
});

export const groupLine = (id: string, members: readonly string[]): Row => ({
  record: "message_group",
  id,
  initial_customer_id: members[0],
  member_ids: members,
});
