import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LineWithId } from "../../scripts/conform/lines.ts";
import { Random } from "../../scripts/program/random.ts";
import type { Expected } from "../model/expected.ts";
import type { Row } from "../model/kinds.ts";
import { Model } from "../model/model.ts";
import { writeBlock, writeMessageState } from "../model/own-state.ts";
import { addSeconds } from "../model/time.ts";
import { type Answer, as, feed, restore } from "../support/api.ts";
import { setClock } from "../support/clock.ts";
import { seenAs } from "../support/compare.ts";
import { differences } from "../support/differences.ts";
import { exportPages } from "../support/exporting.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import { deviceOf, footprint, readChanges } from "../support/own-state.ts";
import { propertyRuns } from "../support/property-runs.ts";
import * as seed from "../support/seed.ts";

// docs/contract/interface.md, 4.10 and 4.12: two devices of a customer and a feeder write the same records.

const BEGINNING = "2026-05-01 12:00:00";
const STEPS = 18;

/** A request of the feeder, or a change that a follower reads. */
interface Applied {
  version: number;
  at: string;
  lines: Row[];
}

/** The service and the model, with two devices of one customer, and a feeder. */
class World {
  readonly random: Random;
  readonly model = new Model();
  readonly feeds: Applied[] = [];
  readonly people = [seed.customer(), seed.customer(), seed.customer()] as const;
  readonly groups: readonly LineWithId[];
  readonly owner: string;
  now = BEGINNING;

  constructor(name: string) {
    this.random = new Random(name);
    const [owner, friend, third] = this.people;
    this.owner = owner.id;
    this.groups = [seed.group([owner, friend]), seed.group([third, owner, friend]), seed.group([friend, third])];
  }

  async begin(): Promise<void> {
    await freshDatabase(this.now);
    const messages = this.groups.map((group) => this.message(group));
    await this.feed([...this.people, ...this.groups, ...messages]);
  }

  /** A message that is history, so that it is shown at once and has the same time after a restore. */
  message(group: LineWithId): Row {
    return seed.message(group.id, this.random.pick(group.member_ids as string[]), {
      sent_at: this.time(-9_000, -4_000),
    });
  }

  time(from: number, to: number): string {
    return addSeconds(this.now, this.random.integer(from, to));
  }

  async feed(lines: Row[]): Promise<void> {
    const expected = this.model.feed(lines, { now: this.now });
    const answer = await feed(lines);
    expect(seenAs(expected, answer), JSON.stringify(lines)).toEqual(expected);
    this.feeds.push({ version: Number(answer.headers.get("X-Feed-Version")), at: this.now, lines });
  }

  /** A write of a device: how the service and the model do it. */
  write() {
    const { owner, model, random } = this;
    const device = deviceOf(owner);
    if (random.next() < 0.35) {
      const other = random.pick([...this.people.map(({ id }) => id), "nobody"]);
      const blocks = random.next() < 0.6;
      return {
        send: () => (blocks ? device.block(other) : device.unblock(other)),
        expect: () => model.write((state) => writeBlock(state, owner, other, blocks)),
      };
    }
    const group = random.pick([...this.groups, { id: "nothing" }]).id;
    const body = random.pick<Row>([
      { read_up_to: this.time(-9_500, 60) },
      { read_up_to: this.time(-9_500, -3_000) },
      { notifications_disabled: random.integer(0, 1) },
      { read_up_to: this.time(-9_500, 0), notifications_disabled: random.integer(0, 1) },
    ]);
    return {
      send: () => device.mark(group, body),
      expect: () => model.write((state) => writeMessageState(state, owner, group, body, this.now)),
    };
  }

  feedOne(): Promise<void> {
    const { owner, random } = this;
    const [group, other] = [random.pick(this.groups.slice(0, 2)), random.pick(this.people.slice(1))];
    const block = { record: "block", customer_id: owner, blocked_id: other.id };
    const state = seed.messageState(group.id, owner, {
      read_at: random.pick([null, this.time(-9_500, 60), this.time(-9_500, -5_000)]),
      notifications_disabled: random.integer(0, 1),
    });
    return this.feed(
      random.pick([[state], [state], [block], [{ ...block, deleted: true }], [this.message(group)], [state, block]]),
    );
  }

  async checkAnswer(expected: Expected, answer: Answer): Promise<void> {
    expect(seenAs(expected, answer), JSON.stringify(answer.body)).toEqual(expected);
    await this.checkList();
  }

  /** No answer after a write shows an older state. */
  async checkList(): Promise<void> {
    const call = { method: "GET" as const, path: "/api/v1/customer/messages" };
    const expected = this.model.ask(this.owner, call, this.now);
    expect(seenAs(expected, await as(this.owner).get(call.path))).toEqual(expected);
  }

  /** A device writes. It may lose the answer and repeat, also at the same time. */
  async step(): Promise<void> {
    const chance = this.random.next();
    if (chance < 0.3) return this.feedOne();
    const { send, expect: expectation } = this.write();
    if (chance < 0.45) {
      const [one, other] = await Promise.all([send(), send()]);
      const expected = expectation();
      await this.checkAnswer(expected, one);
      return this.checkAnswer(expected, other);
    }
    await this.checkAnswer(expectation(), await send());
    if (chance > 0.7) return;
    const before = await footprint();
    await this.checkAnswer(expectation(), await send());
    expect(await footprint(), "a repetition").toEqual(before);
  }

  async pass(): Promise<void> {
    this.now = addSeconds(this.now, this.random.integer(0, 3));
    await setClock(this.now);
  }
}

const linesOf = async () => {
  const pages = await exportPages();
  return pages.flatMap(({ body }) => body as Row[]).filter(({ record }) => record !== "program");
};

/** The marks and the blocks, in any order. */
function ownLines(lines: readonly Row[]): string[] {
  const own = lines.filter(({ record }) => record === "message_state" || record === "block");
  return own.map((line) => JSON.stringify(Object.entries(line).sort())).sort();
}

/** Feeds what each version applied, in their order, into a database that was restored. */
async function replay(before: readonly Answer[], applied: readonly Applied[]): Promise<void> {
  await freshDatabase(BEGINNING);
  for (const { body } of before) expect((await restore(body)).status).toBe(200);
  for (const { at, lines } of applied.toSorted((one, other) => one.version - other.version)) {
    await setClock(at);
    expect((await feed(lines)).status).toBe(200);
  }
}

describe("two devices and a feeder", () => {
  it("see what the model sees, and changes and feeds applied to an export give the next export", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (name) => {
        const world = new World(name);
        await world.begin();
        const before = await exportPages();
        const { next } = await readChanges("/api/v1/feed/changes");
        world.feeds.length = 0;

        for (let step = 0; step < STEPS; step += 1) {
          await world.step();
          await world.pass();
        }

        const { changes } = await readChanges(next);
        const after = await linesOf();
        expect(ownLines(after)).toEqual(ownLines(world.model.lines()));
        expect(await differences()).toEqual([]);
        const written = changes.map(({ version, at, line }) => ({ version, at, lines: [line ?? {}] }));
        await replay(before, [...world.feeds, ...written]);
        expect(await linesOf()).toEqual(after);
      }),
      propertyRuns(4),
    );
  });
});
