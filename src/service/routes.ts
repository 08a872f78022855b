import type { Hono } from "hono";
import packageJson from "../../package.json" with { type: "json" };
import { type AppEnv, createRouter } from "../app-env.ts";
import { unavailable } from "../http/errors.ts";
import { allDatabases } from "../middleware/database.ts";
import { cache, defaultProgram } from "../middleware/program.ts";
import { addressLimited } from "../middleware/token.ts";
import { describe } from "../openapi/describe.ts";
import { openApiDocument } from "../openapi/document.ts";
import { downInWords, HealthCheck } from "./health.ts";
import { health, openApi } from "./operations.ts";

/** What the service says of itself: whether it is well, and the OpenAPI document of `app`. */
export function service(app: Hono<AppEnv>) {
  let document: string | undefined;
  const check = new HealthCheck();

  return createRouter()
    .get("/health", describe(health), addressLimited(), defaultProgram(), allDatabases(), cache(), async (c) => {
      const { databases, cache } = await check.look(c.var.databases, c.var.cache);
      const down = [...downInWords(databases), ...(cache ? [] : ["cache"])];
      if (down.length > 0) throw unavailable(`The ${down.join(" and the ")} cannot be reached.`);

      const { version } = packageJson;
      const { well, of, asked } = databases;
      const programs = { well, of, ...(asked < of && { asked }) };
      const items = { version, database: "up" as const, cache: "up" as const };
      return c.json({ status: true as const, items: of === 1 ? items : { ...items, programs } });
    })
    .get("/openapi.json", describe(openApi), (c) => {
      document ??= JSON.stringify(openApiDocument(app));
      return c.body(document, 200, { "Content-Type": "application/json", "Cache-Control": "public, max-age=300" });
    });
}
