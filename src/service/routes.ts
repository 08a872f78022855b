import type { Hono } from "hono";
import packageJson from "../../package.json" with { type: "json" };
import { type AppEnv, createRouter } from "../app-env.ts";
import { addressLimited } from "../auth/middleware.ts";
import { cache } from "../cache/middleware.ts";
import { nearestDatabases } from "../db/middleware.ts";
import { unavailable } from "../http/errors.ts";
import { describe } from "../openapi/describe.ts";
import { openApiDocument } from "../openapi/document.ts";
import { defaultProgram } from "../programs/middleware.ts";
import { within } from "../values/within.ts";
import { health, openApi } from "./operations.ts";
import { reachDatabase } from "./queries.ts";

const ANSWERS_WITHIN_MS = 3_000;

function isFulfilled({ status }: PromiseSettledResult<unknown>): boolean {
  return status === "fulfilled";
}

/** How many programs fail; never which, because whoever asks has no token. */
function ofPrograms({ well, of }: { well: number; of: number }): string {
  return `${of - well} of ${of} programs`;
}

/** What the service says of itself: whether it is well, and the OpenAPI document of `app`. */
export function service(app: Hono<AppEnv>) {
  let document: string | undefined;

  return createRouter()
    .get("/health", describe(health), addressLimited(), defaultProgram(), nearestDatabases(), cache(), async (c) => {
      const [inCache, ...inDatabases] = await Promise.allSettled([
        within(ANSWERS_WITHIN_MS, c.var.cache.get(c.var.cache.keyOf("health"))),
        ...c.var.databases.map((database) => within(ANSWERS_WITHIN_MS, reachDatabase(database))),
      ]);
      const programs = { well: inDatabases.filter(isFulfilled).length, of: inDatabases.length };
      const down = [
        ...(programs.well < programs.of
          ? [programs.of === 1 ? "database" : `database of ${ofPrograms(programs)}`]
          : []),
        ...(isFulfilled(inCache) ? [] : ["cache"]),
      ];
      if (down.length > 0) throw unavailable(`The ${down.join(" and the ")} cannot be reached.`);

      const { version } = packageJson;
      const items = { version, database: "up" as const, cache: "up" as const };
      return c.json({ status: true as const, items: programs.of === 1 ? items : { ...items, programs } });
    })
    .get("/openapi.json", describe(openApi), (c) => {
      document ??= JSON.stringify(openApiDocument(app));
      return c.body(document, 200, { "Content-Type": "application/json", "Cache-Control": "public, max-age=300" });
    });
}
