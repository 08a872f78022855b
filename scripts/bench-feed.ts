import { writeFileSync } from "node:fs";
import path from "node:path";
import { SingleBar } from "cli-progress";
import { Command } from "commander";
import { type Apart, openApart } from "./bench/apart.ts";
import { Heap } from "./bench/heap.ts";
import { groundwork, type Largest, largestRequests } from "./bench/largest.ts";
import { type LargestExport, largestExports } from "./bench/largest-exports.ts";
import { buildWorker } from "./bench/stand.ts";
import { countingNumber } from "./lib/options.ts";
import { CommandError, main, ROOT } from "./lib/project.ts";
import { table } from "./lib/table.ts";

interface Options {
  heap: number;
  only?: string;
  atOnce: number;
  json?: string;
}

/**
 * What a request took: when its records were new, when they were there already, and of the isolate's heap. An export is
 * all its pages.
 */
interface Measured {
  name: string;
  megabytes: number;
  answer: number;
  expected: number;
  newSeconds: number;
  againSeconds: number;
  liveMegabytes: number;
}

/** What became of requests that came at once, and of others' meanwhile. */
interface AtOnce {
  requests: number;
  /** Of the isolate's heap above idle, while three of the largest feed and two of the largest export were under way. */
  exportMegabytes: number;
  wrong: string[];
  seconds: number;
  others: number;
  othersFailed: number;
  othersSlowestSeconds: number;
}

const FOLDER = path.join(ROOT, ".wrangler", "bench", "feed");
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

await main(async () => {
  await program.parseAsync();
});

