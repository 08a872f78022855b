import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, it, vi } from "vitest";
import { showStoredMessages } from "../../support/clock.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { createPublicViews } from "../../support/public-views.ts";
import { REPLICAS, type ReplicatedDatabase, replicateDatabase } from "../../support/replicas.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";
import { byPlace, HOUR, Messages, Poller } from "./model.ts";
import { createGroups, readPage, type Sent, send, stopClocks } from "./simulation.ts";

let database: ReplicatedDatabase;
let end = () => {};

beforeAll(async () => {
  ({ database, end } = await replicateDatabase());
  await createPublicViews();
});
afterAll(() => end());

// Writers and pollers take turns. A writer's request is on its way from `send` until `arrive`, while the clock moves and
// others read and write: it reaches the database whole, but not at the time at which the Worker took it. Pollers read
// replicas, each page perhaps another one, which lag by any number of commits. The stamp that shows messages comes late
// or never.

const GROUPS = 4;
const WRITERS = 3;
const PAGE_SIZE = 2;

type Step =
  | { do: "tick"; seconds: number }
  | { do: "send"; writer: number; lines: { group: number; age: number | null }[] }
  | { do: "arrive"; writer: number }
  | { do: "show" }
  | { do: "replicate"; replica: number; commits: number }
  | { do: "read"; poller: number; replica: number };

/** Seconds before the second in which a message is sent: history where it is more than an hour, else news. */
const age = fc.oneof(
  { weight: 4, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom(-50, 0, 1, HOUR, HOUR + 1, HOUR + 2, 3 * HOUR) },
);
const writer = fc.nat(WRITERS - 1);
const replica = fc.nat(REPLICAS - 1);
const lines = fc.array(fc.record({ group: fc.nat(GROUPS - 1), age }), { minLength: 1, maxLength: 4 });
const tickOf = (...seconds: number[]) =>
  fc.record({ do: fc.constant("tick" as const), seconds: fc.constantFrom(...seconds) });

function stepsWith(ticks: fc.Arbitrary<Step>): fc.Arbitrary<Step[]> {
  const step = fc.oneof(
    { weight: 3, arbitrary: ticks },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("send" as const), writer, lines }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("arrive" as const), writer }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("show" as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("replicate" as const),
        replica,
        commits: fc.constantFrom(1, 2, 5, Number.POSITIVE_INFINITY),
      }),
    },
    { weight: 6, arbitrary: fc.record({ do: fc.constant("read" as const), poller: fc.nat(1), replica }) },
  );
  return fc.array(step, { minLength: 30, maxLength: 80 });
}

/** Runs the steps; what is still on its way arrives at the end. */
async function run(
  steps: readonly Step[],
  world: Awaited<ReturnType<typeof createGroups>>,
  on: {
    tick: (seconds: number) => Promise<void>;
    stored: (messages: readonly Sent[]) => void;
    shown?: () => void;
    read: (poller: number) => Promise<void>;
    now: () => number;
  },
) {
  const onTheWay = new Map<number, () => Promise<void>>();
  for (const step of [
    ...steps,
    ...Array.from({ length: WRITERS }, (_, writer) => ({ do: "arrive", writer }) as const),
  ]) {
    if (step.do === "tick") await on.tick(step.seconds);
    else if (step.do === "read") {
      database.nearest = step.replica;
      await on.read(step.poller);
    } else if (step.do === "replicate") await database.replicate(step.replica, step.commits);
    else if (step.do === "show") {
      await showStoredMessages();
      on.shown?.();
    } else if (step.do === "arrive") {
      await onTheWay.get(step.writer)?.();
      onTheWay.delete(step.writer);
    } else if (!onTheWay.has(step.writer)) {
      const messages = step.lines.map(({ group, age }) => ({
        id: seed.freshId("m"),
        group: String(world.groups[group]),
        sentAt: age === null ? null : on.now() - age,
      }));
      const { arrive } = send(world.writer, messages);
      onTheWay.set(step.writer, async () => {
        await arrive();
        on.stored(messages);
      });
    }
  }
}

/** Shows whatever was stored before this second, everywhere. */
async function showEverywhere() {
  await showStoredMessages();
  for (let index = 0; index < REPLICAS; index += 1) await database.replicate(index, Number.POSITIVE_INFINITY);
}

/** Ends the poll that a poller is in, and polls once more. */
async function readToTheEnd(poller: Poller, read: (poller: Poller) => Promise<void>) {
  while (poller.after !== null) await read(poller);
  do await read(poller);
  while (poller.after !== null);
}

