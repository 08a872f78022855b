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
  /** Feeders and the operator have stopped, and faults have ended: the service recovers. */
  isEnding: () => boolean;
  /** Nobody may send anything any more. */
  isOver: () => boolean;
}

/** Waits as people and machines do: mostly for a short time, sometimes for a long time. */
export async function rest({ world }: Stage, random: Random, usualMs: number): Promise<void> {
  const isLong = random.next() < 0.02;
  await world.time.wait(random.integer(1, isLong ? usualMs * 60 : usualMs));
}
