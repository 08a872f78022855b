import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { BOOKMARK_LIMIT_MS } from "../../src/db/database.ts";
import { CALLS_AT_ONCE } from "../../src/inbox/notify.ts";
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
  measure: (client: ProbeClient) => Promise<Finding>;
}

const CALL_MS = 1_000;
const LAG_SAMPLES = 5;
// Short, because each call keeps the object active, so that it runs its old code for as long as Cloudflare allows.
const ASK_AGAIN_MS = 5_000;
const WAIT_MS = 600_000;
// max_delay of code_update_strategy in wrangler.toml, and half a minute until a new version runs everywhere.
const ASSUMED_MS = 300_000 + 30_000;

const ms = (milliseconds: number) => `${Math.round(milliseconds).toLocaleString("en")} ms`;
const median = (milliseconds: readonly number[]) => quantile(milliseconds, 0.5);

/** A figure, and what to change if the assumption is wrong. */
function finding(measured: string, change: string | null): Finding {
  return { measured, verdict: change === null ? "holds" : `wrong: ${change}` };
}

interface Reads {
  milliseconds: number[];
  isPrimary: boolean | null;
  region: string | null;
}

interface Read {
  milliseconds: number;
  isPrimary: boolean | null;
  isFresh: boolean;
}

export const MEASUREMENTS = {
  calls: {
    name: "Calls to objects at once",
    assumed: `they count among the six connections of an invocation, so the service makes ${CALLS_AT_ONCE}`,
    async measure(client) {
      // The first call only creates the objects.
      await client.measure("calls");
      const { calls } = await client.measure<{ calls: (number | string)[] }>("calls");
      const endedCalls = calls.filter((call) => typeof call === "number");
      const [failure] = calls.filter((call) => typeof call === "string");
      // A call that waits for a connection takes twice as long.
      const atOnce = endedCalls.filter((milliseconds) => milliseconds < CALL_MS * 1.7).length;
      const failedText = failure === undefined ? "" : `, ${calls.length - endedCalls.length} failed ("${failure}")`;
      const measured = `of ${calls.length} that take a second, ${atOnce} ended within 1.7 seconds, the last after ${ms(Math.max(0, ...endedCalls))}${failedText}`;
      const change = "change CALLS_AT_ONCE in src/inbox/notify.ts";
      if (atOnce < CALLS_AT_ONCE) return finding(measured, `${change} to ${Math.max(1, atOnce - 1)}`);
      return finding(measured, atOnce > 6 ? `${change} to as many as ${atOnce - 1}, and measure again` : null);
    },
  },
  batch: {
    name: "Size of a batch at D1",
    assumed: "D1 takes 8 MiB: 2 MiB of lines are up to four times as long on their way there",
    async measure(client) {
      const texts: string[] = [];
      for (let mebibytes = 1; mebibytes <= 8; mebibytes *= 2) {
        type Batch = { milliseconds: number; error: string };
        const { milliseconds, error } = await client.measure<Batch>("batch", { mebibytes });
        texts.push(`${mebibytes} MiB ${error === "" ? ms(milliseconds) : `"${error}"`}`);
        if (error === "") continue;
        const lines = `${(mebibytes / 4).toLocaleString("en")} MiB of lines`;
        return finding(texts.join(", "), `feeds of ${lines} get 413; set BODY_LIMIT in src/http/limits.ts below it`);
      }
      return finding(texts.join(", "), null);
    },
  },
  reads: {
    name: "Round trips to D1",
    assumed: "the nearest replica answers sooner than the primary",
    async measure(client) {
      const primary = await client.measure<Reads>("reads", { at: "first-primary" });
      const nearest = await client.measure<Reads>("reads", { at: "first-unconstrained" });
      const at = ({ milliseconds, region }: Reads) => `${ms(median(milliseconds))} (${region ?? "no region"})`;
      const measured = `p50 of ${primary.milliseconds.length}: primary ${at(primary)}, nearest ${at(nearest)}`;
      if (nearest.isPrimary !== false)
        return finding(measured, "no replica answered; switch read replication on (docs/deploying.md)");
      const isSooner = median(nearest.milliseconds) < median(primary.milliseconds);
      const change = "here the primary is nearer; probe from where customers are before you decide";
      return finding(measured, isSooner ? null : change);
    },
  },
  lag: {
    name: "Lag of a replica",
    assumed: `a replica has a write within ${ms(BOOKMARK_LIMIT_MS)}: a request with a bookmark waits no longer for it`,
    async measure(client) {
      const lags: Read[] = [];
      while (lags.length < LAG_SAMPLES) lags.push(await client.measure<Read>("lag"));
      const times = lags.map(({ milliseconds }) => milliseconds);
      const longest = Math.max(...times);
      // The primary answers a request whose bookmark no replica reaches in time.
      if (longest <= BOOKMARK_LIMIT_MS && lags.every(({ isPrimary }) => isPrimary !== false))
        return { measured: "no replica answered", verdict: "not measured" };
      const measured = `p50 ${ms(median(times))}, longest ${ms(longest)}, of ${lags.length} writes`;
      const change = "raise BOOKMARK_LIMIT_MS in src/db/database.ts, or the primary answers";
      return finding(measured, longest <= BOOKMARK_LIMIT_MS ? null : change);
    },
  },
  bookmarks: {
    name: "Order of bookmarks",
    assumed: "bookmarks of one database are ordered as texts, so the greater one has both",
    async measure(client) {
      const { bookmarks } = await client.measure<{ bookmarks: string[] }>("bookmarks");
      const isOrdered = bookmarks.every((bookmark, index) => index === 0 || bookmark > String(bookmarks[index - 1]));
      const measured = `of ${bookmarks.length} writes one after the other, from ${bookmarks[0]} to ${bookmarks.at(-1)}`;
      return finding(measured, isOrdered ? null : "inboxes and clients must not compare bookmarks");
    },
  },
  frames: {
    name: "From a notification to a fresh read",
    assumed: "a read at the bookmark of a frame shows what the frame announces",
    async measure(client) {
      const { frames } = await client.measure<{ frames: Omit<Read, "isPrimary">[] }>("frames");
      const times = frames.map(({ milliseconds }) => milliseconds);
      const fresh = frames.filter(({ isFresh }) => isFresh).length;
      const measured = `${fresh} of ${frames.length} reads fresh, p50 ${ms(median(times))}, longest ${ms(Math.max(...times))}`;
      return finding(measured, fresh === frames.length ? null : "an app must ask again after a frame");
    },
  },
} satisfies Record<string, Measurement>;

/** How long the object of an open socket goes on with its former code after a deployment, which `deploy` makes. */
export function deploymentWith(deploy: () => Promise<void>, signal: AbortSignal): Measurement {
  return {
    name: "A deployment, at an open socket's object",
    assumed: "at most 300 s with its former code, which is max_delay in wrangler.toml",
    async measure(client) {
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
          if (![former, null].includes(await readVersion())) return judgeDeployment(Date.now() - deployedAt);
        }
        return judgeDeployment(null);
      } finally {
        socket.close();
      }
    },
  };
}

/** @param milliseconds how long it went on; null: longer than ten minutes. */
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
