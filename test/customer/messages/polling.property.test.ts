import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, it, vi } from "vitest";
import { findMessageGroups } from "../../../src/customer/messages/queries.ts";
import { Database } from "../../../src/db/database.ts";
import { acceptFeed } from "../../../src/feed/accept.ts";
import { pick, type Row } from "../../model/kinds.ts";
import { messageGroups } from "../../model/messages.ts";
import { Model } from "../../model/model.ts";
import { byCodePoint } from "../../model/text.ts";
import { mustFeed, ndjson } from "../../support/api.ts";
import { showStoredMessages } from "../../support/clock.ts";
import { databaseThrough } from "../../support/databases.ts";
import { stopClocks, toText } from "../../support/listeners.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { REPLICAS, type ReplicatedDatabase, replicateDatabase } from "../../support/replicas.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";

// Writers and pollers take turns. A feed request is on its way from `send` until `arrive`: meanwhile the clock moves, and
// others read and write. Each page of a poll is read at some replica, which is any number of commits behind. The stamp
// that shows messages is taken late or never.

const GROUPS = 4;
const WRITERS = 3;
const PAGE_SIZE = 2;
const HOUR = 3_600;

type Step =
  | { do: "tick"; seconds: number }
  | { do: "send"; writer: number; lines: { group: number; age: number | null }[] }
  | { do: "arrive"; writer: number }
  | { do: "show" }
  | { do: "replicate"; replica: number; commits: number }
  | { do: "read"; poller: number; replica: number };

/** Seconds before the second in which a message is sent. More than an hour: history. Null: it has no `sent_at`. */
const age = fc.oneof(
  { weight: 4, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom(-50, 0, 1, HOUR, HOUR + 1, HOUR + 2, 3 * HOUR) },
);
const writer = fc.nat(WRITERS - 1);
const replica = fc.nat(REPLICAS - 1);
const lines = fc.array(fc.record({ group: fc.nat(GROUPS - 1), age }), { minLength: 1, maxLength: 4 });

function stepsWith(...seconds: number[]): fc.Arbitrary<Step[]> {
  const tick = fc.record({ do: fc.constant("tick" as const), seconds: fc.constantFrom(...seconds) });
  const send = fc.record({ do: fc.constant("send" as const), writer, lines });
  const arrive = fc.record({ do: fc.constant("arrive" as const), writer });
  const show = fc.record({ do: fc.constant("show" as const) });
  const commits = fc.constantFrom(1, 2, 5, Number.POSITIVE_INFINITY);
  const replicate = fc.record({ do: fc.constant("replicate" as const), replica, commits });
  const read = fc.record({ do: fc.constant("read" as const), poller: fc.nat(1), replica });
  return fc.array(fc.oneof(tick, send, arrive, arrive, show, replicate, read, read, read), {
    minLength: 30,
    maxLength: 80,
  });
}

let database: ReplicatedDatabase;
let end = () => {};

beforeAll(async () => {
  ({ database, end } = await replicateDatabase());
});
afterAll(() => end());
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Every second at which the clock has stood. It must not stand there again: the service could not notice that. */
const visited = new Set<number>();

/** A reader, a writer, their groups, and the model of the contract, which is fed the same lines. */
class World {
  readonly #people = [seed.customer(), seed.customer()] as const;
  readonly #groups = Array.from({ length: GROUPS }, () => seed.group(this.#people.map(({ id }) => id)));
  readonly #model = new Model();
  /** The state of the primary after each commit, and its last stamp. */
  readonly #copies: { commit: number; state: Model["state"]; stamp: string }[] = [];
  readonly #onTheWay = new Map<number, () => Promise<void>>();
  readonly reader = this.#people[0].id;
  /** The messages whose time is the stamp of their request. The others are history. */
  readonly news = new Set<string>();
  #now = 0;

