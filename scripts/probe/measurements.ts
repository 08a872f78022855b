import { setTimeout as sleep } from "node:timers/promises";
import { BOOKMARK_LIMIT_MS } from "../../src/db/database.ts";
import { CommandError } from "../lib/project.ts";
import { quantile } from "../lib/quantile.ts";
import type { ProbeClient } from "./probe-client.ts";

export interface Finding {
  measured: string;
  /** Whether the assumption holds, and what to change if it does not. */
  verdict: "holds" | "not measured" | `wrong: ${string}`;
}

export interface Measurement {
  name: string;
  assumed: string;
  measure: (client: ProbeClient, signal: AbortSignal) => Promise<Finding>;
}

const LAG_SAMPLES = 5;

const ms = (milliseconds: number) => `${Math.round(milliseconds).toLocaleString("en")} ms`;

export const MEASUREMENTS: readonly Measurement[] = [
  {
    name: "Size of a batch at D1",
    assumed: "D1 takes 8 MiB: 2 MiB of lines are up to four times as long on their way there",
    async measure(client) {
      const batches: Batch[] = [];
      for (let mebibytes = 1; mebibytes <= 8 && !batches.some(({ error }) => error !== ""); mebibytes *= 2)
        batches.push({ mebibytes, ...(await client.measure<Omit<Batch, "mebibytes">>("batch", { mebibytes })) });
      return judgeBatches(batches);
    },
  },
  {
    name: "Lag of a replica",
    assumed: `a replica has a write within ${ms(BOOKMARK_LIMIT_MS)}: a request with a bookmark waits no longer for it`,
    async measure(client) {
      const lags: Lag[] = [];
      while (lags.length < LAG_SAMPLES) lags.push(await client.measure<Lag>("lag"));
      return judgeLags(lags);
    },
  },
];

/** A figure, and what to change if the assumption is wrong. */
export function finding(measured: string, change: string | null): Finding {
  return { measured, verdict: change === null ? "holds" : `wrong: ${change}` };
}

export interface Batch {
  mebibytes: number;
  milliseconds: number;
  /** Empty if D1 accepted the batch. */
  error: string;
}

export function judgeBatches(batches: readonly Batch[]): Finding {
  const measured = batches
    .map(({ mebibytes, milliseconds, error }) => `${mebibytes} MiB ${error === "" ? ms(milliseconds) : `"${error}"`}`)
    .join(", ");
  const refusedBatch = batches.find(({ error }) => error !== "");
  if (refusedBatch === undefined) return finding(measured, null);
  const lines = `${(refusedBatch.mebibytes / 4).toLocaleString("en")} MiB of lines`;
  return finding(measured, `feeds of ${lines} get 413; set BODY_LIMIT in src/http/limits.ts below it`);
}

export interface Lag {
  milliseconds: number;
  isPrimary: boolean | null;
}

export function judgeLags(lags: readonly Lag[]): Finding {
  const times = lags.map(({ milliseconds }) => milliseconds);
  const longest = Math.max(...times);
  // The primary answers a request whose bookmark no replica reaches in time.
  if (longest <= BOOKMARK_LIMIT_MS && lags.every(({ isPrimary }) => isPrimary !== false))
    return { measured: "no replica answered", verdict: "not measured" };
  const measured = `p50 ${ms(quantile(times, 0.5))}, longest ${ms(longest)}, of ${lags.length} writes`;
  const change = "raise BOOKMARK_LIMIT_MS in src/db/database.ts, or the primary answers";
  return finding(measured, longest <= BOOKMARK_LIMIT_MS ? null : change);
}

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
