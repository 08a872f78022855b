import { quantile } from "../../lib/quantile.ts";
import { Connections, feedCall } from "../http.ts";
import type { Runtime } from "../runtime.ts";
import { type Chain, LINES_A_REQUEST, toLine } from "./entries.ts";

const WARM_UP = 3;

/** Feeds the same requests to both, in turn and in another order each time. Resolves with the lines a second of the first to those of the second. */
export async function compareFeeding(
  [on, off]: readonly [Runtime, Runtime],
  chain: Chain,
  { rounds, onRound }: { rounds: number; onRound: () => void },
): Promise<{ ratio: number; linesASecond: number }> {
  const connections = new Map([on, off].map((runtime) => [runtime, new Connections(runtime.url, 1)]));
  const pairs: { on: number; off: number }[] = [];
  const now = new Date();
  try {
    for (let round = -WARM_UP; round < rounds; round += 1) {
      const [entries = []] = chain.entries(LINES_A_REQUEST, now, now);
      const lines = entries.map((entry) => JSON.stringify(toLine(entry)));
      const times = new Map<Runtime, number>();
      for (const runtime of round % 2 === 0 ? [on, off] : [off, on]) {
        const reply = await connections.get(runtime)?.send(feedCall(runtime.feedToken, lines));
        times.set(runtime, reply?.milliseconds ?? Number.NaN);
      }
      if (round < 0) continue;
      pairs.push({ on: times.get(on) ?? Number.NaN, off: times.get(off) ?? Number.NaN });
      onRound();
    }
  } finally {
    await Promise.all([...connections.values()].map((one) => one.close()));
  }
  const ratio = quantile(
    pairs.map((pair) => pair.off / pair.on),
    0.5,
  );
  return {
    ratio,
    linesASecond:
      (LINES_A_REQUEST * 1_000) /
      quantile(
        pairs.map((pair) => pair.on),
        0.5,
      ),
  };
}
