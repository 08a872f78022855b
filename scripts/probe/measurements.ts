import { BOOKMARK_LIMIT_MS } from "../../src/db/database.ts";
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
