import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SingleBar } from "cli-progress";
import { Command } from "commander";
import { Heap } from "./bench/heap.ts";
import { groundwork, type Largest, largestExports, largestRequests } from "./bench/largest.ts";
import { buildWorker, customerToken, exportToken, feedToken, openSmallHeap } from "./bench/runtime.ts";
import { FOLDER } from "./bench/scales.ts";
import { stopAtSignal } from "./bench/stop.ts";
import { exportPages } from "./lib/export-client.ts";
import { countingNumber } from "./lib/options.ts";
import { CommandError, main } from "./lib/project.ts";
import { quantile } from "./lib/quantile.ts";
import { table } from "./lib/table.ts";

interface Options {
  heap: number;
  only?: string;
  atOnce: number;
  json?: string;
}

/** What became of a request, or of an export: status 0 where the connection was lost. */
interface Sent {
  status: number;
  text: string;
  seconds: number;
  /** Of the body, or of the largest page. */
  bytes: number;
}

/** Of the isolate's heap above idle: of three tries the one in the middle, and the most. */
interface Live {
  liveMegabytes: number;
  mostMegabytes: number;
}

/** What a request took: when its records were new, when they were there already, and of the isolate's heap. */
interface Measured extends Live {
  name: string;
  megabytes: number;
  answer: number;
  expected: number;
  newSeconds: number;
  againSeconds: number;
}

/** What became of requests that came at once, and of others' meanwhile. */
interface AtOnce {
  requests: number;
  wrong: string[];
  seconds: number;
  others: number;
  othersFailed: number;
  othersSlowestSeconds: number;
  /** Of the isolate's heap above idle, while three of the largest feed and two of the largest export were under way. */
  exportMegabytes: number;
}

const LIVE_LIMIT_MEGABYTES = 48;
// One of the largest that is worked on, and the body of the next.
const TOGETHER_LIMIT_MEGABYTES = 64;
const OTHERS_EVERY_MS = 25;
const BAR = { format: "{what} {bar} {value}/{total}", barsize: 30, noTTYOutput: true, notTTYSchedule: 10_000 };

const program = new Command("npm run bench:feed --")
  .description(
    `Send the largest requests that the feed takes, and the largest exports, each alone and then the largest at once, to a Worker whose heap is that of production, and its database in another runtime.\nFails where one takes more than ${LIVE_LIMIT_MEGABYTES} MB above idle, or is not answered as it must be. About four minutes.`,
  )
  .option("--heap <megabytes>", "the heap of the Worker", countingNumber, 128)
  .option("--at-once <n>", "how many come at once", countingNumber, 8)
  .option("--only <text>", "only the requests whose name holds this")
  .option("--json <file>", "write everything that was measured")
  .showHelpAfterError("Try: npm run bench:feed -- --help")
  .action(bench);

await main(() => program.parseAsync());

async function bench({ heap: heapMegabytes, only = "", atOnce, json }: Options): Promise<void> {
  const all = [...largestRequests(), ...largestExports()].filter(({ name }) => name.includes(only));
  if (all.length === 0) throw new CommandError(`No request's name holds ${JSON.stringify(only)}.`);
  const bar = new SingleBar(BAR);
  let close = async (): Promise<unknown> => undefined;
  // Before the runtimes are started, which end the process on a signal too, but without a word.
  stopAtSignal(bar, () => close());
  const runtime = await openSmallHeap(await buildWorker(), path.join(FOLDER, "feed"), heapMegabytes);
  close = runtime.close;
  const { url } = runtime;
  let heap: Heap | undefined;
  try {
    for (const body of groundwork()) await mustTake(url, body);
    heap = await Heap.open(runtime.inspector, () => poke(url));
    const measured: Measured[] = [];
    bar.start(all.length, 0, { what: "One by one" });
    for (const one of all) {
      if (one.exported !== undefined) for (const body of one.bodies) await mustTake(url, body);
      measured.push(await measure(heap, one, () => send(url, one)));
      bar.increment();
    }
    bar.stop();
    console.log(`\n${toTable(measured)}`);
    const memoryOf = ({ name }: Largest) => measured.find((one) => one.name === name)?.liveMegabytes ?? 0;
    const largestFirst = all.toSorted((one, other) => memoryOf(other) - memoryOf(one));
    const feeds = largestFirst.filter(({ exported }) => exported === undefined);
    const exported = largestFirst.find(({ exported }) => exported !== undefined);
    const exportMegabytes = await withExport(url, heap, feeds[0], exported);
    const together = Array.from({ length: atOnce }, (_, index) => feeds[index % feeds.length]).flatMap(
      (one) => one ?? [],
    );
    const result: AtOnce = { ...(await allAtOnce(url, together)), exportMegabytes };
    console.log(`\n${describe(result, heapMegabytes)}`);
    if (json !== undefined) writeFileSync(json, `${JSON.stringify({ measured, atOnce: result }, null, 2)}\n`);
    const faults = faultsOf(measured, result);
    if (faults.length > 0) throw new CommandError(faults.join("\n"));
  } finally {
    bar.stop();
    heap?.close();
    await close();
  }
}

