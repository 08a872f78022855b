import type { Context, Hono, MiddlewareHandler } from "hono";
import { METHOD_NAME_ALL } from "hono/router";
import type { AppEnv } from "../app-env.ts";
import { methodNotAllowed, notFound } from "../http/errors.ts";
import { rateLimitAddress } from "./rate-limit.ts";

const METHODS = ["GET", "POST", "PUT", "DELETE"] as const;
type Method = (typeof METHODS)[number];

/**
 * Answers the files of the reference page. Refuses an unknown path or method before the token is read:
 * hono/method-not-allowed would do it after the handlers.
 */
export function knownRoutes(app: Hono<AppEnv>): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const method = c.req.method === "HEAD" ? "GET" : c.req.method;
    if (METHODS.some((one) => one === method && isAllowed(app, one, c.req.path))) return next();
    const allowed = allowedMethods(app, c.req.path);
    const file = allowed.length === 0 ? await findFile(c) : null;
    // The response of a binding cannot be changed, and other middleware adds headers.
    if (file !== null && method === "GET") return new Response(file.body, file);
    await rateLimitAddress(c);
    if (file !== null) throw methodNotAllowed(["GET"]);
    throw allowed.length === 0 ? notFound("There is nothing at this path.") : methodNotAllowed(allowed);
  };
}

/** The answer with a file of the reference page; null if there is none at this path. */
async function findFile({ env, req }: Context<AppEnv>): Promise<Response | null> {
  const { headers, method, url } = req.raw;
  // Assets answer no other method.
  const response = await env.ASSETS.fetch(url, { headers, method: method === "GET" ? "GET" : "HEAD" });
  return response.status === 404 ? null : response;
}

export function allowedMethods(app: Hono<AppEnv>, path: string): Method[] {
  return METHODS.filter((method) => isAllowed(app, method, path));
}

function isAllowed({ router }: Hono<AppEnv>, method: Method, path: string): boolean {
  // A match may be middleware. Middleware for all methods is skipped. Other middleware stands only before an endpoint.
  return router.match(method, path)[0].some(([[, route]]) => route.method !== METHOD_NAME_ALL);
}
