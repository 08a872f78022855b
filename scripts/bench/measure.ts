import type { SingleBar } from "cli-progress";
import type { Cases } from "./cases.ts";
import { crowdedCases } from "./crowded.ts";
import { interleave, type Lane, lanesOf, type Measured, throughput } from "./drive.ts";
import type { Stand } from "./stand.ts";

const CONNECTIONS = [1, 32];

/** The densest place with many more campaigns, in turn with its own baseline. */
export async function measureCrowded(
  { scale, stand, dense, baseline }: Cases & { scale: string; stand: Stand },
  rounds: number,
  bar: SingleBar,
): Promise<Measured[]> {
  const cases = await crowdedCases(stand, dense, baseline.token);
  bar.start(rounds, 0, { what: "More campaigns" });
  const measured = await interleave(lanesOf(scale, stand.url, { cases, baseline }), rounds, () => bar.increment());
  bar.stop();
  return [...measured.values()].filter(({ way }) => way === "ours");
}

/** Every lane, each asked in turn with the baseline; those of the largest scale also with several connections. */
export async function measure(
  lanes: readonly Lane[],
  largest: string,
  { rounds, seconds }: { rounds: number; seconds: number },
  bar: SingleBar,
): Promise<Measured[]> {
  const inTurn = async (what: string, some: readonly Lane[], times: number) => {
    bar.start(times, 0, { what });
    const found = await interleave(some, times, () => bar.increment());
    bar.stop();
    return found;
  };
  // Apart from each other: a scan of a million rows throws out of the processor's caches what the next request needs.
  const ours = await inTurn(
    "Asking in turn",
    lanes.filter(({ way }) => way !== "naive"),
    rounds,
  );
  const naive = await inTurn(
    "The naive queries",
    lanes.filter(({ way }) => way !== "ours"),
    Math.ceil(rounds / 10),
  );
  // The baseline that stands in the report is that of the service; the naive queries have had their own.
  const measured = new Map([...naive, ...ours]);
  if (seconds === 0) return [...measured.values()];

  const timed = lanes.filter(({ scale, way, name }) => scale === largest && way !== "naive" && name !== "cold");
  bar.start(timed.length, 0, { what: "Asking at once" });
  for (const lane of timed) {
    const perSecond: Record<number, number> = {};
    for (const connections of CONNECTIONS) perSecond[connections] = await throughput(lane, connections, seconds);
    Object.assign(measured.get(lane) ?? {}, { perSecond });
    bar.increment();
  }
  bar.stop();
  return [...measured.values()];
}
