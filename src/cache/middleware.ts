import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../app-env.ts";
import { Cache } from "./cache.ts";

/** Opens the way to KV of the request's program. */
export function cache(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.set("cache", new Cache(c.env.CACHE, c.var.program.name, (work) => c.executionCtx.waitUntil(work)));
    await next();
  };
}
