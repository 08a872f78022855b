import type { Hono, MiddlewareHandler } from "hono";
import type { AppEnv } from "../app-env.ts";
import { foreignPage } from "../http/errors.ts";
import { allowedMethods } from "./known-routes.ts";

const PREFLIGHT_SECONDS = 86_400;
const REQUEST_HEADERS = "Authorization, Content-Type, If-None-Match, X-D1-Bookmark";
const RESPONSE_HEADERS =
  "ETag, X-Request-Id, Server-Timing, X-D1-Bookmark, X-Board-Age, Link, Retry-After, X-Feed-Version";

/**
 * Lets the pages of other origins read answers: those that `CORS_ORIGINS` names, with commas between them, or `*` for
 * all. It is empty unless a deployment sets it, and then this does nothing. Cookies are never asked for: the token is.
 * hono/cors answers 204 to a preflight of any origin and path (test/middleware/cors.test.ts: 403 and 404).
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
      // What a cache keeps for one origin must not be given to another.
      if (allowedOrigins(c.env).length > 0) c.header("Vary", "Origin", { append: true });
    }
  };
}

/** Whether `CORS_ORIGINS` lets the pages of an origin call. */
export function isAllowedOrigin(env: Env, origin: string): boolean {
  const origins = allowedOrigins(env);
  return origins.includes("*") || origins.includes(origin);
}

function allowedOrigins({ CORS_ORIGINS = "" }: Partial<Env>): string[] {
  return listed(CORS_ORIGINS).filter((origin) => origin !== "");
}

function listed(origins: string): string[] {
  return origins.split(",").map((origin) => origin.trim());
}

/** What of a text with commas is no origin, as a browser or an app's web view names it, and not `*`. */
export function notOrigins(text: string): string[] {
  return listed(text).filter((origin) => !isOrigin(origin));
}

function isOrigin(text: string): boolean {
  if (text === "*") return true;
  if (!URL.canParse(text)) return false;
  const { origin, protocol, host } = new URL(text);
  // That of capacitor://localhost, an app on iOS, is "null" by the standard.
  return text === (origin === "null" && host !== "" ? `${protocol}//${host}` : origin);
}
