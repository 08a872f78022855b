import { createRouter, isDevelopment } from "../app-env.ts";
import { Database, noUsage } from "../db/database.ts";
import { unavailable } from "../http/errors.ts";
import { addressLimited } from "../middleware/rate-limit.ts";
import { checkHealth } from "./health.ts";
import { variableFault } from "./variables.ts";

// An import of package.json would add 1 KiB to the Worker. A test compares the versions.
const VERSION = "0.1.0";

/** The health check. */
export const service = createRouter().get("/health", addressLimited, async (c) => {
  const usage = noUsage();
  const primary = new Database(c.env.DB, "first-primary", usage);
  const nearest = new Database(c.env.DB, "first-unconstrained", usage);
  c.set("db", nearest);
  const { down, overdue } = await checkHealth({ primary, nearest, kv: c.env.CACHE });
  const fault = variableFault({ ...c.env });
  if (fault !== null) throw unavailable(`${fault.name} must ${fault.must}.`);
  if (down.length > 0) throw unavailable(`The ${down.join(" and the ")} cannot be reached.`);
  // `npm start` does not run the schedule.
  if (overdue.length > 0 && !isDevelopment(c.env)) throw unavailable(`Overdue jobs: ${overdue.join(", ")}.`);

  return c.json({
    status: true as const,
    items: { version: VERSION, database: "up" as const, cache: "up" as const },
  });
});
