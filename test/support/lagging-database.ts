import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Random } from "../../scripts/program/random.ts";
import { Database } from "../../src/db/database.ts";
import { showMessages } from "../../src/inbox/message-clock.ts";
import type { FeedLine } from "./api.ts";
import { freshDatabase } from "./fresh-database.ts";
import { acceptLines } from "./state.ts";

const PRIMARY = env.DB;
const REPLICA = env.TEST_REPLICA;

interface Commit {
  now: string;
  lines: readonly FeedLine[];
}

/**
 * A D1 with one replica, which has the first commits of the primary. Both databases have the same clock. A bookmark is the
 * number of commits. A session without one begins at the primary or at the replica, by chance.
 */
export class LaggingDatabase {
  readonly #commits: Commit[] = [];
  /** How many commits the replica has. */
  #replicated = 0;
  readonly #random: Random;
  #now = "";

  constructor(random: Random) {
    this.#random = random;
  }

  /** Makes both databases empty, and puts them in the place of the binding until the end of the test. */
  async begin(now: string): Promise<void> {
    this.#now = now;
    Object.assign(env, { DB: PRIMARY });
    await freshDatabase(now);
    await applyD1Migrations(REPLICA, env.TEST_MIGRATIONS);
    for (const d1 of [PRIMARY, REPLICA])
      await d1.batch([
        d1.prepare("CREATE TABLE stopped_clock AS SELECT ? AS now").bind(now),
        d1.prepare("DROP VIEW IF EXISTS clock"),
        d1.prepare("CREATE VIEW clock AS SELECT now, 0 AS millisecond FROM stopped_clock"),
      ]);
    Object.assign(env, { DB: this.#binding() });
  }

  /** Moves the clock of both databases, then stores lines and shows messages at the primary. */
  async commit(now: string, lines: readonly FeedLine[] = []): Promise<void> {
    this.#now = now;
    await setClockOf(REPLICA, now);
    await apply(PRIMARY, { now, lines });
    this.#commits.push({ now, lines });
  }

  /** Lets the replica make the next commits of the primary. */
  async replicate(count: number): Promise<void> {
    for (const commit of this.#commits.slice(this.#replicated, this.#replicated + count)) {
      await apply(REPLICA, commit);
      this.#replicated += 1;
    }
    await setClockOf(REPLICA, this.#now);
  }

  get lag(): number {
    return this.#commits.length - this.#replicated;
  }

  #binding(): D1Database {
    const withSession = (start = "first-unconstrained") => {
      const isAnywhere = start === "first-unconstrained";
      const isPrimary = isAnywhere ? this.#random.pick([true, false]) : start === "first-primary";
      const session = (isPrimary ? PRIMARY : REPLICA).withSession("first-primary");
      let bookmark: string | null = null;
      const batch = async (statements: D1PreparedStatement[]) => {
        // A replica waits until it has the commits of the bookmark.
        if (!isAnywhere && !isPrimary) await this.replicate(commitsOf(start) - this.#replicated);
        bookmark = bookmarkOf(isPrimary ? this.#commits.length : this.#replicated);
        return session.batch(statements);
      };
      return { prepare: session.prepare.bind(session), batch, getBookmark: () => bookmark };
    };
    return { withSession } as unknown as D1Database;
  }
}

const bookmarkOf = (commits: number) => `${commits.toString(16).padStart(8, "0")}-00000000-00000000-${"0".repeat(32)}`;
/** How many commits a database had when it gave this bookmark. */
export const commitsOf = (bookmark: string) => Number.parseInt(bookmark.slice(0, 8), 16);

async function apply(d1: D1Database, { now, lines }: Commit): Promise<void> {
  await setClockOf(d1, now);
  const db = new Database(d1, "first-primary");
  if (lines.length > 0) await acceptLines(db, lines);
  await showMessages(db);
}

const setClockOf = (d1: D1Database, now: string) => d1.prepare("UPDATE stopped_clock SET now = ?").bind(now).run();
