import { env } from "cloudflare:workers";
import { sign } from "hono/jwt";
import type { TokenRules } from "../../src/auth/token.ts";

const HOUR = 3_600;

/** The rules of a deployment that sets nothing but a secret. */
export function tokenRules(secret: string): TokenRules {
  return { JWT_SECRET: secret, keys: null };
}

/** A token of any claims, good for an hour unless the claims say otherwise. */
export function signToken(claims: Record<string, unknown>, secret = env.JWT_SECRET): Promise<string> {
  return sign({ exp: Math.floor(Date.now() / 1000) + HOUR, ...claims }, secret, "HS256");
}

export function customerToken(customerId: string, claims: Record<string, unknown> = {}): Promise<string> {
  return signToken({ scope: "customer", sub: customerId, ...claims });
}

/** A token that restores. */
export function restoreToken(claims: Record<string, unknown> = {}): Promise<string> {
  return signToken({ scope: "feed restore", sub: "tests", accounts: "*", ...claims });
}

export function exportToken(claims: Record<string, unknown> = {}): Promise<string> {
  return signToken({ scope: "export", sub: "tests", accounts: "*", ...claims });
}

export function feedToken(accounts: readonly string[] | "*"): Promise<string> {
  return signToken({ scope: "feed", sub: "tests", accounts });
}
