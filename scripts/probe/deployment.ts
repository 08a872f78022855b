import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { formatDuration } from "../lib/format.ts";
import { CommandError, ROOT } from "../lib/project.ts";
import type { Finding } from "./measurements.ts";
import type { ProbeClient } from "./probe-client.ts";

interface Versions {
  worker: string;
  /** Null if the object did not answer. */
  object: string | null;
  error: string;
}

/** When things happened, in milliseconds after the socket was opened. An event that has not happened has no time. */
interface Watch {
  /** When the new Worker first answered, and when the object first answered with the new code. */
  workerAt?: number;
  objectAt?: number;
  closed?: { at: number; code: number };
}

// Short, because each call keeps the object active, so that it runs its old code for as long as Cloudflare allows.
const ASK_AGAIN_MS = 5_000;
const WAIT_MS = 600_000;
// max_delay of code_update_strategy in wrangler.toml, and half a minute until a new version runs everywhere.
const ASSUMED_MS = 300_000 + 30_000;

/** Keeps a socket open during a deployment, and watches which version its object runs. */
export async function measureDeployment(
  client: ProbeClient,
  { deploys, env, say }: { deploys: boolean; env: string; say: (text: string) => void },
  signal: AbortSignal,
): Promise<Finding> {
  const watch: Watch = {};
  const socket = client.openSocket();
  const startedAt = Date.now();
  const elapsed = () => Date.now() - startedAt;
  socket.addEventListener("close", ({ code }) => {
    watch.closed ??= { at: elapsed(), code };
  });
  try {
    await Promise.race([once(socket, "open", { signal }), once(socket, "close", { signal })]);
    if (watch.closed !== undefined) throw new CommandError("No socket opens at the probe: no deployment was watched.");
    const versionsBefore = await client.measure<Versions>("versions");
    if (versionsBefore.object === null)
      throw new CommandError(`The probe's object does not answer: ${versionsBefore.error}`);
    const failure = deploys ? failureOf(deploy(env, signal)) : {};
    if (!deploys) say(`Deploy now, in another terminal: npm run deploy -- --env ${env}`);
    for (let endsAt = elapsed() + WAIT_MS; elapsed() < endsAt; await sleep(ASK_AGAIN_MS, null, { signal })) {
      if (failure.error !== undefined) throw failure.error;
      const { worker, object } = await client.measure<Versions>("versions");
      if (worker !== versionsBefore.worker && watch.workerAt === undefined) {
        watch.workerAt = elapsed();
        endsAt = watch.workerAt + WAIT_MS;
        say("The new Worker answers. Waiting for the object …");
      }
      if (object !== null && object !== versionsBefore.object) watch.objectAt ??= elapsed();
      say(`… ${formatDuration(elapsed() / 1_000)}`);
      if (watch.workerAt !== undefined && watch.objectAt !== undefined) break;
    }
    return judgeDeployment(watch);
  } finally {
    socket.close();
  }
}

/** An object whose `error` is set once the deployment, which runs in the background, has failed. */
function failureOf(deployed: Promise<void>): { error?: unknown } {
  const failure: { error?: unknown } = {};
  void deployed.catch((error: unknown) => {
    failure.error = error;
  });
  return failure;
}

async function deploy(env: string, signal: AbortSignal): Promise<void> {
  const args = [path.join(ROOT, "scripts", "lib", "main.ts"), "deploy", "--env", env];
  const [status] = await once(spawn(process.execPath, args, { stdio: ["ignore", 2, 2], signal }), "close");
  if (status !== 0) throw new CommandError("The deployment failed, so how long it takes was not measured.");
}

export function judgeDeployment({ workerAt, objectAt, closed }: Watch): Finding {
  if (workerAt === undefined) return { measured: "no deployment happened", verdict: "not measured" };
  const after = (at: number) => `${Math.round(Math.max(0, at - workerAt) / 1_000)} s`;
  const socket =
    closed === undefined ? "the socket stayed open" : `the socket closed with ${closed.code} after ${after(closed.at)}`;
  if (objectAt === undefined)
    return {
      measured: `the object still ran its former code after ${WAIT_MS / 1_000} s, ${socket}`,
      verdict: "wrong: let more time pass between adding a method to an object and calling it (docs/contributing.md)",
    };
  const measured = `${after(objectAt)} after the new Worker answered, ${socket}`;
  if (objectAt - workerAt <= ASSUMED_MS) return { measured, verdict: "holds" };
  return { measured, verdict: `wrong: a method is called ${after(objectAt)} after it was added, at the earliest` };
}
