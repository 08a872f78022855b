import type { Hono } from "hono";
import packageJson from "../../package.json" with { type: "json" };
import { type AppEnv, createRouter } from "../app-env.ts";
import { addressLimited } from "../auth/middleware.ts";
import { cache } from "../cache/middleware.ts";
import { nearestDatabase } from "../db/middleware.ts";
import { unavailable } from "../http/errors.ts";
import { describe } from "../openapi/describe.ts";
import { openApiDocument } from "../openapi/document.ts";
import { within } from "../values/within.ts";
import { health, openApi } from "./operations.ts";
import { reachDatabase } from "./queries.ts";

const ANSWERS_WITHIN_MS = 3_000;

/** What the service says of itself: whether it is well, and the OpenAPI document of `app`. */
export function service(app: Hono<AppEnv>) {
  let document: string | undefined;

  return createRouter()
    .get("/health", describe(health), addressLimited(), nearestDatabase(), cache(), async (c) => {
      const [inDatabase, inCache] = await Promise.allSettled([
        within(ANSWERS_WITHIN_MS, reachDatabase(c.var.db)),
        within(ANSWERS_WITHIN_MS, c.var.cache.get("health")),
      ]);
      const down = [
        ...(inDatabase.status === "rejected" ? ["database"] : []),
        ...(inCache.status === "rejected" ? ["cache"] : []),
      ];
      if (down.length > 0) throw unavailable(`The ${down.join(" and the ")} cannot be reached.`);

      const { version } = packageJson;
      return c.json({ status: true as const, items: { version, database: "up" as const, cache: "up" as const } });
    })
    .get("/openapi.json", describe(openApi), (c) => {
      document ??= JSON.stringify(openApiDocument(app));
      return c.body(document, 200, { "Content-Type": "application/json", "Cache-Control": "public, max-age=300" });
    });
}
