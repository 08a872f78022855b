import { setTimeout as sleep } from "node:timers/promises";
import { CommandError } from "../lib/project.ts";
import { type Finding, finding } from "./measurements.ts";
import type { ProbeClient } from "./probe-client.ts";

interface Version {
  /** The version of the code that the object runs. Null if the object did not answer. */
  value: string | null;
  error: string;
}

// Short, because each call keeps the object active, so that it runs its old code for as long as Cloudflare allows.
const ASK_AGAIN_MS = 5_000;
const WAIT_MS = 600_000;
// max_delay of code_update_strategy in wrangler.toml, and half a minute until a new version runs everywhere.
const ASSUMED_MS = 300_000 + 30_000;

/** Deploys, and watches which version an active object runs. */
export async function measureDeployment(
  client: ProbeClient,
  deploy: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<Finding> {
  const versionBefore = await client.measure<Version>("version");
  if (versionBefore.value === null)
    throw new CommandError(`The probe's object does not answer: ${versionBefore.error}`);
  await deploy();
  const deployedAt = Date.now();
  while (Date.now() - deployedAt < WAIT_MS) {
    await sleep(ASK_AGAIN_MS, null, { signal });
    const { value } = await client.measure<Version>("version");
    if (value !== null && value !== versionBefore.value) return judgeDeployment(Date.now() - deployedAt);
  }
  return judgeDeployment(null);
}

/** Judges how long the object ran its former code; null: for as long as the probe waits. */
export function judgeDeployment(milliseconds: number | null): Finding {
  const seconds = `${Math.round((milliseconds ?? WAIT_MS) / 1_000)} s`;
  if (milliseconds === null)
    return finding(
      `the object still ran its former code after ${seconds}`,
      "let more time pass between adding a method to an object and calling it (docs/contributing.md)",
    );
  const change = `a method is called ${seconds} after it was added, at the earliest`;
  return finding(`${seconds} after the deployment`, milliseconds <= ASSUMED_MS ? null : change);
}
