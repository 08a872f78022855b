import { env } from "cloudflare:workers";
import { afterEach, vi } from "vitest";
import { background } from "../src/app-env.ts";
import { stopClock } from "./support/clock.ts";
import { emptyDatabase } from "./support/fresh-database.ts";

logWithoutAnswer();
// All files of a worker share its clock, its globals, its objects and its bindings, so each test leaves them unchanged.
const bindings = { ...env };
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  restoreBindings();
});
// The messages of the file before are shown now, for which its background work waits.
await inTime("Moving the clock on", stopClock("9999-12-31 23:59:59"));
await inTime("Waiting for background work", backgroundWorkHasEnded());
await inTime("Emptying the database", emptyDatabase());

function restoreBindings(): void {
  for (const name of Object.keys(env)) if (!(name in bindings)) Reflect.deleteProperty(env, name);
  Object.assign(env, bindings);
}

/**
 * Waits for background work, such as showing messages a second after they were fed. In the next test file its clock
 * would be stopped. Gives up after six seconds: showing messages takes at most five.
 */
async function backgroundWorkHasEnded(): Promise<void> {
  const running = runningInBackground();
  for (let attempts = 0; running.size > 0 && attempts < 300; attempts += 1)
    await new Promise((resolve) => setTimeout(resolve, 20));
  running.clear();
}

/** All test files share one set, because `background` is loaded once, whereas this file runs before each test file. */
function runningInBackground(): Set<Promise<unknown>> {
  const watched: typeof background & { running?: Set<Promise<unknown>> } = background;
  if (watched.running !== undefined) return watched.running;
  const running = new Set<Promise<unknown>>();
  const { run } = watched;
  watched.running = running;
  watched.run = (c, work) => {
    running.add(work);
    const ended = () => running.delete(work);
    work.then(ended, ended);
    run(c, work);
  };
  return running;
}

/** Fails after two minutes, because Vitest has timeouts for tests and hooks, but not for this file. */
function inTime<Value>(what: string, work: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what} took more than two minutes.`)), 120_000);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

/**
 * Sends log lines to Vitest without asking for an answer. Otherwise a test file may never end: Vitest waits for the
 * answer to the last line, but the plugin holds that line until Vitest sends another message.
 * https://github.com/cloudflare/workers-sdk/issues/15719
 */
function logWithoutAnswer(): void {
  const worker = (globalThis as unknown as { __vitest_worker__: { rpc: Rpc } }).__vitest_worker__;
  worker.rpc = new Proxy(worker.rpc, {
    get: (rpc, name) =>
      name === "onUserConsoleLog" ? (line: unknown) => rpc.$callEvent(name, line) : Reflect.get(rpc, name),
  });
}

interface Rpc {
  $callEvent: (name: string, ...args: unknown[]) => Promise<void>;
}
