import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../app-env.ts";
import { Inboxes } from "./inboxes.ts";

/** Opens the request's way to the inboxes. */
export function inboxes(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.set("inboxes", new Inboxes(c.env.INBOXES, (work) => c.executionCtx.waitUntil(work)));
    await next();
  };
}
