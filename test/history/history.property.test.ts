import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, describe, it, vi } from "vitest";
import { randomProgram, type Step, type Transfer } from "../feed/restore/random-program.ts";
import { answersOf, Clock, emptyDatabase, feedSteps } from "../feed/restore/transfer.ts";
import { databaseThrough } from "../support/databases.ts";
import { differences } from "../support/differences.ts";
import { exported } from "../support/exporting.ts";
import { propertyRuns } from "../support/property-runs.ts";
import * as seed from "../support/seed.ts";
import { rows, value } from "../support/state.ts";
import { bucketWith, endNight, IS_EVENT, keepMonths, linesOf, objects, sealInPart } from "./support.ts";

const runs = propertyRuns(1);

afterEach(endNight);

/** How a run of the job ends: at this write to R2, or at this batch, before it is sent or after it was committed. */
interface Run {
  fault: "none" | "put" | "before" | "after";
  at: number;
}

const run: fc.Arbitrary<Run> = fc.record({
  fault: fc.constantFrom("none", "put", "before", "after"),
  at: fc.integer({ min: 0, max: 15 }),
});
const nights = fc.array(fc.array(run, { maxLength: 4 }), { minLength: 2, maxLength: 2 });

const EVENTS = ["balance_entry", "token_earning", "play", "message"];
const DAYS = 24 * 3_600;
/** Each night begins with a run whose second object cannot be written, and one that ends between an object and its row. */
const FIRST: readonly Run[] = [
  { fault: "put", at: 1 },
  { fault: "before", at: 2 },
];
const LAST: Run = { fault: "none", at: 0 };

/** Events of after an export get ids of their own and no time: an id counts once within the history that is kept. */
function further(steps: readonly Step[], mark: string): Step[] {
  const renamed = (line: Step["lines"][number]) =>
    EVENTS.includes(line.record)
      ? { ...line, id: `${mark}${line.id}`, created_at: null, earned_at: null, played_at: null, sent_at: null }
      : line;
  return steps.map(({ seconds, lines }) => ({ seconds, lines: lines.map(renamed) }));
}

/** Events of every kind, of each more than a step takes: a random program has few. */
function oldEvents({ stores, customers, campaigns, contests, employees, groups }: Transfer["ids"]): Step {
  const [store, customer, employee, contest, group] = [stores, customers, employees, contests, groups].map(
    ([id]) => id,
  );
  const amounts = ["1", "-20", "300.5", "0", "-5000", "70000.25", "1"];
  return {
    seconds: 1,
    lines: amounts.flatMap((amount, index) => [
      seed.entry(customer, store, amount, { id: `old-b${index}`, campaign_id: campaigns[index % 2] }),
      seed.entry(customers[1], store, amount, { id: `old-c${index}` }),
      { ...seed.earning(store, customers[2], 1 + (index % 5), amount), id: `old-t${index}` },
      seed.play(contest, store, employee, { id: `old-y${index}`, runs: amount, hits: 1 - index }),
      seed.message(group, customer, { id: `old-m${index}`, sent_at: `2026-02-0${1 + index} 00:00:00` }),
    ]),
  };
}

/** Feeds a program over months; `night` is what happens each time when some have passed. */
async function live(
  { ids, first: [beginning, ...first], further: later }: Transfer,
  night: (index: number) => Promise<void>,
) {
  await emptyDatabase("2026-06-01 12:00:00");
  vi.useFakeTimers({ toFake: ["Date"] });
  const clock = new Clock();
  const seen: unknown[] = [];
  const half = Math.floor(first.length / 2);
  const phases = [
    [[...(beginning ? [beginning] : []), oldEvents(ids), ...first.slice(0, half)], 40],
    [first.slice(half), 30],
    [further(later.slice(0, 1), "f"), 60],
    [further(later.slice(1), "g"), 1],
  ] as const;
  for (const [index, [steps, days]] of phases.entries()) {
    const answers = await feedSteps(steps, clock);
    vi.setSystemTime(`${(await clock.move(days * DAYS)).replace(" ", "T")}Z`);
    if (index > 0 && index < 3) await night(index - 1);
    if (index > 0) seen.push({ answers, totals: await totals(), events: await events(), asked: await answersOf(ids) });
  }
  return seen;
}

/** All that events add to. */
const totals = async () => [
  await rows("SELECT key, balance, stores_count FROM customers"),
  await rows("SELECT customer_key, store_key, balance FROM store_balances"),
  await rows("SELECT store_key, campaign_key, listed, earned FROM campaign_stores"),
  await rows("SELECT store_key, customer_key, tokens_1, tokens_2, tokens_3, tokens_4, tokens_5 FROM memberships"),
  await rows("SELECT location_key, eip_campaign_key, employee_key, runs, hits, doubles, triples FROM play_totals"),
  await rows("SELECT * FROM message_groups"),
  await rows("SELECT * FROM message_group_news"),
  await differences(),
];

