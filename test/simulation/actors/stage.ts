import type { Random } from "../../../scripts/program/random.ts";
import type { Network } from "../network.ts";
import type { SimulatedProgram } from "../program.ts";
import type { Rules } from "../rules/rules.ts";
import type { World } from "../world.ts";

/** What every actor works with. */
export interface Stage {
  world: World;
  network: Network;
  rules: Rules;
  program: SimulatedProgram;
  /** Whether all faults have ended. Feeders and the operator stop, so that the service can recover. */
  isEnding: () => boolean;
  /** Whether the run is over. Then nobody sends anything. */
  isOver: () => boolean;
}

/** Waits: mostly for a short time, as people and machines do, and sometimes for a long time. */
export async function pause({ world }: Stage, random: Random, usualMs: number): Promise<void> {
  const isLong = random.next() < 0.02;
  await world.time.wait(random.integer(1, isLong ? usualMs * 60 : usualMs));
}
