import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { InvalidArgumentError } from "commander";
import { DERIVED } from "../src/db/derived/index.ts";
import { ALL_KEYS, type Difference, findDifferences, toText as toDifferenceText } from "../src/db/derived/recount.ts";
import { askDatabase } from "./lib/database.ts";
import { PRODUCTION } from "./lib/environments.ts";
import { formatCount } from "./lib/format.ts";
import { countingNumber, newCommand, outputFile, portNumber } from "./lib/options.ts";
import { CommandError, main } from "./lib/project.ts";
import { loadDemo, prepare, type Service, serve } from "./lib/service.ts";
import { devToken } from "./lib/tokens.ts";
import { Random } from "./program/random.ts";
import { type FeedReport, feedOn } from "./soak/feeding.ts";
import { Judge } from "./soak/judge.ts";
import { type MemorySample, reportMemory, runtimeMemory } from "./soak/memory.ts";
import { type SoakReport, toText, verdict } from "./soak/report.ts";
import { AFTER_STALL_MS, type OnError, Stalls } from "./soak/stalls.ts";
import { browse, type Traffic } from "./soak/traffic.ts";

interface Options {
  minutes: number;
  connections: number;
  seed: number;
  stall: number;
  port: number;
  json?: string;
}

// An isolate gets 128 MB, as in production, because otherwise garbage grows to gigabytes. Wrangler traces no requests,
// because the traces would take memory too.
const VARIABLES = { MINIFLARE_WORKERD_V8_FLAGS: "--max-heap-size=128", X_LOCAL_OBSERVABILITY: "false" };
const MEMORY_FOLDER = "/dev/shm";
const ROOM_BYTES = 2 * 1024 ** 3;
const SAMPLE_MS = 1_000;
const PROGRESS_MS = 5_000;
const SCHEDULE_MS = 60_000;
const STOP_WITHIN_MS = 10_000;
// After 40 seconds the service answers a feed request with an error, but may still commit it. The soak would take that for
// a fault.
const MOST_STALL_SECONDS = 30;

export const program = newCommand("npm run soak")
  .description(
    "Load a service of its own with apps and a feed at the same time, then check its memory, answers and totals.",
  )
  .option("--minutes <n>", "for how long", minutes, 5)
  .option("--connections <n>", "how many apps ask at the same time", countingNumber, 64)
  .option("--seed <n>", "the seed of all randomness: the same seed sends the same requests", countingNumber, 1)
  .option(
    "--stall <seconds>",
    `for how many seconds the primary does not answer, once a minute: up to ${MOST_STALL_SECONDS}`,
    stallSeconds,
    0,
  )
  .option("--port <n>", "the port to listen on", portNumber, 8788)
  .option("--json <file>", "also write the report to a file", outputFile)
  .action(soak);

if (import.meta.main) await main(() => program.parseAsync());

async function soak(options: Options): Promise<void> {
  const persistTo = mkdtempSync(path.join(folderOfDatabase(), `loyalty-edge-soak-${options.port}-`));
  const stop = new AbortController();
  let service: Service | undefined;
  // The first Ctrl-C ends the load, and the report follows. The second kills the service, which may hang.
  const onInterrupt = () => {
    if (!stop.signal.aborted) return stop.abort();
    if (service !== undefined) signalGroup(service, "SIGKILL");
    rmSync(persistTo, { recursive: true, force: true });
    process.exit(130);
  };
  process.on("SIGINT", onInterrupt).on("SIGTERM", onInterrupt);
  try {
    const serviceOptions = { port: options.port, persistTo };
    await prepare(serviceOptions);
    const entry = options.stall === 0 ? {} : { entry: "scripts/soak/worker.ts" };
    service = serve({ ...serviceOptions, ...entry }, { detached: true, variables: VARIABLES });
    if (!(await service.ready)) throw new CommandError("The server did not start; see wrangler's output above.");
    await loadDemo(service.url);
    const { connections, seed } = options;
    const { judge, ...load } = await loadService(service, options, stop);
    console.error("Comparing the answers with the model …");
    await sleep(AFTER_STALL_MS);
    const modelDifferences = await judge
      .differences(service.url, seed)
      .catch((error: unknown) => [`The service cannot be compared: ${error}`]);
    await end(service);
    console.error("Comparing the derived data with the records …");
    const differences = [...modelDifferences, ...(await wrongTotals(persistTo))];
    const report: SoakReport = { ...load, connections, seed, differences };
    console.log(toText(report));
    if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
    const fault = verdict(report);
    if (fault !== null) throw new CommandError(`${fault} Again: npm run soak -- --seed ${seed}`);
    if (stop.signal.aborted) process.exitCode = 130;
  } finally {
    process.off("SIGINT", onInterrupt).off("SIGTERM", onInterrupt);
    if (service !== undefined) await end(service);
    rmSync(persistTo, { recursive: true, force: true });
  }
}

