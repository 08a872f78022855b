import { verify } from "hono/jwt";
import { codePoints } from "../values/text.ts";

/** What a token may say of who calls (decisions.md, section 2); everything in it is checked before it is believed. */
export interface Claims {
  sub: string;
  scope?: unknown;
  accounts?: unknown;
}

export interface FeedToken {
  /** The accounts whose records the token may write. */
  accounts: readonly string[] | "*";
}

/** What a token is held against. An empty secret, issuer or audience switches its check off. */
export interface TokenRules {
  secret: string;
  issuer: string;
  audience: string;
}

const LEEWAY_SECONDS = 5;
const LONGEST_SUBJECT = 64;

/**
 * The claims of a token that is good at `now` (seconds since 1970), or null: nothing tells one cause from another.
 * The algorithm is pinned to HS256, so that a token cannot choose how it is checked.
 */
export async function readToken(token: string, rules: TokenRules, now: number): Promise<Claims | null> {
  if (rules.secret === "") return null;
  const claims = await verifiedPayload(token, rules.secret);
  return claims !== null && isCurrent(claims, now) && isMeantForUs(claims, rules) && hasSubject(claims) ? claims : null;
}

/** Whether the scope, a space-separated list as in OAuth, holds the word. */
export function hasScope({ scope }: Claims, word: string): boolean {
  return typeof scope === "string" && scope.split(" ").includes(word);
}

/** The accounts that a feed token names, or null where it names none. */
export function feedAccounts({ accounts }: Claims): FeedToken["accounts"] | null {
  if (accounts === "*") return accounts;
  const isList = Array.isArray(accounts) && accounts.every((account) => typeof account === "string");
  return isList ? accounts : null;
}

// Any failure of the library, whatever it says, is a token that is not good.
async function verifiedPayload(token: string, secret: string): Promise<Record<string, unknown> | null> {
  try {
    return await verify(token, secret, { alg: "HS256", exp: false, nbf: false, iat: false });
  } catch {
    return null;
  }
}

function isCurrent({ exp, nbf }: Record<string, unknown>, now: number): boolean {
  if (typeof exp !== "number" || !(exp + LEEWAY_SECONDS > now)) return false;
  return nbf === undefined || (typeof nbf === "number" && nbf - LEEWAY_SECONDS <= now);
}

function isMeantForUs({ iss, aud }: Record<string, unknown>, { issuer, audience }: TokenRules): boolean {
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
  return (issuer === "" || iss === issuer) && (audience === "" || audiences.includes(audience));
}

function hasSubject(claims: Record<string, unknown>): claims is Record<string, unknown> & Claims {
  const { sub } = claims;
  return typeof sub === "string" && sub !== "" && codePoints(sub) <= LONGEST_SUBJECT;
}
