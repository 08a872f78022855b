import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../app-env.ts";
import { Cache } from "./cache.ts";

/** Opens the request's way to KV. */
export function cache(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.set("cache", new Cache(c.env.CACHE, (work) => c.executionCtx.waitUntil(work)));
    await next();
  };
}
