import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../app-env.ts";
import { Inboxes } from "./inboxes.ts";

/** Opens the way to the inboxes of the request's program. */
export function inboxes(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.set("inboxes", new Inboxes(c.env.INBOXES, c.var.program.name, (work) => c.executionCtx.waitUntil(work)));
    await next();
  };
}
