import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../app-env.ts";

// Answers are data for programs. A browser that opens one must not guess its type, run it or frame it, and must not send
// its URL as a referrer, because the query may contain what a customer searched for.
const HEADERS = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "Strict-Transport-Security": "max-age=31536000",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  // Shared caches must not store a customer's data.
  "Cache-Control": "private, no-store",
};

/**
 * Sets headers for browsers and caches, unless the endpoint has set them. hono/secure-headers does not fit: it has no
 * `Cache-Control`, and makes the Worker 1.0 KiB larger.
 */
export const securityHeaders: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  // `c.header()` would copy the finished response for each header.
  for (const [name, value] of Object.entries(HEADERS)) if (!c.res.headers.has(name)) c.res.headers.set(name, value);
};
