import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { CommandError } from "../lib/project.ts";
import { type Finding, finding, type Measurement } from "./measurements.ts";
import type { ProbeClient } from "./probe-client.ts";

interface Version {
  /** The version of the code that the object runs. Null if the object did not answer. */
  value: string | null;
  error: string;
}

/** Times in milliseconds after the deployment. An event that has not happened has no time. */
interface Watch {
  /** When the object first answered with the new code. */
  objectAt?: number;
  closed?: { at: number; code: number };
}

// Short, because each call keeps the object active, so that it runs its old code for as long as Cloudflare allows.
const ASK_AGAIN_MS = 5_000;
const WAIT_MS = 600_000;
// max_delay of code_update_strategy in wrangler.toml, and half a minute until a new version runs everywhere.
const ASSUMED_MS = 300_000 + 30_000;

/** The measurement of a deployment, which `deploy` makes. */
export function deploymentWith(deploy: () => Promise<void>, signal: AbortSignal): Measurement {
  return {
    name: "A deployment, at an open socket's object",
    assumed: "at most 300 s with its former code, which is max_delay in wrangler.toml",
    measure: (client) => measureDeployment(client, deploy, signal),
  };
}

/** Keeps a socket open during a deployment, and watches which version its object runs. */
export async function measureDeployment(
  client: ProbeClient,
  deploy: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<Finding> {
  const watch: Watch = {};
  const socket = client.openSocket();
  let deployedAt = Number.POSITIVE_INFINITY;
  const elapsed = () => Math.max(0, Date.now() - deployedAt);
  socket.addEventListener("close", ({ code }) => {
    watch.closed ??= { at: elapsed(), code };
  });
  try {
    await Promise.race([once(socket, "open", { signal }), once(socket, "close", { signal })]);
    if (watch.closed !== undefined) throw new CommandError("No socket opens at the probe: no deployment was watched.");
    const versionBefore = await client.measure<Version>("version");
    if (versionBefore.value === null)
      throw new CommandError(`The probe's object does not answer: ${versionBefore.error}`);
    await deploy();
    deployedAt = Date.now();
    while (watch.objectAt === undefined && elapsed() < WAIT_MS) {
      await sleep(ASK_AGAIN_MS, null, { signal });
      const { value } = await client.measure<Version>("version");
      if (value !== null && value !== versionBefore.value) watch.objectAt = elapsed();
    }
    return judgeDeployment(watch);
  } finally {
    socket.close();
  }
}

export function judgeDeployment({ objectAt, closed }: Watch): Finding {
  const after = (at: number) => `${Math.round(at / 1_000)} s`;
  const socket =
    closed === undefined ? "the socket stayed open" : `the socket closed with ${closed.code} after ${after(closed.at)}`;
  if (objectAt === undefined)
    return finding(
      `the object still ran its former code after ${after(WAIT_MS)}, ${socket}`,
      "let more time pass between adding a method to an object and calling it (docs/contributing.md)",
    );
  const change = `a method is called ${after(objectAt)} after it was added, at the earliest`;
  return finding(`${after(objectAt)} after the deployment, ${socket}`, objectAt <= ASSUMED_MS ? null : change);
}