function withoutHistory(steps: readonly Step[]): Step[] {
  const asNews = (lines: { group: number }[]) => lines.map(({ group }) => ({ group, age: null }));
  return steps.map((step) => (step.do === "send" ? { ...step, lines: asNews(step.lines) } : step));
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("polling", () => {
  it("hides no news, answers it as soon as its second is over, and never twice", async ({ expect }) => {
    let now = 0;
    await fc.assert(
      fc.asyncProperty(stepsWith(tickOf(1, 1, 1, 2, HOUR)), async (steps) => {
        const world = await createGroups(GROUPS);
        const messages = new Messages();
        const pollers = [new Poller(), new Poller()] as const;
        const tick = (seconds: number) => {
          now += seconds;
          return stopClocks(now);
        };
        const shownAtPrimary = () => messages.shownAt(database.position());
        const unseenBy = ({ seen }: Poller) => shownAtPrimary().filter(({ id, isNews }) => isNews && !seen.has(id));
        const read = async (poller: Poller) => {
          const { after, checkTime } = poller;
          const isLater = ({ time }: { time: number }) => checkTime === null || time > checkTime;
          if (after === null)
            expect(
              unseenBy(poller).filter((one) => !isLater(one)),
              "lost",
            ).toEqual([]);
          const replica = database.position(database.nearest);
          const copy = after === null || messages.stampAt(replica) > after.upTo ? replica : database.position();
          const news = messages.shownAt(copy).filter(isLater);

          const { page, hasMore } = await readPage(world.reader, poller, PAGE_SIZE);

          expect(
            page.filter(({ id }) => poller.seen.has(id)),
            "answered twice",
          ).toEqual([]);
          const left = news.filter((one) => after === null || byPlace(after, one) < 0);
          expect(page).toEqual(left.slice(0, PAGE_SIZE).map(({ id, group, time }) => ({ id, group, time })));
          expect(hasMore).toBe(left.length > PAGE_SIZE);
          poller.take(page, hasMore);
        };
        await tick(1);

        await run(steps, world, {
          tick,
          stored: (sent) => messages.store(database.position(), now, sent),
          shown: () => messages.show(database.position(), now),
          read: (poller) => read(poller === 0 ? pollers[0] : pollers[1]),
          now: () => now,
        });

        await tick(1);
        await showEverywhere();
        messages.show(database.position(), now);
        for (const poller of pollers) {
          await readToTheEnd(poller, read);
          expect(unseenBy(poller)).toEqual([]);
        }
      }),
      propertyRuns(6),
    );
  });

  it("loses nothing when the clock is set back, and its stamps never run backwards", async ({ expect }) => {
    let now = 0;
    const visited = new Set<number>();
    // A clock that comes back to a second which it has left is beyond detection: nobody can tell that it was away.
    const tick = async (seconds: number) => {
      now += seconds;
      while (visited.has(now)) now += 1;
      visited.add(now);
      await stopClocks(now);
    };
    await fc.assert(
      fc.asyncProperty(stepsWith(tickOf(1, 1, 2, 5, -1, -3, -7, -HOUR)), async (steps) => {
        const world = await createGroups(GROUPS);
        const stored: Sent[] = [];
        const pollers = [new Poller(), new Poller()] as const;
        const read = async (poller: Poller) => {
          const { page, hasMore } = await readPage(world.reader, poller, PAGE_SIZE);
          expect(
            page.filter(({ id }) => poller.seen.has(id)),
            "answered twice",
          ).toEqual([]);
          poller.take(page, hasMore);
        };
        now = Math.max(now, ...visited) + HOUR;
        await tick(1);

        await run(withoutHistory(steps), world, {
          tick,
          stored: (sent) => stored.push(...sent),
          read: (poller) => read(poller === 0 ? pollers[0] : pollers[1]),
          now: () => now,
        });

        now = Math.max(...visited) + steps.length;
        await tick(1);
        await showEverywhere();
        const newest = new Map(stored.map(({ group, id }) => [group, id]));
        for (const poller of pollers) {
          await readToTheEnd(poller, read);
          expect([...newest.values()].filter((id) => !poller.seen.has(id))).toEqual([]);
        }
        const stampOf = new Map(
          (
            await rows(
              "SELECT id, sent_at FROM public_messages WHERE group_id IN (SELECT value FROM json_each(?))",
              JSON.stringify(world.groups),
            )
          ).map(({ id, sent_at }) => [id, sent_at]),
        );
        const stamps = stored.map(({ id }) => stampOf.get(id));
        expect(stamps).toEqual(stamps.toSorted());
      }),
      propertyRuns(6),
    );
  });
});
