import { quantile } from "../lib/quantile.ts";
import type { Case, Cases } from "./cases.ts";
import { Connections, type Reply } from "./http.ts";

/** A case at one scale, or the baseline, which has no aim and no fixed number of round trips. */
export interface Lane extends Pick<Case, "endpoint" | "name" | "call">, Partial<Pick<Case, "roundTrips" | "aim">> {
  scale: string;
  url: string;
}

export interface Measured {
  scale: string;
  endpoint: string;
  name: string;
  aim?: number;
  samples: number;
  p50: number;
  /** The p50 divided by the p50 of the baseline at the same scale. */
  ratio: number;
  /** The median. */
  roundTrips: number;
  /** SQLite's own time: the mean of the answers without the slowest twentieth. */
  sqlMilliseconds: number;
  rowsRead: number;
  bytes: number;
}

export const BASELINE = "baseline";
const WARM_UP_ROUNDS = 10;
// The slowest answers depend on the machine more than on the service.
const SLOWEST_SHARE = 0.05;

export function lanesOf(scale: string, url: string, { cases, baseline }: Cases): Lane[] {
  const first = { endpoint: BASELINE, name: "SELECT 1", call: () => baseline };
  return [first, ...cases].map((lane) => ({ ...lane, scale, url }));
}

/**
 * Sends the request of every lane once a round, in a random order and one at a time, so that the state of the machine
 * affects all lanes alike.
 */
export async function measure(lanes: readonly Lane[], rounds: number, onRound: () => void): Promise<Measured[]> {
  const connections = new Map(lanes.map(({ url }) => [url, new Connections(url, 1)]));
  const replies = new Map<Lane, Reply[]>(lanes.map((lane) => [lane, []]));
  try {
    for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
      for (const lane of shuffled(lanes)) {
        const reply = await connections.get(lane.url)?.send(lane.call(round + WARM_UP_ROUNDS));
        if (reply === undefined || round < 0) continue;
        if ((lane.roundTrips ?? reply.roundTrips) === reply.roundTrips) replies.get(lane)?.push(reply);
      }
      if (round >= 0) onRound();
    }
  } finally {
    for (const one of connections.values()) one.close();
  }
  const p50Of = (lane: Lane) => median(replies.get(lane), "milliseconds");
  const baselines = lanes.filter(({ endpoint }) => endpoint === BASELINE);
  return [...replies].map(([lane, own]): Measured => {
    const { scale, endpoint, name, aim } = lane;
    const baseline = baselines.find((one) => one.scale === scale) ?? lane;
    return {
      ...{ scale, endpoint, name, ...(aim !== undefined && { aim }) },
      samples: own.length,
      p50: p50Of(lane),
      ratio: p50Of(lane) / p50Of(baseline),
      roundTrips: median(own, "roundTrips"),
      sqlMilliseconds: sqlMilliseconds(own),
      rowsRead: median(own, "rowsRead"),
      bytes: median(own, "bytes"),
    };
  });
}

/** A mean, because each answer has whole milliseconds: a median would be 0 or 1. */
function sqlMilliseconds(replies: readonly Reply[]): number {
  const count = Math.ceil(replies.length * (1 - SLOWEST_SHARE));
  const fastest = replies.toSorted((one, other) => one.milliseconds - other.milliseconds).slice(0, count);
  return fastest.reduce((sum, reply) => sum + reply.sqlMilliseconds, 0) / count;
}

function median(replies: readonly Reply[] = [], of: keyof Reply): number {
  return quantile(
    replies.map((reply) => reply[of]),
    0.5,
  );
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  const ranked = items.map((item) => ({ item, rank: Math.random() }));
  return ranked.sort((one, other) => one.rank - other.rank).map(({ item }) => item);
}
