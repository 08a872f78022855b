import { setTimeout as sleep } from "node:timers/promises";
import { KINDS, type Row } from "../../test/model/kinds.ts";
import type { Model } from "../../test/model/model.ts";
import { toTime } from "../../test/model/time.ts";
import type { RandomProgram } from "../../test/programs/random-program.ts";
import { differenceOf, seenAs } from "../../test/support/compare.ts";
import { benchToken, type Runtime } from "../bench/runtime.ts";
import { exportPages } from "../lib/export-client.ts";
import { DERIVED } from "../verify-totals/derived.ts";
import { ALL_KEYS, type Difference, findDifferences, toText } from "../verify-totals/recount.ts";
import { askAs, endpointOf } from "./load.ts";

const CALLS = 200;
const SHOWN_AFTER_MS = 2_000;
const EVENTS = KINDS.filter(({ isEvent }) => isEvent).map(({ record }) => record);

/** A text for each event and answer that differs from the model's, and for derived data that differs from a recount. */
export async function findAllDifferences(
  runtime: Runtime,
  { model, program }: { model: Model; program: RandomProgram },
): Promise<string[]> {
  // The last messages are shown once their second is over, at the latest by the schedule.
  await sleep(SHOWN_AFTER_MS);
  await runtime.runSchedule();
  const events = await exportEvents(runtime);
  // Messages get their times from the database's clock, so the model takes these times from the export.
  const times = new Map(events.map(({ record, id, sent_at }) => [`${record} ${id}`, sent_at]));
  model.state.change(
    "message",
    () => true,
    ({ id, sent_at }) => ({ sent_at: times.get(`message ${id}`) ?? sent_at }),
  );
  const answers: string[] = [];
  for (let count = 0; count < CALLS; count += 1) answers.push(...(await compareAnswer(runtime, model, program)));
  return [...compareEvents(events, model), ...answers, ...(await recount(runtime))];
}

async function exportEvents({ url }: Runtime): Promise<Row[]> {
  const token = await benchToken({ scope: "export", sub: "soak", accounts: "*" });
  const pages: string[] = [];
  const neverStops = new AbortController().signal;
  for await (const { bytes } of exportPages({ url, token, only: EVENTS }, neverStops)) pages.push(bytes.toString());
  const lines = pages.join("").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** A text for each exported event that differs from the model's or that the model lacks, and for each lost event. */
function compareEvents(exported: readonly Row[], model: Model): string[] {
  const lines = model.lines().filter(({ record }) => EVENTS.includes(record));
  const expected = new Map(lines.map((line) => [`${line.record} ${line.id}`, line]));
  const wrong = exported.flatMap((line) => {
    const name = `${line.record} ${line.id}`;
    const difference = differenceOf(line, expected.get(name) ?? null);
    expected.delete(name);
    return difference === null ? [] : [`exported: ${difference}`];
  });
  return [...wrong, ...[...expected.keys()].map((name) => `lost: ${name}`)];
}

/**
 * Asks a random question, but not for a board, which may come from a cache, and not for news: an inbox that missed a
 * notification may answer "nothing new" for an hour.
 */
async function compareAnswer(runtime: Runtime, model: Model, program: RandomProgram): Promise<string[]> {
  const { caller, call: question } = program.call(toTime(Date.now()));
  if (endpointOf(question.path) === "leaderboard" || question.path.includes("check_time")) return [];
  const answer = await askAs(caller, question, runtime);
  const expected = model.ask(caller, question, toTime(Date.now()));
  // The model tries every word that is one typo away, but a search tries only some of many (docs/contract/interface.md, 4.6).
  if (expected.body?.forgiven !== undefined) return [];
  const difference = differenceOf(seenAs(expected, answer), expected);
  return difference === null ? [] : [`${caller} asks ${JSON.stringify(question)}: ${difference.slice(0, 1_000)}`];
}

/** A text for each derived value that differs from a recount. */
async function recount({ database }: Runtime): Promise<string[]> {
  const statements = DERIVED.map((derived) => database.prepare(findDifferences(derived, ALL_KEYS)));
  const results = await database.batch<Difference>(statements);
  return results.flatMap((result, index) =>
    result.results.map((difference) => `${DERIVED[index]?.name}, ${toText(difference)}`),
  );
}
