import { isDeepStrictEqual } from "node:util";
import { CommandError } from "../lib/project.ts";
import { quantile } from "../lib/quantile.ts";
import type { Call, Case } from "./cases.ts";
import { Connections, type Reply } from "./http.ts";

/** Whose answers are measured: the service's, the naive query's, or the baseline. */
export type Way = "ours" | "naive" | "baseline";

/** A request that is measured, at one scale. */
export interface Lane {
  scale: string;
  endpoint: string;
  name: string;
  way: Way;
  url: string;
  call: (round: number) => Call;
  roundTrips?: Case["roundTrips"];
}

/** What was measured of it. */
export interface Measured {
  scale: string;
  endpoint: string;
  name: string;
  way: Way;
  samples: number;
  p50: number;
  p99: number;
  /** The p50 of the baseline that was asked in turn with it. */
  baseline: number;
  /** Exact, and the same in every answer of a case; of different answers, the median. */
  roundTrips: number;
  /** What SQLite itself took: the mean of all but the slowest answers. */
  sqlMilliseconds: number;
  rowsRead: number;
  bytes: number;
  /** Requests a second by the number of connections, where that was measured. */
  perSecond?: Record<number, number>;
}

const WARM_UP_ROUNDS = 10;
// The slowest answers tell of the machine.
const SLOWEST_SHARE = 0.05;

/** The lanes of a scale: every case, the naive query beside it where there is one, and the baseline. */
export function lanesOf(
  scale: string,
  url: string,
  { cases, baseline }: { cases: readonly Case[]; baseline: Call },
): Lane[] {
  const common = { scale, url };
  return [
    { ...common, endpoint: "baseline", name: "SELECT 1", way: "baseline", call: () => baseline },
    ...cases.flatMap(({ endpoint, name, call, naive, roundTrips }): Lane[] => {
      const ours: Lane = { ...common, endpoint, name, way: "ours", call, roundTrips };
      if (naive === undefined) return [ours];
      return [ours, { ...common, endpoint, name, way: "naive", call: () => naive }];
    }),
  ];
}

/** Makes sure that the naive queries answer what the service answers: else they are not ways to the same thing. */
export async function compareAnswers(url: string, cases: readonly Case[]): Promise<void> {
  const connections = new Connections(url, 1);
  try {
    for (const { endpoint, name, call, naive, sameAnswer } of cases) {
      if (naive === undefined || !sameAnswer) continue;
      const [ours, theirs] = [await connections.send(call(0)), await connections.send(naive)];
      if (isDeepStrictEqual(JSON.parse(ours.body), JSON.parse(theirs.body))) continue;
      throw new CommandError(
        `${endpoint}, ${name}: the naive query answers something else.\n${ours.body}\n${theirs.body}`,
      );
    }
  } finally {
    await connections.close();
  }
}

/**
 * Sends every lane's request once a round, in another order each time, one after the other: whatever the machine does
 * meanwhile, it does to all of them.
 */
export async function interleave(
  lanes: readonly Lane[],
  rounds: number,
  onRound: () => void,
): Promise<Map<Lane, Measured>> {
  const connections = new Map(lanes.map(({ url }) => [url, new Connections(url, 1)]));
  const replies = new Map<Lane, Reply[]>(lanes.map((lane) => [lane, []]));
  try {
    for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
      for (const lane of shuffled(lanes)) {
        const reply = await connections.get(lane.url)?.send(lane.call(round + WARM_UP_ROUNDS));
        if (reply === undefined || round < 0) continue;
        if (lane.roundTrips === undefined || lane.roundTrips === reply.roundTrips) replies.get(lane)?.push(reply);
      }
      if (round >= 0) onRound();
    }
  } finally {
    await Promise.all([...connections.values()].map((one) => one.close()));
  }
  const baselines = new Map(
    lanes.filter(({ way }) => way === "baseline").map((lane) => [lane.scale, median(replies.get(lane) ?? [])]),
  );
  return new Map(
    [...replies].map(([lane, all]) => [lane, summary(lane, all, baselines.get(lane.scale) ?? Number.NaN)]),
  );
}

function summary({ scale, endpoint, name, way }: Lane, replies: readonly Reply[], baseline: number): Measured {
  const of = (share: number, value: (reply: Reply) => number) => quantile(replies.map(value), share);
  return {
    scale,
    endpoint,
    name,
    way,
    samples: replies.length,
    p50: median(replies),
    p99: of(0.99, ({ milliseconds }) => milliseconds),
    baseline,
    roundTrips: of(0.5, ({ roundTrips }) => roundTrips),
    sqlMilliseconds: sqlMilliseconds(replies),
    rowsRead: of(0.5, ({ rowsRead }) => rowsRead),
    bytes: of(0.5, ({ bytes }) => bytes),
  };
}

/**
 * Each answer knows whole milliseconds only, as the difference of two times that were rounded down. Their mean is exact
 * to some hundredths, because the ticks of the clock fall anywhere; a median would be 0 or 1.
 */
function sqlMilliseconds(replies: readonly Reply[]): number {
  const count = Math.ceil(replies.length * (1 - SLOWEST_SHARE));
  const fastest = replies.toSorted((one, other) => one.milliseconds - other.milliseconds).slice(0, count);
  return fastest.reduce((sum, reply) => sum + reply.sqlMilliseconds, 0) / count;
}

function median(replies: readonly Reply[]): number {
  return quantile(
    replies.map(({ milliseconds }) => milliseconds),
    0.5,
  );
}

/** How many requests are answered in a second while so many are always under way. */
export async function throughput({ url, call }: Lane, connectionCount: number, seconds: number): Promise<number> {
  const connections = new Connections(url, connectionCount);
  const startedAt = performance.now();
  const until = startedAt + seconds * 1_000;
  let answered = 0;
  let round = 0;
  const ask = async () => {
    while (performance.now() < until) {
      await connections.send(call(round++));
      answered += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: connectionCount }, ask));
    return answered / ((performance.now() - startedAt) / 1_000);
  } finally {
    await connections.close();
  }
}

/** The same items in any order. */
export function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ item }) => item);
}
