import type { Context } from "hono";
import { type AppEnv, isDevelopment } from "../app-env.ts";
import { tooManyRequests } from "../http/errors.ts";
import { middleware } from "../openapi/notes.ts";

/** Lets an address in no more often than the limit: for what needs no token. */
export const addressLimited = middleware({ failures: ["TooManyRequests"] }, async (c, next) => {
  await rateLimitAddress(c);
  await next();
});

/**
 * Counts a request that is refused before its customer is known (docs/contract/interface.md, 3).
 * @throws the failure 429 beyond the limit of its address.
 */
export function rateLimitAddress(c: Context<AppEnv>): Promise<void> {
  return rateLimit(c, c.env.ADDRESS_LIMITER, networkOf(c.req.header("CF-Connecting-IP") ?? "unknown"));
}

/** @throws the failure 429 beyond the limit of the key. */
export async function rateLimit(c: Context<AppEnv>, limiter: RateLimit, key: string): Promise<void> {
  if (isDevelopment(c.env)) return;
  try {
    if ((await limiter.limit({ key })).success) return;
  } catch (error) {
    // The limiter only guards against abuse: if it fails, requests are let through.
    console.error(JSON.stringify({ error: "LIMITER_UNAVAILABLE", cause: error instanceof Error ? error.name : "" }));
    return;
  }
  throw tooManyRequests();
}

const IPV6_GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * The network that an address belongs to. An IPv6 client has a network of 2^64 addresses to send from, and could not be
 * rate-limited by any one of them: there it is the network (/64) that counts.
 */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [before = [], after = []] = address.split("::").map((part) => (part === "" ? [] : part.split(":")));
  const left = Math.max(0, IPV6_GROUPS - before.length - after.length);
  const groups = [...before, ...Array.from({ length: left }, () => "0"), ...after];
  return groups.slice(0, NETWORK_GROUPS).join(":");
}
