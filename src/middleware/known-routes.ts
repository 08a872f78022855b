import type { Hono, MiddlewareHandler } from "hono";
import { METHOD_NAME_ALL } from "hono/router";
import type { AppEnv } from "../app-env.ts";
import { methodNotAllowed, notFound } from "../http/errors.ts";
import { rateLimitAddress } from "./rate-limit.ts";

const METHODS = ["GET", "POST"] as const;

/** Refuses an unknown path or method before the token is read: hono/method-not-allowed would do it after the handlers. */
export function knownRoutes(app: Hono<AppEnv>): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const allowed = allowedMethods(app, c.req.path);
    const method = c.req.method === "HEAD" ? "GET" : c.req.method;
    if (allowed.some((one) => one === method)) return next();
    await rateLimitAddress(c);
    throw allowed.length === 0 ? notFound("There is nothing at this path.") : methodNotAllowed(allowed);
  };
}

export function allowedMethods(app: Hono<AppEnv>, path: string): (typeof METHODS)[number][] {
  // A match may be middleware. Middleware for all methods is skipped. Other middleware stands only before an endpoint.
  return METHODS.filter((method) =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method !== METHOD_NAME_ALL),
  );
}
