import { createRouter } from "../app-env.ts";
import { unavailable } from "../http/errors.ts";
import { allDatabases } from "../middleware/database.ts";
import { cache, defaultProgram } from "../middleware/program.ts";
import { addressLimited } from "../middleware/token.ts";
import { historyFault } from "../programs/history.ts";
import { downInWords, HealthCheck } from "./health.ts";

// A test compares it with package.json, which would take 1 KiB of the Worker if it were imported.
const VERSION = "0.1.0";

const check = new HealthCheck();

/** What the service says of itself: whether it is well. */
export const service = createRouter().get(
  "/health",
  addressLimited(),
  defaultProgram(),
  allDatabases(),
  cache(),
  async (c) => {
    const { databases, cache } = await check.look(c.var.databases, c.var.cache);
    const down = [...downInWords(databases), ...(cache ? [] : ["cache"])];
    const fault = historyFault(c.env);
    if (fault !== null) throw unavailable(`Nothing leaves for history: ${fault}.`);
    if (down.length > 0) throw unavailable(`The ${down.join(" and the ")} cannot be reached.`);

    const { well, of, asked } = databases;
    const programs = { well, of, ...(asked < of && { asked }) };
    const items = { version: VERSION, database: "up" as const, cache: "up" as const };
    return c.json({ status: true as const, items: of === 1 ? items : { ...items, programs } });
  },
);
