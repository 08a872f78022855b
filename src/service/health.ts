import type { ProgramDatabases } from "../app-env.ts";
import type { Cache } from "../cache/cache.ts";
import { clock } from "../cache/clock.ts";
import { withTimeout } from "../values/timeout.ts";
import { reachDatabase } from "./queries.ts";

/** What databases answered. */
export interface DatabasesHealth {
  /** How many programs there are. */
  of: number;
  /** How many of them were asked: all, unless that took too long. */
  asked: number;
  /** Of these: how many answered wholly, and how many lacked what. */
  well: number;
  down: number;
  withoutPrimary: number;
  withoutReplicas: number;
}

/** What of a deployment answers. */
export interface Health {
  databases: DatabasesHealth;
  cache: boolean;
}

const ANSWERS_WITHIN_MS = 2_500;
// So that pollers do not multiply what is asked.
const REMEMBERED_MS = 5_000;

// A Worker has six connections, and KV is asked meanwhile.
const AT_ONCE = 5;
// What has not been asked by then is left to the next time.
const ASKING_MS = 5_000;
// A Worker may ask D1 a thousand times, and each program is asked twice.
const PROGRAMS_AT_MOST = 400;

/** Looks whether all is well, and remembers for five seconds what it has found. */
export class HealthCheck {
  #last: { at: number; health: Health } | undefined;
  /** The program that is asked first the next time. */
  #first = 0;

  async look(databases: readonly ProgramDatabases[], cache: Cache): Promise<Health> {
    const age = clock.now() - (this.#last?.at ?? Number.NEGATIVE_INFINITY);
    if (this.#last !== undefined && age >= 0 && age < REMEMBERED_MS) return this.#last.health;
    const [inDatabases, inCache] = await Promise.all([
      askDatabases(databases, this.#first % databases.length),
      answers(cache.get(cache.keyOf("health"))),
    ]);
    this.#first += inDatabases.asked;
    const health = { databases: inDatabases, cache: inCache };
    this.#last = { at: clock.now(), health };
    return health;
  }
}

/** Asks the primary and a replica of each program, beginning with the one at `first`. */
async function askDatabases(programs: readonly ProgramDatabases[], first: number): Promise<DatabasesHealth> {
  const inTurn = [...programs.slice(first), ...programs.slice(0, first)].slice(0, PROGRAMS_AT_MOST);
  const asked = inTurn.map((databases) => ({ databases, found: new Map<keyof ProgramDatabases, boolean>() }));
  const queue = asked.flatMap((one) => [{ ...one, which: "primary" } as const, { ...one, which: "nearest" } as const]);
  const left = queue.values();
  const endsAt = performance.now() + ASKING_MS;
  const askNext = async () => {
    for (const { databases, found, which } of left) {
      if (performance.now() >= endsAt) return;
      found.set(which, await answers(reachDatabase(databases[which])));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askNext));

  const whole = asked.map(({ found }) => found).filter(({ size }) => size === 2);
  const count = (primary: boolean, nearest: boolean) =>
    whole.filter((one) => one.get("primary") === primary && one.get("nearest") === nearest).length;
  return {
    of: programs.length,
    asked: whole.length,
    well: count(true, true),
    down: count(false, false),
    withoutPrimary: count(false, true),
    withoutReplicas: count(true, false),
  };
}

function answers(work: Promise<unknown>): Promise<boolean> {
  return withTimeout(ANSWERS_WITHIN_MS, work).then(
    () => true,
    () => false,
  );
}

/** What is down, in words; never of which program, because whoever asks has no token. */
export function downInWords({ of, asked, down, withoutPrimary, withoutReplicas }: DatabasesHealth): string[] {
  const parts = [
    ["database", down],
    ["primary of the database", withoutPrimary],
    ["replicas of the database", withoutReplicas],
  ] as const;
  return parts
    .filter(([, count]) => count > 0)
    .map(([part, count]) => (of === 1 ? part : `${part} of ${count} of ${asked} programs`));
}
