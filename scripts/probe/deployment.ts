import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { CommandError } from "../lib/project.ts";
import { type Finding, finding, type Measurement } from "./measurements.ts";
import type { ProbeClient } from "./probe-client.ts";

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
    measure: async (client) => judgeDeployment(await timeDeployment(client, deploy, signal)),
  };
}

/** How long the object of an open socket goes on with its former code, in milliseconds; null: longer than ten minutes. */
async function timeDeployment(
  client: ProbeClient,
  deploy: () => Promise<void>,
  signal: AbortSignal,
): Promise<number | null> {
  // The version is null while the object gets its new code.
  const readVersion = async () => (await client.measure<{ value: string | null }>("version")).value;
  const socket = client.openSocket();
  try {
    await Promise.race([once(socket, "open", { signal }), once(socket, "close", { signal })]);
    const former = await readVersion();
    if (socket.readyState !== WebSocket.OPEN || former === null)
      throw new CommandError("No socket opens at the probe's object: no deployment was watched.");
    await deploy();
    const deployedAt = Date.now();
    while (Date.now() - deployedAt < WAIT_MS) {
      await sleep(ASK_AGAIN_MS, null, { signal });
      if (![former, null].includes(await readVersion())) return Date.now() - deployedAt;
    }
    return null;
  } finally {
    socket.close();
  }
}

export function judgeDeployment(milliseconds: number | null): Finding {
  if (milliseconds === null)
    return finding(
      `the object still ran its former code after ${WAIT_MS / 1_000} s`,
      "let more time pass between adding a method to an object and calling it (docs/CONTRIBUTING.md)",
    );
  const seconds = `${Math.round(milliseconds / 1_000)} s after the deployment`;
  return finding(
    seconds,
    milliseconds <= ASSUMED_MS ? null : `a method is called ${seconds} that adds it, at the earliest`,
  );
}