async function bench({ heap: heapMegabytes, only, atOnce, json }: Options): Promise<void> {
  const requests = largestRequests().filter(({ name }) => only === undefined || name.includes(only));
  const exports = largestExports().filter(({ name }) => only === undefined || name.includes(only));
  if (requests.length + exports.length === 0)
    throw new CommandError(`No request's name holds ${JSON.stringify(only)}.`);
  const bar = new SingleBar(BAR);
  let close = async (): Promise<unknown> => undefined;
  // Before the runtimes are started, which end the process on a signal too, but without a word.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      bar.stop();
      console.error("Stopped. Nothing was written.");
      void close().finally(() => process.exit(130));
    });
  }
  const apart = await openApart(await buildWorker(), FOLDER, heapMegabytes);
  close = apart.close;
  let heap: Heap | undefined;
  try {
    for (const body of groundwork()) await mustTake(apart, body);
    heap = await Heap.open(apart.inspector, () => health(apart));
    const measured: Measured[] = [];
    bar.start(requests.length + exports.length, 0, { what: "One by one" });
    for (const request of requests) {
      measured.push(await measure(heap, request, () => send(apart, request)));
      bar.increment();
    }
    for (const one of exports) {
      for (const body of one.bodies) await mustTake(apart, body);
      measured.push(await measure(heap, { name: one.name, status: 200 }, () => exportAll(apart, one)));
      bar.increment();
    }
    bar.stop();
    console.log(`\n${toTable(measured)}`);
    const byMemory = measured.toSorted((one, other) => other.liveMegabytes - one.liveMegabytes).map(({ name }) => name);
    const largest = byMemory.flatMap((name) => requests.filter((request) => request.name === name));
    const together = Array.from({ length: atOnce }, (_, index) => largest[index % largest.length]).flatMap(
      (one) => one ?? [],
    );
    const page = byMemory.flatMap((name) => exports.filter((one) => one.name === name))[0];
    const exportMegabytes = await withExport(apart, heap, together[0], page);
    const result = { ...(await allAtOnce(apart, together)), exportMegabytes };
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

async function measure(
  heap: Heap,
  { name, status }: Pick<Largest, "name" | "status">,
  work: () => Promise<Sent>,
): Promise<Measured> {
  const idle = await heap.megabytes();
  const first = await work();
  const again = await work();
  const live = await heap.mostDuring(work());
  return {
    name,
    megabytes: first.bytes / 1_000_000,
    answer: first.status,
    expected: status,
    newSeconds: first.seconds,
    againSeconds: again.seconds,
    liveMegabytes: live - idle,
  };
}

/** What the largest feed and the largest export take together. */
async function withExport(apart: Apart, heap: Heap, request?: Largest, page?: LargestExport): Promise<number> {
  if (request === undefined || page === undefined) return 0;
  const idle = await heap.megabytes();
  const feeds = [request, request, request].map((one) => send(apart, one));
  const all = Promise.all([...feeds, exportAll(apart, page), exportAll(apart, page)]);
  const most = await heap.mostDuring(all);
  const wrong = (await all).find(({ status }, index) => status !== (index < feeds.length ? request.status : 200));
  if (wrong !== undefined)
    throw new CommandError(`Feeds and exports at once: ${wrong.status} ${wrong.text.slice(0, 300)}`);
  return most - idle;
}

async function allAtOnce(apart: Apart, requests: readonly Largest[]): Promise<Omit<AtOnce, "exportMegabytes">> {
  let isDone = false;
  const others: { seconds: number; ok: boolean }[] = [];
  const askOn = async () => {
    const token = await apart.customerToken("customer-10000");
    while (!isDone) {
      const startedAt = performance.now();
      const ok = await ask(apart, "/api/v1/customer/coupons", token).catch(() => false);
      others.push({ ok, seconds: (performance.now() - startedAt) / 1_000 });
      await new Promise((resolve) => setTimeout(resolve, OTHERS_EVERY_MS));
    }
  };
  const asking = askOn();
  const startedAt = performance.now();
  const answers = await Promise.all(requests.map((request) => send(apart, request)));
  const seconds = (performance.now() - startedAt) / 1_000;
  isDone = true;
  await asking;
  return {
    requests: requests.length,
    wrong: answers.flatMap(({ status }, index) =>
      status === requests[index]?.status ? [] : [`${requests[index]?.name}: ${status}`],
    ),
    seconds,
    others: others.length,
    othersFailed: others.filter(({ ok }) => !ok).length,
    othersSlowestSeconds: Math.max(0, ...others.map((one) => one.seconds)),
  };
}

/** What became of a request, or of an export: status 0 where the connection was lost. */
interface Sent {
  status: number;
  text: string;
  seconds: number;
  /** Of the body, or of the largest page. */
  bytes: number;
}

async function send(apart: Apart, { body, accounts }: Pick<Largest, "body" | "accounts">): Promise<Sent> {
  const headers = {
    Authorization: `Bearer ${await apart.feedToken(accounts)}`,
    "Content-Type": "application/x-ndjson",
  };
  const startedAt = performance.now();
  const { status, text } = await fetch(new URL("/api/v1/feed", apart.url), { method: "POST", headers, body })
    .then(async (response) => ({ status: response.status, text: await response.text() }))
    .catch((error: Error) => ({ status: 0, text: String(error.cause ?? error) }));
  return { status, text, seconds: (performance.now() - startedAt) / 1_000, bytes: Buffer.byteLength(body) };
}

/** Reads all pages of an export. */
async function exportAll(apart: Apart, { record }: Pick<LargestExport, "record">): Promise<Sent> {
  const headers = { Authorization: `Bearer ${await apart.exportToken()}` };
  const startedAt = performance.now();
  let bytes = 0;
  let next: string | undefined = `/api/v1/feed?record=${record}`;
  while (next !== undefined) {
    const response: Response | Error = await fetch(new URL(next, apart.url), { headers }).catch(
      (error: Error) => error,
    );
    if (response instanceof Error || response.status !== 200) {
      const text = response instanceof Error ? String(response.cause ?? response) : await response.text();
      return { status: response instanceof Error ? 0 : response.status, text, seconds: 0, bytes };
    }
    bytes = Math.max(bytes, (await response.arrayBuffer()).byteLength);
    next = /<([^>]*)>; rel="next"/.exec(response.headers.get("Link") ?? "")?.[1];
  }
  return { status: 200, text: "", seconds: (performance.now() - startedAt) / 1_000, bytes };
}

async function mustTake(apart: Apart, body: string): Promise<void> {
  const { status, text } = await send(apart, { body, accounts: "*" });
  if (status !== 200) throw new CommandError(`The feed answered ${status}: ${text.slice(0, 500)}`);
}

async function ask(apart: Apart, where: string, token: string): Promise<boolean> {
  const response = await fetch(new URL(where, apart.url), { headers: { Authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return response.status === 200;
}

async function health(apart: Apart): Promise<void> {
  await fetch(new URL("/nothing", apart.url), { signal: AbortSignal.timeout(1_000) })
    .then((response) => response.arrayBuffer())
    .catch(() => {});
}

function toTable(measured: readonly Measured[]): string {
  return table(
    ["request", "MB", "answer", "s, new", "s, again", "MB above idle"],
    measured.map((one) => [
      one.name,
      one.megabytes.toFixed(1),
      one.answer,
      one.newSeconds.toFixed(2),
      one.againSeconds.toFixed(2),
      one.liveMegabytes.toFixed(1),
    ]),
  );
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
  return [
    ...measured
      .filter(({ answer, expected }) => answer !== expected)
      .map(({ name, answer, expected }) => `${name}: answered ${answer} instead of ${expected}.`),
    ...measured
      .filter(({ liveMegabytes }) => liveMegabytes > LIVE_LIMIT_MEGABYTES)
      .map(
        ({ name, liveMegabytes }) =>
          `${name}: ${liveMegabytes.toFixed(1)} MB above idle, more than ${LIVE_LIMIT_MEGABYTES}.`,
      ),
    ...(exportMegabytes > TOGETHER_LIMIT_MEGABYTES
      ? [
          `Feeds and exports at once: ${exportMegabytes.toFixed(1)} MB above idle, more than ${TOGETHER_LIMIT_MEGABYTES}.`,
        ]
      : []),
    ...wrong.map((one) => `At once, ${one}.`),
    ...(othersFailed > 0 ? [`Of the requests of a customer ${othersFailed} failed meanwhile.`] : []),
  ];
}
