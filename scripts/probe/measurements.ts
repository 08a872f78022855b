import { BOOKMARK_LIMIT_MS } from "../../src/db/database.ts";
import { CALLS_AT_ONCE } from "../../src/inbox/notify.ts";
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
  measure: (client: ProbeClient) => Promise<Finding>;
}

const CALL_MS = 1_000;
const LAG_SAMPLES = 5;

const ms = (milliseconds: number) => `${Math.round(milliseconds).toLocaleString("en")} ms`;
const median = (milliseconds: readonly number[]) => quantile(milliseconds, 0.5);

export const MEASUREMENTS: readonly Measurement[] = [
  {
    name: "Calls to objects at once",
    assumed: `they count among the six connections of an invocation, so the service makes ${CALLS_AT_ONCE}`,
    async measure(client) {
      // The first call only creates the objects.
      await client.measure("calls");
      return judgeCalls((await client.measure<{ calls: (number | string)[] }>("calls")).calls);
    },
  },
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
    name: "Round trips to D1",
    assumed: "the nearest replica answers sooner than the primary",
    async measure(client) {
      const primary = await client.measure<Reads>("reads", { at: "first-primary" });
      return judgeReads(primary, await client.measure<Reads>("reads", { at: "first-unconstrained" }));
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
  {
    name: "Order of bookmarks",
    assumed: "bookmarks of one database are ordered as texts, so the greater one has both",
    async measure(client) {
      return judgeBookmarks((await client.measure<{ bookmarks: string[] }>("bookmarks")).bookmarks);
    },
  },
  {
    name: "From a notification to a fresh read",
    assumed: "a read at the bookmark of a frame shows what the frame announces",
    async measure(client) {
      return judgeFresh((await client.measure<{ frames: Fresh[] }>("frames")).frames);
    },
  },
];

/** A figure, and what to change if the assumption is wrong. */
export function finding(measured: string, change: string | null): Finding {
  return { measured, verdict: change === null ? "holds" : `wrong: ${change}` };
}

export function judgeCalls(calls: readonly (number | string)[]): Finding {
  const endedCalls = calls.filter((call) => typeof call === "number");
  const [failure] = calls.filter((call) => typeof call === "string");
  // A call that waits for a connection takes twice as long.
  const atOnce = endedCalls.filter((milliseconds) => milliseconds < CALL_MS * 1.7).length;
  const failedText = failure === undefined ? "" : `, ${calls.length - endedCalls.length} failed ("${failure}")`;
  const measured = `of ${calls.length} that take a second, ${atOnce} ended within 1.7 seconds, the last after ${ms(Math.max(0, ...endedCalls))}${failedText}`;
  const change = "change CALLS_AT_ONCE in src/inbox/notify.ts";
  if (atOnce < CALLS_AT_ONCE) return finding(measured, `${change} to ${Math.max(1, atOnce - 1)}`);
  return finding(measured, atOnce > 6 ? `${change} to as many as ${atOnce - 1}, and measure again` : null);
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

export interface Reads {
  milliseconds: number[];
  isPrimary: boolean | null;
  region: string | null;
}

export function judgeReads(primary: Reads, nearest: Reads): Finding {
  const at = ({ milliseconds, region }: Reads) => `${ms(median(milliseconds))} (${region ?? "no region"})`;
  const measured = `p50 of ${primary.milliseconds.length}: primary ${at(primary)}, nearest ${at(nearest)}`;
  if (nearest.isPrimary !== false)
    return finding(measured, "no replica answered; switch read replication on (docs/deploying.md)");
  const isSooner = median(nearest.milliseconds) < median(primary.milliseconds);
  return finding(
    measured,
    isSooner ? null : "here the primary is nearer; probe from where customers are before you decide",
  );
}

export interface Lag {
  milliseconds: number;
  isPrimary: boolean | null;
}

export function judgeBookmarks(bookmarks: readonly string[]): Finding {
  const isOrdered = bookmarks.every((bookmark, index) => index === 0 || bookmark > String(bookmarks[index - 1]));
  const measured = `of ${bookmarks.length} writes one after the other, from ${bookmarks[0]} to ${bookmarks.at(-1)}`;
  return finding(measured, isOrdered ? null : "inboxes and clients must not compare bookmarks");
}

export interface Fresh {
  milliseconds: number;
  isFresh: boolean;
}

export function judgeFresh(samples: readonly Fresh[]): Finding {
  const times = samples.map(({ milliseconds }) => milliseconds);
  const fresh = samples.filter(({ isFresh }) => isFresh).length;
  const measured = `${fresh} of ${samples.length} reads fresh, p50 ${ms(median(times))}, longest ${ms(Math.max(...times))}`;
  return finding(measured, fresh === samples.length ? null : "an app must ask again after a frame");
}

export function judgeLags(lags: readonly Lag[]): Finding {
  const longest = Math.max(...lags.map(({ milliseconds }) => milliseconds));
  // The primary answers a request whose bookmark no replica reaches in time.
  if (longest <= BOOKMARK_LIMIT_MS && lags.every(({ isPrimary }) => isPrimary !== false))
    return { measured: "no replica answered", verdict: "not measured" };
  const measured = `p50 ${ms(median(lags.map(({ milliseconds }) => milliseconds)))}, longest ${ms(longest)}, of ${lags.length} writes`;
  const change = "raise BOOKMARK_LIMIT_MS in src/db/database.ts, or the primary answers";
  return finding(measured, longest <= BOOKMARK_LIMIT_MS ? null : change);
}
