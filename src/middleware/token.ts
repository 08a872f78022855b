import type { Context, MiddlewareHandler } from "hono";
import { type AppEnv, isDevelopment } from "../app-env.ts";
import { type Fetcher, KeySet } from "../auth/key-set.ts";
import { accountsOf, type Claims, type Keys, readToken, type Scope, storesOf, type TokenFault } from "../auth/token.ts";
import { forbidden, unauthenticated, unavailable } from "../http/errors.ts";
import { itemsOfList } from "../values/parameter.ts";
import { notDuringRestore } from "./acts.ts";
import { rateLimit, rateLimitAddress } from "./rate-limit.ts";

export const customerOnly: MiddlewareHandler<AppEnv> = async (c, next) => {
  const claims = await authenticate(c, "customer");
  c.set("customerId", claims.subject);
  c.set("tokenExpires", claims.expires);
  c.set("tokenNames", claims.names);
  // The kind is part of the key, because a machine's token may have a customer's id as its name.
  await rateLimit(c, c.env.CUSTOMER_LIMITER, `customer ${claims.subject}`);
  await next();
};

export const exportOnly: MiddlewareHandler<AppEnv> = async (c, next) => {
  const claims = await authenticate(c, "export");
  if (accountsOf(claims) !== "*") throw forbidden('An export token is for all accounts: "accounts": "*".');
  await next();
};

/** For the changes: the token may be for some accounts. */
export const changesOnly: MiddlewareHandler<AppEnv> = async (c, next) => {
  const claims = await authenticate(c, "export");
  const accounts = accountsOf(claims);
  if (accounts === null) throw forbidden(`An export token ${namesAccounts(claims)}`);
  c.set("exportAccounts", accounts);
  await next();
};

export const tillOnly: MiddlewareHandler<AppEnv> = async (c, next) => {
  const claims = await authenticate(c, "till");
  const { subject } = claims;
  const [accounts, stores] = [accountsOf(claims), storesOf(claims)];
  if (accounts === null) throw forbidden(`A till's token ${namesAccounts(claims)}`);
  if (stores === null) throw forbidden('The stores of a till\'s token are a list: "stores": ["s1"].');
  c.set("till", { subject, accounts, stores });
  await rateLimit(c, c.env.TILL_LIMITER, subject);
  await next();
};

export const feedOnly: MiddlewareHandler<AppEnv> = async (c, next) => {
  const claims = await authenticate(c, "feed");
  const accounts = accountsOf(claims);
  if (accounts === null) throw forbidden(`A feed token ${namesAccounts(claims)}`);
  const restores = claims.scopes.includes("restore");
  if (restores && accounts !== "*") throw forbidden('A restore token covers all accounts: "accounts": "*".');
  c.set("feedToken", { subject: claims.subject, accounts, restores });
  await (restores ? next() : notDuringRestore(c, next));
};

/** What a machine's token must say of its accounts, and what it says instead. */
function namesAccounts({ accounts }: Claims): string {
  const number = Array.isArray(accounts) ? accounts.find((account) => typeof account === "number") : undefined;
  const instead = number === undefined ? "" : ` Its account ${number} is a number: write "${number}".`;
  return `names its accounts: "accounts": ["165"] or "*".${instead}`;
}

/** @throws 401, 403, 429 or 503 if the token is bad or lacks the scope, or if the keys cannot be fetched. */
async function authenticate(c: Context<AppEnv>, scope: Scope): Promise<Claims> {
  const reading = await readToken(tokenOf(c), { ...c.env, keys: keysOf(c) }, Date.now() / 1000);
  if (reading.outcome === "good" && reading.claims.scopes.includes(scope)) return reading.claims;
  await rateLimitAddress(c);
  if (reading.outcome === "good") throw forbidden(`This needs a token with the scope ${scope}.`);
  if (reading.outcome === "no keys") throw unavailable("Tokens cannot be checked. Try again in a moment.");
  c.set("tokenFault", reading.fault);
  throw unauthenticated(isDevelopment(c.env) ? hint(scope, reading.fault) : "");
}

/** What a developer is told: why the token was refused, and how to get another. A deployment tells nobody. */
function hint(scope: Scope, fault: TokenFault): string {
  const reason = fault === "exp" ? "exp, which is in seconds, not milliseconds" : fault;
  return ` The token was refused: ${reason} (docs/tokens.md). Get one: npm run token -- ${TOKEN_COMMANDS[scope]}`;
}

/** How `npm run token` is called for a token of a scope. */
const TOKEN_COMMANDS: Readonly<Record<Scope, string>> = {
  customer: "customer ID",
  till: "till --name NAME",
  feed: "feed '*' --name NAME",
  restore: "restore --name NAME",
  export: "export --name NAME",
};

/** A browser cannot set headers on a WebSocket, so this path alone also accepts a token as a subprotocol. */
export const LIVE_PATH = "/api/v1/customer/live";

/** The subprotocol of the service's WebSocket. A browser offers a second one: `bearer.` and the token. */
export const SUBPROTOCOL = "loyalty-edge";
export const TOKEN_PREFIX = "bearer.";

export function offeredSubprotocols({ req }: Context): string[] {
  return itemsOfList(req.header("Sec-WebSocket-Protocol") ?? "");
}

/** The request's token; empty if there is none, or more than one. */
function tokenOf(c: Context<AppEnv>): string {
  const subprotocols = c.req.path === LIVE_PATH ? offeredSubprotocols(c) : [];
  const tokens = subprotocols
    .filter((subprotocol) => subprotocol.startsWith(TOKEN_PREFIX))
    .map((subprotocol) => subprotocol.slice(TOKEN_PREFIX.length));
  const authorization = c.req.header("Authorization");
  if (authorization !== undefined) tokens.push(/^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "");
  return tokens.length === 1 ? (tokens[0] ?? "") : "";
}

// Shared by all requests of the isolate. It holds only public keys.
let keySet: KeySet | null = null;

function keysOf(c: Context<AppEnv>): Keys | null {
  const { JWKS, JWKS_URL, JWKS_SERVICE }: Partial<Env> & { JWKS_SERVICE?: Fetcher } = c.env;
  const source = JWKS || JWKS_URL || "";
  if (source === "") return null;
  if (keySet?.source !== source) keySet = new KeySet(source, JWKS_SERVICE);
  const keys = keySet;
  return { find: (algorithm, kid) => keys.find(algorithm, kid, (work) => c.executionCtx.waitUntil(work)) };
}