  async begin(): Promise<void> {
    this.#now = Math.max(0, ...visited) + HOUR;
    await this.tick(1);
    const program = [...this.#people, ...this.#groups];
    await mustFeed(program);
    this.#model.feed(program, { now: toText(this.#now) });
    await this.#note();
    await this.#replicateAll();
  }

  /** Notes what the primary has now. The model does not take the stamps that show messages: it gets them here. */
  async #note(): Promise<void> {
    const [{ stamp, said } = {}] = await rows("SELECT stamp, clock_said AS said FROM program_state");
    const { state } = this.#model;
    state.clock = { stamp: String(stamp), said: String(said) };
    this.#copies.push({ commit: database.position(), state, stamp: String(stamp) });
  }

  /** What a copy of the database shows: the messages before its last stamp. */
  shownAt(commit: number): { stamp: string; groups: Row[] } {
    const copy = this.#copies.findLast((one) => one.commit <= commit);
    if (copy === undefined) throw new Error("The copy is older than the groups.");
    return { stamp: copy.stamp, groups: messageGroups(copy.state, this.reader, {}, copy.stamp) };
  }

  async tick(seconds: number): Promise<void> {
    this.#now += seconds;
    while (visited.has(this.#now)) this.#now += 1;
    visited.add(this.#now);
    await stopClocks(this.#now);
  }

  async show(): Promise<void> {
    await showStoredMessages();
    await this.#note();
  }

  /** The Worker takes messages at once. Their statements reach the database when the request arrives. */
  send(writer: number, messages: { group: number; age: number | null }[]): void {
    if (this.#onTheWay.has(writer)) return;
    const lines = messages.map(({ group, age }) => {
      const id = seed.freshId("m");
      const sent_at = age === null ? null : toText(this.#now - age);
      return seed.message(this.#groups[group]?.id, this.#people[1].id, { id, body: id, sent_at });
    });
    const gate = Promise.withResolvers<void>();
    const gated = databaseThrough(({ send }) => gate.promise.then(send));
    const body = new TextEncoder().encode(ndjson(lines));
    const answer = acceptFeed(new Database(gated, "first-primary"), {
      body,
      token: { accounts: "*", restores: false },
    });
    this.#onTheWay.set(writer, async () => {
      gate.resolve();
      await answer;
      this.#model.feed(lines, { now: toText(this.#now) });
      const { state } = this.#model;
      for (const { id } of lines) if (state.find("message", id)?.sent_at === state.clock.stamp) this.news.add(id);
      await this.#note();
    });
  }

  async arrive(writer: number): Promise<void> {
    await this.#onTheWay.get(writer)?.();
    this.#onTheWay.delete(writer);
  }

  async run(steps: readonly Step[], read: (poller: number) => Promise<void>): Promise<void> {
    for (const step of steps) {
      if (step.do === "tick") await this.tick(step.seconds);
      else if (step.do === "show") await this.show();
      else if (step.do === "send") this.send(step.writer, step.lines);
      else if (step.do === "arrive") await this.arrive(step.writer);
      else if (step.do === "replicate") await database.replicate(step.replica, step.commits);
      else {
        database.nearest = step.replica;
        await read(step.poller);
      }
    }
    for (let writer = 0; writer < WRITERS; writer += 1) await this.arrive(writer);
  }

  /** Everything that was stored is shown, everywhere. */
  async showEverywhere(): Promise<void> {
    await this.tick(1);
    await this.show();
    await this.#replicateAll();
  }

  async #replicateAll(): Promise<void> {
    for (let index = 0; index < REPLICAS; index += 1) await database.replicate(index, Number.POSITIVE_INFINITY);
  }
}

/** What a poller looks at of a group. The body of each message is its id. */
const shownOf = (group: Row): Row => pick(group, "group_id last_message last_message_time");

/** A client that polls by docs/contract/interface.md, 4.2: one `check_time` for all pages, then the latest time seen. */
class Poller {
  readonly seen = new Set<string>();
  checkTime = "";
  /** Where the next page of a poll begins; null between polls. */
  after: { time: string; group_id: string; up_to: string; shown: number } | null = null;
  #latest = "";

  async read(customerId: string): Promise<{ page: Row[]; hasMore: boolean; roundTrips: number }> {
    const db = new Database(env.DB, "first-unconstrained");
    const { items, hasMore } = await findMessageGroups(db, {
      customerId,
      checkTime: this.checkTime,
      page: { offset: 0, limit: PAGE_SIZE },
      after: this.after ?? undefined,
    });
    return { page: items.map(({ record }) => shownOf(JSON.parse(record))), hasMore, roundTrips: db.usage.roundTrips };
  }

  take(page: readonly Row[], hasMore: boolean): void {
    for (const { last_message, last_message_time } of page) {
      this.seen.add(last_message);
      if (last_message_time > this.#latest) this.#latest = last_message_time;
    }
    const [first, last] = [page[0], page.at(-1)];
    const up_to = this.after?.up_to ?? first?.last_message_time ?? "";
    this.after = hasMore && last ? { time: last.last_message_time, group_id: last.group_id, up_to, shown: 0 } : null;
    if (this.after === null) this.checkTime = this.#latest;
  }
}

const isAfter = ({ last_message_time, group_id }: Row, { time, group_id: id }: NonNullable<Poller["after"]>) =>
  last_message_time < time || (last_message_time === time && byCodePoint(group_id, id) > 0);

async function readToTheEnd(poller: Poller, read: () => Promise<void>): Promise<void> {
  while (poller.after !== null) await read();
  do await read();
  while (poller.after !== null);
}

describe("polling", () => {
  it.for([
    ["as clocks go forward", stepsWith(1, 1, 1, 2, HOUR)],
    ["as clocks are set back", stepsWith(1, 1, 2, 5, -1, -3, -7, -HOUR)],
  ] as const)(
    "hides no news, answers it as soon as its second is over, and never twice: %s",
    async ([, stepLists], { expect }) => {
      const property = fc.asyncProperty(stepLists, async (steps) => {
        const world = new World();
        await world.begin();
        const pollers = [new Poller(), new Poller()] as const;
        const unseenBy = ({ seen }: Poller) =>
          world
            .shownAt(database.position())
            .groups.filter(({ last_message }) => world.news.has(last_message) && !seen.has(last_message));
        const read = async (poller: Poller) => {
          const { after, checkTime } = poller;
          const lost = unseenBy(poller).filter(({ last_message_time }) => last_message_time <= checkTime);
          if (after === null) expect(lost).toEqual([]);
          const replica = world.shownAt(database.position(database.nearest));
          const copy = after === null || replica.stamp > after.up_to ? replica : world.shownAt(database.position());
          const left = copy.groups.filter(
            (one) => one.last_message_time > checkTime && (after === null || isAfter(one, after)),
          );

          const { page, hasMore } = await poller.read(world.reader);

          expect(page).toEqual(left.slice(0, PAGE_SIZE).map(shownOf));
          expect(hasMore).toBe(left.length > PAGE_SIZE);
          expect(page.filter(({ last_message }) => poller.seen.has(last_message))).toEqual([]);
          poller.take(page, hasMore);
        };

        await world.run(steps, (poller) => read(pollers[poller === 0 ? 0 : 1]));
        await world.showEverywhere();
        for (const poller of pollers) {
          await readToTheEnd(poller, () => read(poller));
          expect(unseenBy(poller)).toEqual([]);
        }
      });

      await fc.assert(property, propertyRuns(4));
    },
  );

  it.for([
    ["at the primary, where the replica does not have the first page", 0, 2],
    ["at the primary, where the replica does not show the last message of the first page", 1, 2],
    ["at the replica, where that shows all of the first page", 3, 1],
  ] as const)("reads a later page %s", async ([, commits, roundTrips], { expect }) => {
    const world = new World();
    await world.begin();
    world.send(
      0,
      [0, 1, 2].map((group) => ({ group, age: null })),
    );
    await world.arrive(0);
    await world.tick(1);
    await world.show();
    const poller = new Poller();
    await database.replicate(0, Number.POSITIVE_INFINITY);
    // The first commit stores the messages, the second moves the clock, the third shows them.
    await database.replicate(1, commits);

    database.nearest = 0;
    const first = await poller.read(world.reader);
    poller.take(first.page, first.hasMore);
    database.nearest = 1;
    const second = await poller.read(world.reader);

    expect([first.page.length, second.page.length]).toEqual([2, 1]);
    expect(second.roundTrips).toBe(roundTrips);
  });
});