async function measure(heap: Heap, { name, status, exported }: Largest, work: () => Promise<Sent>): Promise<Measured> {
  const idle = await heap.megabytes();
  const first = await work();
  const again = await work();
  // A page is made and sent in one turn.
  const live = await liveDuring(heap, work, { idle, turn: exported !== undefined });
  return {
    ...{ name, megabytes: first.bytes / 1_000_000, answer: first.status, expected: status },
    ...{ newSeconds: first.seconds, againSeconds: again.seconds, ...live },
  };
}

/**
 * What is live while work is under way, in MB above idle: of three tries the one in the middle, and the most. Now and
 * then garbage counts too: what was allocated in the moment between the collection and the reading.
 */
async function liveDuring(
  heap: Heap,
  work: () => Promise<unknown>,
  { idle, turn = false }: { idle: number; turn?: boolean },
): Promise<Live> {
  const tries: number[] = [];
  for (let one = 0; one < 3; one += 1) tries.push((await heap.mostDuring(work(), { turn })) - idle);
  return { liveMegabytes: quantile(tries, 0.5), mostMegabytes: Math.max(...tries) };
}

/** What the largest feed and the largest export take together. */
async function withExport(url: string, heap: Heap, feed?: Largest, exported?: Largest): Promise<number> {
  if (feed === undefined || exported === undefined) return 0;
  const idle = await heap.megabytes();
  const all = [feed, feed, feed, exported, exported];
  const sendAll = async () => {
    const sent = await Promise.all(all.map((one) => send(url, one)));
    const wrong = sent.find(({ status }, index) => status !== all[index]?.status);
    if (wrong !== undefined)
      throw new CommandError(`Feeds and exports at once: ${wrong.status} ${wrong.text.slice(0, 300)}`);
  };
  return (await liveDuring(heap, sendAll, { idle })).liveMegabytes;
}

async function allAtOnce(url: string, requests: readonly Largest[]): Promise<Omit<AtOnce, "exportMegabytes">> {
  let isDone = false;
  const others: { seconds: number; ok: boolean }[] = [];
  const askOn = async () => {
    const headers = { Authorization: `Bearer ${await customerToken("customer-10000")}` };
    while (!isDone) {
      const { status, seconds } = await timed(new URL("/api/v1/customer/coupons", url), { headers });
      others.push({ ok: status === 200, seconds });
      await sleep(OTHERS_EVERY_MS);
    }
  };
  const asking = askOn();
  const startedAt = performance.now();
  const answers = await Promise.all(requests.map((request) => send(url, request)));
  const seconds = secondsSince(startedAt);
  isDone = true;
  await asking;
  const wrong = requests.map(({ name, status }, index) => ({ name, status, answer: answers[index]?.status }));
  return {
    requests: requests.length,
    wrong: wrong.filter(({ status, answer }) => answer !== status).map(({ name, answer }) => `${name}: ${answer}`),
    seconds,
    others: others.length,
    othersFailed: others.filter(({ ok }) => !ok).length,
    othersSlowestSeconds: Math.max(0, ...others.map((one) => one.seconds)),
  };
}

