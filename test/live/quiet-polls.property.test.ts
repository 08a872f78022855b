import { createExecutionContext, createScheduledController, evictAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, it, vi } from "vitest";
import worker from "../../src/index.ts";
import { HOUR } from "../customer/messages/model.ts";
import { stopClocks, toText } from "../customer/messages/simulation.ts";
import { PATH } from "../customer/messages/support.ts";
import { as, feed, trips } from "../support/api.ts";
import { showStoredMessages } from "../support/clock.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { REPLICAS, type ReplicatedDatabase, replicateDatabase } from "../support/replicas.ts";
import {
  askD1,
  type Change,
  createWorld,
  findMissedChanges,
  linesOf,
  Network,
  WAYS,
} from "./quiet-polls.simulation.ts";

// Whatever feeds, polls, lost calls and evictions come one after the other, and however replicas lag, a poll must answer
// what its replica alone would, or what the primary would, as soon as the inbox has been notified of all that the primary
// knows; before that it may be late for half an hour and what the replica lagged by.

let database: ReplicatedDatabase;
let end = () => {};

beforeAll(async () => {
  ({ database, end } = await replicateDatabase());
});
afterAll(() => end());

const READERS = 2;
const GROUPS = 2;
const TRUSTED_SECONDS = 1_800;
const LONGEST_LAG_SECONDS = 1_500;

const reader = fc.nat(READERS - 1);
const group = fc.nat(GROUPS - 1);
const readers = fc.uniqueArray(reader);
const groups = fc.uniqueArray(group, { minLength: 1 });
const rarely = fc.nat(5).map((chance) => chance === 0);

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant("messages" as const), groups, isHistory: rarely }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("members" as const), group, readers }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("removed group" as const), group }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("erased reader" as const), reader }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("reader who is back" as const), reader }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("stranger" as const) }) },
);

const event = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("feed" as const), change, delivery: fc.constantFrom(...WAYS) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("schedule" as const), delivery: fc.constantFrom(...WAYS) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("late reports" as const), comeAgain: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("evict" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("show" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("clean up" as const) }) },
);

const polls = fc.array(
  fc.record({
    reader,
    since: fc.constantFrom("seen" as const, "seen" as const, "seen" as const, "always" as const, "now" as const),
    isReportLate: rarely,
    replica: fc.nat(REPLICAS - 1),
    // How many commits it comes further before.
    commits: fc.constantFrom(0, 0, 1, 3, Number.POSITIVE_INFINITY),
  }),
  { maxLength: 3 },
);

// Time passes, something happens, its second is over or not, and readers poll.
const round = fc.record({
  seconds: fc.constantFrom(0, 0, 1, 1, 6, 61, 1_795, HOUR, 13 * HOUR, 25 * HOUR),
  event,
  secondsLater: fc.constantFrom(0, 2, 2),
  polls,
});

const runSchedule = (cron: string) =>
  worker.scheduled(createScheduledController({ cron }), env, createExecutionContext());

beforeEach(() => {
  // Timers stand still: an inbox is waited for however long it takes, and nothing happens in the background.
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const runs = propertyRuns(3);

describe("polls of customers with inboxes", () => {
  it("answer what D1 alone does, without it where nothing is new", async ({ expect }) => {
    let now = 0;
    const count = { polls: 0, quiet: 0, late: 0 };
    const tick = async (seconds: number) => {
      now += seconds;
      await stopClocks(now);
      await database.replicateUpTo(Date.now() - LONGEST_LAG_SECONDS * 1_000);
    };

    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 10, maxLength: 20 }), async (rounds) => {
        const network = new Network(database);
        const seen = new Map<string, string>();
        const shown = async (work: () => Promise<unknown>) => {
          network.showsMessages = true;
          await work();
          network.showsMessages = false;
        };
        await tick(HOUR);
        const world = await createWorld(READERS, GROUPS);

        const poll = async (customerId: string, checkTime: string | undefined) => {
          const query = checkTime === undefined ? "" : `?check_time=${encodeURIComponent(checkTime)}`;
          const answer = await as(customerId).get(PATH + query);
          await network.settle();
          const items: { last_message_time: string }[] = answer.body.items ?? [];
          const isQuiet = trips(answer) === 0;
          const expected = await askD1(isQuiet ? "first-primary" : "first-unconstrained", customerId, checkTime);
          const isLate = isQuiet && expected.length > 0;
          count.polls += 1;
          count.quiet += isQuiet ? 1 : 0;
          count.late += isLate ? 1 : 0;
          if (isLate) {
            const missed = await findMissedChanges(customerId, network.notifiedVersions.get(customerId) ?? 0);
            const latest = now - TRUSTED_SECONDS - LONGEST_LAG_SECONDS;
            expect(Math.max(...missed), "notified, or too long ago").toBeGreaterThanOrEqual(latest);
          } else {
            expect(items).toEqual(expected);
          }
          const times = items.map(({ last_message_time: time }) => time);
          seen.set(customerId, [seen.get(customerId) ?? "", ...times].sort().at(-1) ?? "");
          return isQuiet;
        };

        for (const { seconds, event, secondsLater, polls } of rounds) {
          if (seconds > 0) await tick(seconds);
          if ("delivery" in event) network.notifications = event.delivery;
          if (event.do === "feed") {
            // Lines that name an erased customer are refused, and change nothing.
            expect([200, 422]).toContain((await feed(linesOf(event.change, world, now))).status);
          } else if (event.do === "schedule") await shown(async () => runSchedule("* * * * *"));
          else if (event.do === "show") await shown(showStoredMessages);
          else if (event.do === "clean up") await runSchedule("30 5 * * *");
          else if (event.do === "evict") await evictAllDurableObjects();
          else for (const arrive of event.comeAgain ? network.late : network.late.splice(0)) await arrive();
          if (secondsLater > 0) await tick(secondsLater);
          for (const { reader, since, isReportLate, replica, commits } of polls) {
            database.nearest = replica;
            await database.replicate(replica, commits);
            const customerId = String(world.readers[reader]);
            network.holdsReports = isReportLate;
            const times = { always: undefined, seen: seen.get(customerId) || undefined, now: toText(now) };
            await poll(customerId, times[since]);
          }
        }

        // Once the inbox was notified of everything, and all replicas have it and the listener's row, one poll that D1 answers
        // is enough for the next to be quiet.
        await tick(6);
        network.notifications = "arrives";
        network.holdsReports = false;
        await shown(async () => runSchedule("* * * * *"));
        for (const customerId of world.readers) {
          expect(await findMissedChanges(customerId, 0)).toEqual([]);
          await poll(customerId, undefined);
          await database.replicateUpTo(Number.POSITIVE_INFINITY);
          await poll(customerId, undefined);
          await evictAllDurableObjects();
          expect(await poll(customerId, toText(now))).toBe(true);
        }
      }),
      runs,
    );

    expect(count.quiet).toBeGreaterThan(count.polls / 4);
    // Lost notifications are rarer than a few runs.
    if (runs.numRuns >= 12) expect(count.late).toBeGreaterThan(3);
  });
});
