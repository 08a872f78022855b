import type { Context, MiddlewareHandler } from "hono";
import { type AppEnv, isDevelopment } from "../app-env.ts";
import { annotate } from "../openapi/notes.ts";
import { NotLetIn } from "./errors.ts";
import { KeySet } from "./key-set.ts";
import { LIMIT_PERIOD_SECONDS } from "./limits.ts";
import { networkOf } from "./network.ts";
import { tokensOffered } from "./subprotocols.ts";
import { type Claims, feedAccounts, hasScope, type Keys, readToken, type TokenRules } from "./token.ts";

/** Lets customers in, each as themselves, and no more often than the limit. */
export function customerOnly(): MiddlewareHandler<AppEnv> {
  const handler: MiddlewareHandler<AppEnv> = async (c, next) => {
    const claims = await authenticate(c, "customer");
    c.set("customerId", claims.sub);
    c.set("tokenExpires", claims.exp);
    await rateLimit(c, c.env.CUSTOMER_LIMITER, claims.sub);
    await next();
  };
  return annotate(handler, {
    token: "customer",
    failures: ["Unauthenticated", "Forbidden", "TooManyRequests", "Unavailable"],
  });
}

/** Finds the tokens that a WebSocket's subprotocols carry; no other route takes a token from there. */
export function subprotocolTokens(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.set("subprotocolTokens", tokensOffered(c.req.header("Sec-WebSocket-Protocol")));
    await next();
  };
}

/** Lets systems of record in, each for the accounts that its token names. */
export function feedOnly(): MiddlewareHandler<AppEnv> {
  const handler: MiddlewareHandler<AppEnv> = async (c, next) => {
    const claims = await authenticate(c, "feed");
    const accounts = feedAccounts(claims);
    if (accounts === null) throw wrongToken('A feed token names its accounts: "accounts": ["165"] or "*".');
    c.set("feedToken", { accounts });
    await next();
  };
  return annotate(handler, {
    token: "feed",
    failures: ["Unauthenticated", "ForeignLines", "TooManyRequests", "Unavailable"],
  });
}

/** Lets an address in no more often than the limit: for what needs no token. */
export function addressLimited(): MiddlewareHandler<AppEnv> {
  const handler: MiddlewareHandler<AppEnv> = async (c, next) => {
    await rateLimitAddress(c);
    await next();
  };
  return annotate(handler, { failures: ["TooManyRequests"] });
}

/** The claims of the request's token, which must be good and have the scope. */
async function authenticate(c: Context<AppEnv>, scope: "customer" | "feed"): Promise<Claims> {
  const reading = await readToken(tokenOf(c), tokenRules(c), Date.now() / 1000);
  if (reading.kind === "good") {
    if (!hasScope(reading.claims, scope)) throw wrongToken(`This needs a token with the scope ${scope}.`);
    return reading.claims;
  }
  await rateLimitAddress(c);
  if (reading.kind === "no keys") throw new NotLetIn({ reason: "no keys" });
  const hint = isDevelopment(c.env) ? " Get one: npm run token -- customer ID" : "";
  throw new NotLetIn({ reason: "no good token", hint });
}

function wrongToken(needed: string): NotLetIn {
  return new NotLetIn({ reason: "wrong token", needed });
}

/** The request's one token; where two came, none of them counts. */
function tokenOf(c: Context<AppEnv>): string {
  const authorization = c.req.header("Authorization");
  const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "";
  const tokens = [...(authorization === undefined ? [] : [bearer]), ...(c.var.subprotocolTokens ?? [])];
  return tokens.length === 1 ? (tokens[0] ?? "") : "";
}

function rateLimitAddress(c: Context<AppEnv>): Promise<void> {
  return rateLimit(c, c.env.ADDRESS_LIMITER, networkOf(c.req.header("CF-Connecting-IP") ?? "unknown"));
}

// One set of keys an address and isolate: everything in it is public.
const keySets = new Map<string, KeySet>();

function tokenRules(c: Context<AppEnv>): TokenRules {
  const { JWT_SECRET = "", JWKS_URL = "", JWT_ISSUER = "", JWT_AUDIENCE = "" }: Partial<Env> = c.env;
  return { secret: JWT_SECRET, keys: keysAt(JWKS_URL, c), issuer: JWT_ISSUER, audience: JWT_AUDIENCE };
}

function keysAt(url: string, c: Context<AppEnv>): Keys | null {
  if (url === "") return null;
  const keySet = keySets.get(url) ?? new KeySet(url);
  keySets.set(url, keySet);
  return { find: (algorithm, kid) => keySet.find(algorithm, kid, (work) => c.executionCtx.waitUntil(work)) };
}

async function rateLimit(c: Context<AppEnv>, limiter: RateLimit, key: string): Promise<void> {
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
