import { quantile } from "../lib/quantile.ts";
import { type Case, SELECT_1 } from "./cases.ts";
import { type Reply, send } from "./http.ts";

/** A case at one scale, which is a size of the program. */
export interface Lane extends Case {
  scale: string;
  url: string;
}

export interface Measurement extends Pick<Lane, "scale" | "endpoint" | "name" | "aim"> {
  samples: number;
  p50: number;
  /** The p50 divided by the p50 of its baseline at the same scale. */
  ratio: number;
  /** The median number of round trips to D1. */
  roundTrips: number;
  /** SQLite's own time: the mean of all answers but the slowest twentieth. */
  sqlMilliseconds: number;
  rowsRead: number;
  bytes: number;
}

const WARM_UP_ROUNDS = 10;
// The slowest answers depend on the machine more than on the service.
const SLOWEST_SHARE = 0.05;

/**
 * Sends the request of every lane once a round, in a random order and one at a time, so that the state of the machine
 * affects all lanes alike.
 */
export async function measure(lanes: readonly Lane[], rounds: number): Promise<Measurement[]> {
  const replies = new Map<Lane, Reply[]>(lanes.map((lane) => [lane, []]));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (const lane of shuffled(lanes)) {
      const reply = await send(lane.url, lane.call(round + WARM_UP_ROUNDS));
      const isCounted = round >= 0 && lane.roundTrips === reply.roundTrips;
      if (isCounted) replies.get(lane)?.push(reply);
    }
  }
  const p50Of = (lane: Lane) => median(replies.get(lane), "milliseconds");
  return [...replies].map(([lane, laneReplies]): Measurement => {
    const { scale, endpoint, name, aim, to = SELECT_1 } = lane;
    const baseline = lanes.find((other) => other.scale === scale && `${other.endpoint} ${other.name}` === to) ?? lane;
    return {
      scale,
      endpoint,
      name,
      aim,
      samples: laneReplies.length,
      p50: p50Of(lane),
      ratio: p50Of(lane) / p50Of(baseline),
      roundTrips: median(laneReplies, "roundTrips"),
      sqlMilliseconds: sqlMilliseconds(laneReplies),
      rowsRead: median(laneReplies, "rowsRead"),
      bytes: median(laneReplies, "bytes"),
    };
  });
}

/** The mean time of SQLite. A median would be 0 or 1, because an answer gives whole milliseconds. */
function sqlMilliseconds(replies: readonly Reply[]): number {
  const count = Math.ceil(replies.length * (1 - SLOWEST_SHARE));
  const fastest = replies.toSorted((first, second) => first.milliseconds - second.milliseconds).slice(0, count);
  return fastest.reduce((sum, reply) => sum + reply.sqlMilliseconds, 0) / count;
}

function median(replies: readonly Reply[] = [], figure: keyof Reply): number {
  const values = replies.map((reply) => reply[figure]);
  return quantile(values, 0.5);
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  const ranked = items.map((item) => ({ item, rank: Math.random() }));
  return ranked.sort((first, second) => first.rank - second.rank).map(({ item }) => item);
}
