import type { Hono, MiddlewareHandler } from "hono";
import type { AppEnv } from "../app-env.ts";
import { foreignPage } from "../http/errors.ts";
import { partsOf } from "../values/parameter.ts";
import { allowedMethods } from "./known-routes.ts";

const PREFLIGHT_SECONDS = 86_400;
const REQUEST_HEADERS = "Authorization, Content-Type, If-None-Match, X-D1-Bookmark";
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
    const methods = allowedMethods(app, c.req.path);
    const isAsked = c.req.method === "OPTIONS" && c.req.header("Access-Control-Request-Method") !== undefined;
    const isPreflight = isAsked && origin !== "" && methods.length > 0;
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
  const origins = allowedOrigins(env);
  return origins.includes("*") || origins.includes(origin);
}

function allowedOrigins({ CORS_ORIGINS = "" }: Partial<Env>): string[] {
  return partsOf(CORS_ORIGINS);
}

/** The parts of a comma-separated text that are neither `*` nor an origin as a browser or an app's web view sends it. */
export function invalidOrigins(text: string): string[] {
  return partsOf(text).filter((origin) => !isOrigin(origin));
}

function isOrigin(text: string): boolean {
  if (text === "*") return true;
  if (!URL.canParse(text)) return false;
  const { origin, protocol, host } = new URL(text);
  // For capacitor://localhost, an app on iOS, the standard's `origin` is "null".
  return text === (origin === "null" && host !== "" ? `${protocol}//${host}` : origin);
}
