import type { Random } from "../../../scripts/program/random.ts";
import type { Network } from "../network.ts";
import type { Rules } from "../rules/rules.ts";
import type { World } from "../world.ts";

/** What an actor works with. */
export interface Stage {
  world: World;
  network: Network;
  rules: Rules;
  /** Whether feeders and the operator have stopped: from then on the service is left to recover. */
  isEnding: () => boolean;
  /** Whether nobody may begin anything any more. */
  isOver: () => boolean;
}

/** Waits as people and machines do: mostly for a short time, now and then for a long one. */
export async function rest({ world }: Stage, random: Random, usualMs: number): Promise<void> {
  const isLong = random.next() < 0.02;
  await world.time.wait(random.integer(1, isLong ? usualMs * 60 : usualMs));
}
