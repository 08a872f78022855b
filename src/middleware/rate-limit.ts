import type { Context, MiddlewareHandler } from "hono";
import { expandIPv6 } from "hono/utils/ipaddr";
import { type AppEnv, isDevelopment } from "../app-env.ts";
import { tooManyRequests } from "../http/errors.ts";

export const addressLimited: MiddlewareHandler<AppEnv> = async (c, next) => {
  await rateLimitAddress(c);
  await next();
};

/** Limits requests without a valid token by their address (docs/contract/interface.md, 3). */
export function rateLimitAddress(c: Context<AppEnv>): Promise<void> {
  return rateLimit(c, c.env.ADDRESS_LIMITER, networkOf(c.req.header("CF-Connecting-IP") ?? "unknown"));
}

export async function rateLimit(c: Context<AppEnv>, limiter: RateLimit, key: string): Promise<void> {
  if (isDevelopment(c.env)) return;
  try {
    if ((await limiter.limit({ key })).success) return;
  } catch (error) {
    // The limiter only guards against abuse, so requests pass if it fails.
    console.error(JSON.stringify({ error: "LIMITER_UNAVAILABLE", cause: error instanceof Error ? error.name : "" }));
    return;
  }
  throw tooManyRequests();
}

const NETWORK_GROUPS = 4;

/** An IPv4 address, or the /64 network of an IPv6 address: an IPv6 client can send from any of its 2^64 addresses. */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  return expandIPv6(address).split(":").slice(0, NETWORK_GROUPS).join(":");
}
