import { env } from "cloudflare:workers";
import { type Claims, secretNameOf, signClaims } from "../../scripts/lib/sign.ts";
import type { TokenRules } from "../../src/auth/token.ts";

/** The token rules of a deployment whose only settings are the secrets. */
export function tokenRules(secret: string, feedSecret = ""): TokenRules {
  return { JWT_SECRET: secret, FEED_JWT_SECRET: feedSecret, keys: null };
}

/** A token with these claims, which is good for an hour unless `exp` says otherwise. */
export function signToken(claims: Claims, secret = env[secretNameOf(claims.scope)]): Promise<string> {
  return signClaims(claims, secret);
}

export function customerToken(customerId: string, claims: Claims = {}): Promise<string> {
  return signToken({ scope: "customer", sub: customerId, ...claims });
}

export function restoreToken(): Promise<string> {
  return signToken({ scope: "feed restore", sub: "tests", accounts: "*" });
}

export function exportToken(): Promise<string> {
  return signToken({ scope: "export", sub: "tests", accounts: "*" });
}

export function tillToken(claims: Claims = {}): Promise<string> {
  return signToken({ scope: "till", sub: "tests", accounts: "*", ...claims });
}

export function feedToken(accounts: readonly string[] | "*"): Promise<string> {
  return signToken({ scope: "feed", sub: "tests", accounts });
}
