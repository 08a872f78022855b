import type { Bundle } from "./platform/code.ts";
import { type Outcome, type Plan, RuleBroken, simulate } from "./simulation.ts";

const WITHIN_MS = 180_000;

/** Looks for a smaller plan that breaks the same rule: with fewer actors, fewer faults and fewer steps. */
export async function shrink(plan: Plan, { failure }: Outcome, bundle: Bundle): Promise<Plan> {
  let smallest = plan;
  const endsAt = performance.now() + WITHIN_MS;
  const tryPlan = async (smaller: Plan): Promise<boolean> => {
    if (performance.now() > endsAt) return false;
    const outcome = await simulate(smaller, bundle);
    if (ruleOf(outcome.failure) !== ruleOf(failure)) return false;
    // A rule broken before the faults ended needs no later steps.
    smallest = { ...smaller, steps: Math.min(smaller.steps, outcome.steps + 1) };
    return true;
  };

  await tryPlan({ ...smallest, faults: new Set() });
  for (let size = Math.ceil(smallest.faults.size / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (const some of slices([...smallest.faults], size)) {
      await tryPlan({ ...smallest, faults: without(smallest.faults, some) });
    }
  }
  for (const actor of plan.actors) await tryPlan({ ...smallest, actors: without(smallest.actors, [actor]) });
  while (await tryPlan({ ...smallest, steps: Math.floor(smallest.steps / 2) }));
  return smallest;
}

/** The broken rule, or the message of any other error. */
function ruleOf(failure: Error | null): string | null {
  return failure instanceof RuleBroken ? failure.rule : (failure?.message ?? null);
}

function without<Item>(all: ReadonlySet<Item>, some: readonly Item[]): Set<Item> {
  return new Set([...all].filter((one) => !some.includes(one)));
}

function slices<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
