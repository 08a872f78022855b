/** What a run may use of a Worker's limits, or one turn of it: statements at D1, calls of inboxes, and time. */
export interface Allowance {
  queries: number;
  calls: number;
  milliseconds: number;
}

/** What a turn has used. */
export interface Used {
  queries: number;
  calls: number;
  /** Whether nothing is left to do in this run. */
  isDone: boolean;
}

export interface TurnRules {
  /** How long a run may take. */
  milliseconds: number;
  /** No turn begins with less. */
  least: { queries: number; calls: number };
  /** How many turns there are at once, which share what is left. Alone, a turn may use all of it. */
  atOnce: number;
}

/** A Worker is ended after 1,000 queries and 10,000 calls; some are left for reads that are sent again. */
export const A_RUN = { queries: 950, calls: 5_000 };

/**
 * Gives turns to all who wait, in their order, until they are done or the allowance is used up. Who is not done waits
 * again, behind the others. Resolves with how many had a turn, and the index of whose turn would be next, if any waits.
 */
export async function runTurns(
  waiting: readonly ((allowance: Allowance) => Promise<Used>)[],
  { milliseconds, least, atOnce }: TurnRules,
): Promise<{ begun: number; next: number | undefined }> {
  const endsAt = performance.now() + milliseconds;
  const left = { ...A_RUN };
  const queue = waiting.map((takeTurn, index) => ({ takeTurn, index }));
  let begun = 0;
  // An equal share for each who waits for a first turn, and then for each who waits: so nobody takes what others need.
  const share = (of: number, atLeast: number) => {
    const shares = begun < waiting.length ? waiting.length - begun : queue.length + 1;
    return atOnce === 1 ? of : Math.max(atLeast, Math.floor(of / shares));
  };
  const takeTurns = async () => {
    while (left.queries >= least.queries && left.calls >= least.calls && performance.now() < endsAt) {
      const one = queue.shift();
      if (one === undefined) return;
      const queries = share(left.queries, least.queries);
      const calls = share(left.calls, least.calls);
      begun += 1;
      left.queries -= queries;
      left.calls -= calls;
      const used = await one.takeTurn({ queries, calls, milliseconds: endsAt - performance.now() });
      left.queries += queries - used.queries;
      left.calls += calls - used.calls;
      if (!used.isDone) queue.push(one);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, takeTurns));
  return { begun: Math.min(begun, waiting.length), next: queue[0]?.index };
}

/** The programs, which are sorted by name, from this one on, or from the next where it is gone. */
export function orderFrom<Program extends { name: string }>(programs: readonly Program[], name: string): Program[] {
  const first = programs.findIndex((program) => program.name >= name);
  return first === -1 ? [...programs] : [...programs.slice(first), ...programs.slice(0, first)];
}
