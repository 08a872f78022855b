import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../app-env.ts";

// Answers are data for programs: a browser that is led to one must neither guess a type, nor run or frame it, nor tell
// anybody where it was, for the query may hold what somebody searched for.
const HEADERS = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "Strict-Transport-Security": "max-age=31536000",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  // What a customer is told is that customer's: no cache on the way may keep it.
  "Cache-Control": "private, no-store",
};

/**
 * Sets what every response carries for browsers and caches, unless its endpoint says otherwise. hono/secure-headers has
 * no `Cache-Control`, and would make the Worker 1.0 KiB larger.
 */
export const securityHeaders: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  // Not by `c.header()`, which makes a finished response anew for each header.
  for (const [name, value] of Object.entries(HEADERS)) if (!c.res.headers.has(name)) c.res.headers.set(name, value);
};
