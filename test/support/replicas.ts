import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { setVariables } from "./variables.ts";

/** A statement as D1 takes it. */
class Prepared {
  readonly sql: string;
  readonly params: readonly unknown[];
  readonly #database: ReplicatedDatabase;

  constructor(database: ReplicatedDatabase, sql: string, params: readonly unknown[] = []) {
    this.#database = database;
    this.sql = sql;
    this.params = params;
  }

  bind(...params: unknown[]) {
    return new Prepared(this.#database, this.sql, params);
  }

  async all() {
    const [result] = await this.#database.atPrimary([this]);
    return result;
  }
}

interface Commit {
  statements: readonly Prepared[];
  /** In milliseconds since 1970, by the Worker's clock. */
  at: number;
}

/**
 * The test's D1 with two replicas. Each is the primary as of some commit, because it runs what was committed there once
 * more, and comes further only when the test says so, or as far as the bookmark of a session asks.
 */
export class ReplicatedDatabase {
  /** Which replica is the nearest. */
  nearest = 0;
  /** What the primary does before it takes statements; it may throw. */
  beforePrimary: (statements: readonly Prepared[]) => void = () => {};
  readonly #primary: D1Database;
  readonly #replicas: readonly { database: D1Database; commits: number }[];
  readonly #commits: Commit[] = [];

  constructor(primary: D1Database, replicas: readonly D1Database[]) {
    this.#primary = primary;
    this.#replicas = replicas.map((database) => ({ database, commits: 0 }));
  }

  /** How many commits the primary has, or a replica. */
  position(replica?: number): number {
    return replica === undefined ? this.#commits.length : this.#replica(replica).commits;
  }

  /** Lets a replica come so many commits further. */
  replicate(replica: number, commits: number): Promise<void> {
    return this.#bring(replica, this.position(replica) + commits);
  }

  /** Lets every replica come as far as the primary was at this time. */
  async replicateUpTo(at: number): Promise<void> {
    const known = this.#commits.filter((commit) => commit.at <= at).length;
    for (const index of this.#replicas.keys()) await this.#bring(index, known);
  }

  prepare(sql: string) {
    return new Prepared(this, sql);
  }

  batch(statements: readonly Prepared[]) {
    return this.atPrimary(statements);
  }

  withSession(start = "first-unconstrained") {
    let position = start.startsWith("first-") ? 0 : Number(start);
    const isAtPrimary = start === "first-primary";
    const batch = async (statements: readonly Prepared[]) => {
      const replica = this.nearest;
      const results = isAtPrimary
        ? await this.atPrimary(statements)
        : await this.#atReplica(replica, position, statements);
      position = Math.max(position, this.position(isAtPrimary ? undefined : replica));
      return results;
    };
    return { prepare: (sql: string) => this.prepare(sql), batch, getBookmark: () => String(position).padStart(8, "0") };
  }

  async atPrimary(statements: readonly Prepared[]): Promise<D1Result[]> {
    this.beforePrimary(statements);
    // Answers come in the order of their commits.
    const results = await run(this.#primary, statements);
    const isCommit = results.some(({ meta }) => meta.rows_written > 0 || meta.changed_db);
    if (isCommit) this.#commits.push({ statements, at: Date.now() });
    return results;
  }

  async #atReplica(replica: number, position: number, statements: readonly Prepared[]): Promise<D1Result[]> {
    await this.#bring(replica, position);
    return run(this.#replica(replica).database, statements);
  }

  async #bring(index: number, position: number): Promise<void> {
    const replica = this.#replica(index);
    for (const { statements } of this.#commits.slice(replica.commits, position)) {
      await run(replica.database, statements);
      replica.commits += 1;
    }
  }

  #replica(index: number) {
    const replica = this.#replicas[index];
    if (replica === undefined) throw new Error(`There is no replica ${index}.`);
    return replica;
  }
}

function run(database: D1Database, statements: readonly Prepared[]): Promise<D1Result[]> {
  return database.batch(statements.map(({ sql, params }) => database.prepare(sql).bind(...params)));
}

export const REPLICAS = 2;

/** Puts a database with replicas in the place of the test's, which nothing was written to yet; `end` takes it away. */
export async function replicateDatabase(): Promise<{ database: ReplicatedDatabase; end: () => void }> {
  const primary = env.DB;
  const replicas = [env.TEST_REPLICA_1, env.TEST_REPLICA_2];
  for (const replica of replicas) await applyD1Migrations(replica, env.TEST_MIGRATIONS);
  const database = new ReplicatedDatabase(primary, replicas);
  setVariables({ DB: database });
  return { database, end: () => setVariables({ DB: primary }) };
}