/** Every event, wherever it is: the stored ones as an export gives them, the others as segments have them. */
async function events(): Promise<string[]> {
  const segments = await rows("SELECT name, lines FROM history_segments");
  const sealed = await Promise.all(segments.map(({ name }) => linesOf(name)));
  if (segments.some(({ lines }, index) => sealed[index]?.length !== lines)) throw new Error("A segment lacks lines.");
  const hidden = await rows(
    `SELECT 'message' AS record, messages.id, NULL AS group_id, customers.id AS customer_id, body, sent_at FROM messages
     JOIN message_groups ON message_groups.key = group_key JOIN customers ON customers.key = customer_key
     WHERE message_groups.id IS NULL`,
  );
  // A group may be removed after its message has left.
  const isGone = new Set((await rows("SELECT id FROM message_groups WHERE id IS NOT NULL")).map(({ id }) => id));
  const toText = (line: Record<string, unknown>) =>
    JSON.stringify("group_id" in line && !isGone.has(line.group_id) ? { ...line, group_id: null } : line);
  const stored = (await exported(...EVENTS)).filter(({ sealed }) => sealed === undefined);
  return [...sealed.flat(), ...hidden, ...stored].map(toText).sort();
}

/** What summaries add up to, and what segments say that they do. */
async function sums() {
  const isSummary = `NOT (${IS_EVENT})`;
  const [summaries = {}] = await rows(`
    SELECT
      (SELECT coalesce(sum(amount), 0) FROM balance_entries WHERE ${isSummary} AND campaign_key IS NULL) AS balance,
      (SELECT coalesce(sum(amount), 0) FROM balance_entries WHERE ${isSummary} AND customer_key IS NULL) AS earned,
      (SELECT coalesce(sum(tokens), 0) FROM token_earnings WHERE ${isSummary}) AS tokens,
      (SELECT coalesce(sum(runs), 0) FROM plays WHERE ${isSummary}) AS runs,
      (SELECT coalesce(sum(hits), 0) FROM plays WHERE ${isSummary}) AS hits`);
  const ofSegments = Object.keys(summaries).map(async (name) => [
    name,
    await value(`SELECT coalesce(sum(sums ->> '$.${name}'), 0) FROM history_segments`),
  ]);
  return { summaries, ofSegments: Object.fromEntries(await Promise.all(ofSegments)) };
}

/** A run of the job in steps of three events, which ends as it says. */
async function sealOnce({ fault, at }: Run): Promise<boolean> {
  let left = at;
  const isDue = (one: Run["fault"]) => fault === one && left-- === 0;
  const put = async (...given: Parameters<R2Bucket["put"]>) => {
    if (isDue("put")) throw new Error("put: Unspecified error (0)");
    return env.TEST_HISTORY.put(...given);
  };
  const bucket = bucketWith({ put }) as R2Bucket;
  const database = databaseThrough(async ({ send }) => {
    if (isDue("before")) throw new Error("D1_ERROR: it was cut off");
    const results = await send();
    if (isDue("after")) throw new Error("D1_ERROR: it was cut off");
    return results;
  });
  try {
    const { failures } = await sealInPart(1_000, 3, { bucket, database });
    return failures.length === 0;
  } catch {
    // As the schedule does: the next run goes on.
    return false;
  }
}

describe("a program with history", () => {
  it("answers and counts as without it, and has every event in one place, wherever a run ends", async ({ expect }) => {
    const reached = { segments: 0, cutOff: 0, orphans: 0 };
    await fc.assert(
      fc.asyncProperty(randomProgram, nights, async (program, ofNights) => {
        keepMonths(undefined);
        const without = await live(program, async () => {});
        const withHistory = await live(program, async (night) => {
          const before = await events();
          for (const one of [...FIRST, ...(ofNights[night] ?? []), LAST]) {
            if (!(await sealOnce(one))) reached.cutOff += 1;

            expect(await events()).toEqual(before);
            const { summaries, ofSegments } = await sums();
            expect(ofSegments).toEqual(summaries);
          }
          keepMonths(1);
        });

        expect(withHistory).toEqual(without);
        const named = await rows("SELECT name FROM history_segments");
        reached.segments += named.length;
        reached.orphans += (await objects()).length - named.length;
        expect(
          await value(`SELECT count(*) FROM balance_entries WHERE created_at < '2026-09-01' AND ${IS_EVENT}`),
        ).toBe(0);
      }),
      runs,
    );

    expect(reached.segments).toBeGreaterThan(4 * runs.numRuns);
    expect(reached.cutOff).toBeGreaterThan(runs.numRuns);
    // A step that was cut off is repeated with the same object.
    expect(reached.orphans).toBe(0);
    console.info(`${runs.numRuns} programs, seed ${runs.seed}: ${JSON.stringify(reached)}`);
  });
});
