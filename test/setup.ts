import { env } from "cloudflare:workers";
import { afterEach, vi } from "vitest";
import { backgroundWorkHasEnded } from "./support/background.ts";
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
// The messages of the file before are shown now, for which its background work waits. In this file its clock would be stopped.
await inTime("Moving the clock on", stopClock("9999-12-31 23:59:59"));
await inTime("Waiting for background work", backgroundWorkHasEnded());
await inTime("Emptying the database", emptyDatabase());

function restoreBindings(): void {
  for (const name of Object.keys(env)) if (!(name in bindings)) Reflect.deleteProperty(env, name);
  Object.assign(env, bindings);
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