/** Derived data that differs from a recount, a line each. */
async function wrongTotals(persistTo: string): Promise<string[]> {
  const queries = DERIVED.map((derived) => findDifferences(derived, ALL_KEYS));
  const recounts = await askDatabase<Difference>(queries, { persistTo, env: PRODUCTION });
  return recounts.flatMap((differences, index) =>
    differences.map((difference) => `${DERIVED[index]?.name}, ${toDifferenceText(difference)}`),
  );
}

/** A folder in memory, if there is room: many inboxes write at once, and would wait for the disk. */
function folderOfDatabase(): string {
  if (!existsSync(MEMORY_FOLDER)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  return bavail * bsize >= ROOM_BYTES ? MEMORY_FOLDER : tmpdir();
}

/** Sends requests and feeds, until the time is over, somebody presses Ctrl-C or the service ends. */
async function loadService({ url, pid, ended }: Service, options: Options, stop: AbortController) {
  const traffic: Traffic = new Map();
  const errors: Record<string, number> = {};
  const excusedErrors: Record<string, number> = {};
  const stalls = new Stalls(url, options.stall * 1_000);
  const onError: OnError = (text, startedAt) => {
    const counts = startedAt !== undefined && stalls.excuses(startedAt) ? excusedErrors : errors;
    counts[text] = (counts[text] ?? 0) + 1;
  };
  await stalls.cacheBoards();
  const judge = new Judge();
  const token = await devToken({ scope: "feed", accounts: "*" });
  const feed: FeedReport = { lines: 0, requests: 0 };
  const samples: MemorySample[] = [];
  const loadEnd = new AbortController();
  const signal = AbortSignal.any([loadEnd.signal, stop.signal, AbortSignal.timeout(options.minutes * 60_000)]);
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1_000;
  const requestCount = () => [...traffic.values()].reduce((sum, count) => sum + count, 0);
  const sample = async () => {
    samples.push({ at: elapsed(), requests: requestCount(), mebibytes: await runtimeMemory(pid) });
  };
  const progress = async () => {
    const faults = Object.values(errors).reduce((sum, times) => sum + times, 0);
    const secondsLeft = Math.max(0, Math.round(options.minutes * 60 - elapsed()));
    const counts = `${formatCount(requestCount(), "request")} | ${formatCount(feed.lines, "line")} fed | ${formatCount(faults, "error")}`;
    console.error(`${counts} | ${Math.round(samples.at(-1)?.mebibytes ?? 0)} MiB | ${secondsLeft} s left`);
  };
  void ended.then(() => {
    if (!loadEnd.signal.aborted) onError("the service ended by itself");
    loadEnd.abort();
  });

  try {
    await Promise.all([
      every(SAMPLE_MS, signal, sample),
      every(PROGRESS_MS, signal, progress),
      every(SCHEDULE_MS, signal, () => runSchedule(url, onError)),
      stalls.run(signal),
      feedOn({ url, token, judge, random: new Random(`feed ${options.seed}`), signal, report: feed, onError }),
      ...Array.from({ length: options.connections }, (_, index) =>
        browse(`${options.seed} ${index}`, { url, traffic, onError, signal }),
      ),
    ]);
    const seconds = elapsed();
    await sample();
    const endpoints = Object.fromEntries([...traffic].sort());
    const memory = reportMemory(samples);
    return { seconds, endpoints, feed, memory, errors, judge, excused: excusedErrors, stalls: stalls.report() };
  } finally {
    // If a part of the load fails, the other parts end too.
    loadEnd.abort();
  }
}

/** Runs the schedule once, because `wrangler dev` never does. */
async function runSchedule(url: string, onError: OnError): Promise<void> {
  const startedAt = Date.now();
  const answer = fetch(`${url}/__scheduled`, { signal: AbortSignal.timeout(SCHEDULE_MS) });
  const fault = await answer.then(
    ({ ok, status }) => (ok ? null : String(status)),
    (error: unknown) => String(error),
  );
  if (fault !== null) onError(`schedule: ${fault}`, startedAt);
}

async function every(milliseconds: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work();
    await sleep(milliseconds, null, { signal }).catch(() => {});
  }
}

/** Ends the service together with the processes that it has started, as Ctrl-C in a terminal does. */
async function end(service: Service): Promise<void> {
  signalGroup(service, "SIGINT");
  await Promise.race([service.ended, sleep(STOP_WITHIN_MS, null, { ref: false })]);
  signalGroup(service, "SIGKILL");
}

function signalGroup({ pid }: Service, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // No process of the group is left.
  }
}

function minutes(text: string): number {
  if (!/^\d{1,4}(\.\d{1,3})?$/.test(text) || Number(text) === 0)
    throw new InvalidArgumentError("It must be a number of minutes, such as 5 or 0.5.");
  return Number(text);
}

function stallSeconds(text: string): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) > MOST_STALL_SECONDS)
    throw new InvalidArgumentError(`It must be a whole number, 0 to ${MOST_STALL_SECONDS}.`);
  return Number(text);
}