/** Sends a request of the feed, or reads all pages of an export. */
async function send(url: string, { bodies: [body = ""], accounts, exported }: Largest): Promise<Sent> {
  if (exported === undefined) {
    const headers = {
      Authorization: `Bearer ${await feedToken(accounts)}`,
      "Content-Type": "application/x-ndjson",
    };
    const sent = await timed(new URL("/api/v1/feed", url), { method: "POST", headers, body });
    return { ...sent, bytes: Buffer.byteLength(body) };
  }
  const startedAt = performance.now();
  let bytes = 0;
  const source = { url, token: await exportToken(), only: [exported] };
  for await (const page of exportPages(source, new AbortController().signal))
    bytes = Math.max(bytes, page.bytes.byteLength);
  return { status: 200, text: "", seconds: secondsSince(startedAt), bytes };
}

async function timed(url: URL, request: RequestInit): Promise<Omit<Sent, "bytes">> {
  const startedAt = performance.now();
  const answer = await fetch(url, request)
    .then(async (response) => ({ status: response.status, text: await response.text() }))
    .catch((error: Error) => ({ status: 0, text: String(error.cause ?? error) }));
  return { ...answer, seconds: secondsSince(startedAt) };
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1_000;
}

async function mustTake(url: string, body: string): Promise<void> {
  const { status, text } = await send(url, { name: "", bodies: [body], accounts: "*", status: 200 });
  if (status !== 200) throw new CommandError(`The feed answered ${status}: ${text.slice(0, 500)}`);
}

/** Asks for something, whatever becomes of it. */
async function poke(url: string): Promise<void> {
  await timed(new URL("/nothing", url), { signal: AbortSignal.timeout(1_000) });
}

function toTable(measured: readonly Measured[]): string {
  const rows = measured.map(({ name, megabytes, answer, newSeconds, againSeconds, liveMegabytes, mostMegabytes }) => [
    ...[name, megabytes.toFixed(1), answer],
    ...[newSeconds.toFixed(2), againSeconds.toFixed(2), liveMegabytes.toFixed(1), mostMegabytes.toFixed(1)],
  ]);
  return table(["request", "MB", "answer", "s, new", "s, again", "MB above idle", "at most"], rows);
}

function describe(result: AtOnce, heapMegabytes: number): string {
  const { requests, wrong, seconds, others, othersFailed, othersSlowestSeconds, exportMegabytes } = result;
  return (
    `The ${requests} largest at once, in a heap of ${heapMegabytes} MB: ${requests - wrong.length} answered as they must be, ` +
    `in ${seconds.toFixed(1)} s. Meanwhile ${others} requests of a customer, ${othersFailed} failed, the slowest took ${othersSlowestSeconds.toFixed(2)} s.\n` +
    `Three of the largest and two of the largest exports at once: ${exportMegabytes.toFixed(1)} MB above idle.`
  );
}

function faultsOf(measured: readonly Measured[], { wrong, othersFailed, exportMegabytes }: AtOnce): string[] {
  const tooMuch = (name: string, megabytes: number, limit: number) =>
    megabytes > limit ? [`${name}: ${megabytes.toFixed(1)} MB above idle, more than ${limit}.`] : [];
  return [
    ...measured.flatMap(({ name, answer, expected, liveMegabytes }) => [
      ...(answer === expected ? [] : [`${name}: answered ${answer} instead of ${expected}.`]),
      ...tooMuch(name, liveMegabytes, LIVE_LIMIT_MEGABYTES),
    ]),
    ...tooMuch("Feeds and exports at once", exportMegabytes, TOGETHER_LIMIT_MEGABYTES),
    ...wrong.map((one) => `At once, ${one}.`),
    ...(othersFailed > 0 ? [`Of the requests of a customer ${othersFailed} failed meanwhile.`] : []),
  ];
}
