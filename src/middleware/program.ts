import type { MiddlewareHandler } from "hono";
import { type AppEnv, inboxNamespace } from "../app-env.ts";
import { Cache } from "../cache/cache.ts";
import { Inboxes } from "../inbox/inboxes.ts";
import { DEFAULT_PROGRAM, findProgram } from "../programs/programs.ts";

/** Takes a request as one of the default program: for what needs no token. */
export function defaultProgram(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const program = findProgram(c.env, DEFAULT_PROGRAM);
    if (program === null) throw new Error("The binding DB is missing.");
    c.set("program", program);
    await next();
  };
}

/** Opens KV for the request's program. */
export function cache(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.set("cache", new Cache(c.env.CACHE, c.var.program.name, (work) => c.executionCtx.waitUntil(work)));
    await next();
  };
}

/** Opens the inboxes of the request's program. */
export function inboxes(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.set("inboxes", new Inboxes(inboxNamespace(c.env), c.var.program.name, (work) => c.executionCtx.waitUntil(work)));
    await next();
  };
}
