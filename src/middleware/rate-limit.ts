import type { Context, MiddlewareHandler } from "hono";
import { type AppEnv, isDevelopment } from "../app-env.ts";
import { NotLetIn } from "../auth/errors.ts";
import { networkOf } from "../auth/network.ts";
import { LIMIT_PERIOD_SECONDS } from "../http/limits.ts";
import { annotate } from "../openapi/notes.ts";

/** Lets an address in no more often than the limit: for what needs no token. */
export function addressLimited(): MiddlewareHandler<AppEnv> {
  const handler: MiddlewareHandler<AppEnv> = async (c, next) => {
    await rateLimitAddress(c);
    await next();
  };
  return annotate(handler, { failures: ["TooManyRequests"] });
}

/**
 * Counts a request that is refused before its customer is known (docs/contract/interface.md, 3).
 * @throws {NotLetIn} beyond the limit of its address.
 */
export function rateLimitAddress(c: Context<AppEnv>): Promise<void> {
  return rateLimit(c, c.env.ADDRESS_LIMITER, networkOf(c.req.header("CF-Connecting-IP") ?? "unknown"));
}

/** @throws {NotLetIn} beyond the limit of the key. */
export async function rateLimit(c: Context<AppEnv>, limiter: RateLimit, key: string): Promise<void> {
  if (isDevelopment(c.env)) return;
  if (await isWithinLimit(limiter, key)) return;
  throw new NotLetIn({ reason: "too many requests", retryAfterSeconds: LIMIT_PERIOD_SECONDS });
}

// The limiter only guards against abuse: if it fails, requests are let through.
async function isWithinLimit(limiter: RateLimit, key: string): Promise<boolean> {
  try {
    return (await limiter.limit({ key })).success;
  } catch (error) {
    console.error(JSON.stringify({ error: "LIMITER_UNAVAILABLE", cause: error instanceof Error ? error.name : "" }));
    return true;
  }
}
