import type { Hono, MiddlewareHandler } from "hono";
import type { AppEnv } from "../app-env.ts";
import { foreignPage } from "../http/errors.ts";
import { itemsOfList } from "../values/parameter.ts";
import { allowedMethods } from "./known-routes.ts";

// No user, path, query or blank, which `URL` would drop in silence.
const SCHEME_AND_HOST = /^[^\s/?#@\\]+:\/\/[^\s/?#@\\]+$/;
const PREFLIGHT_SECONDS = 86_400;
// The tracing of Sentry and OpenTelemetry adds the last four to every request of a page, which fails if one is not allowed.
const REQUEST_HEADERS =
  "Authorization, Content-Type, If-None-Match, X-D1-Bookmark, traceparent, tracestate, baggage, sentry-trace";
const RESPONSE_HEADERS =
  "ETag, X-Request-Id, Server-Timing, X-D1-Bookmark, X-Board-Age, Link, Retry-After, X-Feed-Version";

/**
 * Lets web pages of the origins in `CORS_ORIGINS` (comma-separated, or `*` for all) read answers. Does nothing if the
 * variable is empty, which is the default. Cookies are never allowed: clients send a token. hono/cors does not fit: it
 * answers 204 to a preflight of any origin and path (test/middleware/cors.test.ts expects 403 and 404).
 */
export function cors(app: Hono<AppEnv>): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const origin = c.req.header("Origin") ?? "";
    const isAllowed = origin !== "" && isAllowedOrigin(c.env, origin);
    const isAsked = c.req.method === "OPTIONS" && c.req.header("Access-Control-Request-Method") !== undefined;
    const methods = isAsked ? allowedMethods(app, c.req.path) : [];
    const isPreflight = origin !== "" && methods.length > 0;
    try {
      if (!isPreflight) return await next();
      if (!isAllowed) throw foreignPage();
      c.res = c.body(null, 204, {
        "Access-Control-Allow-Methods": methods.join(", "),
        "Access-Control-Allow-Headers": REQUEST_HEADERS,
        "Access-Control-Max-Age": String(PREFLIGHT_SECONDS),
      });
    } finally {
      if (isAllowed) {
        c.header("Access-Control-Allow-Origin", origin);
        c.header("Access-Control-Expose-Headers", RESPONSE_HEADERS);
      }
      // A cache must not give one origin's answer to another origin.
      if (allowedOrigins(c.env).length > 0) c.header("Vary", "Origin", { append: true });
    }
  };
}

/** Whether `CORS_ORIGINS` allows pages of this origin. */
export function isAllowedOrigin(env: Env, origin: string): boolean {
  const allowed = allowedOrigins(env);
  return allowed.includes("*") || allowed.some((one) => isSameOrigin(one, origin));
}

function allowedOrigins({ CORS_ORIGINS = "" }: Partial<Env>): string[] {
  return itemsOfList(CORS_ORIGINS);
}

/** The items of a comma-separated text that are neither `*` nor an origin. */
export function invalidOrigins(text: string): string[] {
  return itemsOfList(text).filter((origin) => origin !== "*" && parseOrigin(origin) === null);
}

/** Whether both texts are the same origin: `HTTPS://Host:443` is `https://host`. */
export function isSameOrigin(one: string, other: string): boolean {
  const origin = parseOrigin(one);
  return origin !== null && origin === parseOrigin(other);
}

/** An origin in small letters, without the usual port of its scheme; null if the text is none. */
function parseOrigin(text: string): string | null {
  if (!SCHEME_AND_HOST.test(text) || !URL.canParse(text)) return null;
  const { protocol, host } = new URL(text);
  // The standard's own `origin` of capacitor://localhost, an app on iOS, is "null".
  return `${protocol}//${host}`.toLowerCase();
}
