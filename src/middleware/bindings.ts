import type { MiddlewareHandler } from "hono";
import { type AppEnv, inboxesOf } from "../app-env.ts";
import { Cache } from "../cache/cache.ts";

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
    c.set(
      "inboxes",
      inboxesOf(c.env, (work) => c.executionCtx.waitUntil(work)),
    );
    await next();
  };
}
