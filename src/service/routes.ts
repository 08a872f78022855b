import { createRouter, isDevelopment } from "../app-env.ts";
import { Database, noUsage } from "../db/database.ts";
import { unavailable } from "../http/errors.ts";
import { addressLimited } from "../middleware/rate-limit.ts";
import { clock } from "../values/clock.ts";
import { withTimeout } from "../values/timeout.ts";
import { findOverdueJobs } from "./queries.ts";
import { BINDINGS, SECRETS, VARIABLES, variableFault } from "./variables.ts";

// An import of package.json would add 1 KiB to the Worker. A test compares the versions.
const VERSION = "0.1.0";
const ANSWERS_WITHIN_MS = 2_500;
// Any number of monitors causes about one check in this time. Requests that come before the check ends check as well.
const CACHED_MS = 5_000;

let lastCheck: Awaited<ReturnType<typeof checkParts>> | null = null;

export const service = createRouter().get("/health", addressLimited, async (c) => {
  const missing = BINDINGS.filter((name) => c.env[name] === undefined);
  if (missing.length > 0) throw unavailable(`The Worker lacks ${missing.join(", ")}: deploy it again.`);
  const usage = noUsage();
  const primary = new Database(c.env.DB, "first-primary", usage);
  // The nearest replica, or the primary where there is none.
  const nearest = new Database(c.env.DB, "first-unconstrained", usage);
  c.set("db", nearest);
  if (lastCheck === null || Math.abs(clock.now() - lastCheck.at) >= CACHED_MS)
    lastCheck = await checkParts({ primary, nearest, kv: c.env.CACHE });
  const { down, overdue, databaseId } = lastCheck;
  const fault = variableFault({ ...c.env }, { ...VARIABLES, ...SECRETS });
  if (fault !== null) throw unavailable(`${fault.name} must ${fault.must}.`);
  if (down.length > 0) throw unavailable(`The ${down.join(" and the ")} cannot be reached.`);
  // `npm start` does not run the schedule.
  if (overdue.length > 0 && !isDevelopment(c.env)) throw unavailable(`Overdue jobs: ${overdue.join(", ")}.`);

  const commit = c.env.CF_VERSION_METADATA.tag;
  const program = { program: c.env.ENVIRONMENT, database_id: databaseId };
  return c.json({ status: true, items: { version: VERSION, commit, database: "up", cache: "up", ...program } });
});

/** When the parts of a deployment were asked, the names of those that do not answer, and the names of overdue jobs. */
async function checkParts({ primary, nearest, kv }: { primary: Database; nearest: Database; kv: KVNamespace }) {
  const at = clock.now();
  const [primaryAnswer, nearestAnswer, cacheAnswer] = await Promise.all([
    answerInTime(() => findOverdueJobs(primary)),
    answerInTime(() => findOverdueJobs(nearest)),
    answerInTime(() => kv.get("health").then(() => true)),
  ]);
  const isDatabaseDown = primaryAnswer === null && nearestAnswer === null;
  const isDown = {
    database: isDatabaseDown,
    "primary of the database": primaryAnswer === null && !isDatabaseDown,
    "replicas of the database": nearestAnswer === null && !isDatabaseDown,
    cache: cacheAnswer === null,
  };
  const down = Object.entries(isDown).flatMap(([name, isPartDown]) => (isPartDown ? [name] : []));
  // A replica may not know yet that a job was done, so its list is not used.
  return { at, down, overdue: primaryAnswer?.overdue ?? [], databaseId: primaryAnswer?.databaseId ?? "" };
}

/** The answer of a part; null if it fails or takes too long. */
async function answerInTime<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await withTimeout(ANSWERS_WITHIN_MS, ask());
  } catch {
    return null;
  }
}
