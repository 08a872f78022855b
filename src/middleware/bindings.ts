import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../app-env.ts";
import { Cache } from "../cache/cache.ts";
import { Inboxes } from "../inbox/inboxes.ts";

/** Opens KV. */
export function cache(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.set("cache", new Cache(c.env.CACHE, (work) => c.executionCtx.waitUntil(work)));
    await next();
  };
}

/** Opens the inboxes of customers. */
export function inboxes(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.set("inboxes", new Inboxes(c.env));
    await next();
  };
}
