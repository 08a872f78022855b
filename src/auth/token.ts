import { decode, verify } from "hono/utils/jwt/jwt";
import { codePoints, isStorable } from "../values/text.ts";

/** What a good token says (docs/contract/interface.md, 2). */
export interface Claims {
  /** The customer's id, or the name of the client that feeds or exports. */
  subject: string;
  /** When the token expires, in seconds since 1970. */
  expires: number;
  scopes: readonly string[];
  accounts: unknown;
}

export interface FeedToken {
  /** The accounts whose records the token may write. */
  accounts: readonly string[] | "*";
  /** Whether it feeds what an export has given (docs/contract/restore.md). */
  restores: boolean;
}

/** A public key of a JSON Web Key Set (RFC 7517). */
export type PublicKey = JsonWebKey & { kid?: string };

export type AsymmetricAlgorithm = "RS256" | "ES256" | "EdDSA";

/** Where keys come from: the keys that may have signed a token, or null where there are none at all. */
export interface Keys {
  find(algorithm: AsymmetricAlgorithm, kid: string | undefined): Promise<PublicKey[] | null>;
}

/** What a token is held against, as an operator sets it or leaves it out (docs/tokens.md). */
export type TokenRules = Partial<Env> & { JWT_SECRET_PREVIOUS?: string; keys: Keys | null };

/** What is wrong with a token: for the log, which must tell a wrong clock from a wrong key. The answer never says it. */
export type TokenFault =
  | "missing"
  | "too_long"
  | "malformed"
  | "algorithm"
  | "no_key"
  | "signature"
  | "expired"
  | "not_yet_valid"
  | "issuer"
  | "audience"
  | "subject";

export type TokenReading = { kind: "good"; claims: Claims } | { kind: "bad"; fault: TokenFault } | { kind: "no keys" };

const bad = (fault: TokenFault): TokenReading => ({ kind: "bad", fault });
/** Clocks differ. */
export const LEEWAY_SECONDS = 5;
const LONGEST_SUBJECT = 64;
const LONGEST_TOKEN = 8_192;
// What a token may say that it is, if it says so: the second is an OAuth access token (RFC 9068).
const TOKEN_TYPES = ["JWT", "at+jwt"];
const CUSTOMER = "customer";
/** The scopes that only the claim `scope` gives. */
const SERVICE_SCOPES = ["feed", "restore", "export", "lookup"];

/** Reads a token at `now`, in seconds since 1970. */
export async function readToken(token: string, rules: TokenRules, now: number): Promise<TokenReading> {
  if (token === "") return bad("missing");
  if (token.length > LONGEST_TOKEN) return bad("too_long");
  const header = headerOf(token);
  if (header === null) return bad("malformed");
  const signers = await signersOf(header, rules);
  if (signers === null) return { kind: "no keys" };
  if (typeof signers === "string") return bad(signers);
  for (const { key, algorithm } of signers) {
    const payload = await verifiedPayload(token, key, algorithm, header.typ);
    if (payload !== null) return readPayload(payload, rules, now);
  }
  return bad("signature");
}

/** The accounts that a feed token names, or null where it names none. */
export function feedAccounts({ accounts }: Claims): FeedToken["accounts"] | null {
  if (accounts === "*") return accounts;
  const isList = Array.isArray(accounts) && accounts.every((account) => typeof account === "string");
  return isList ? accounts : null;
}

interface Signer {
  key: string | PublicKey;
  algorithm: "HS256" | AsymmetricAlgorithm;
}

type Header = Readonly<Record<string, unknown>>;

function headerOf(token: string): Header | null {
  try {
    return { ...decode(token).header };
  } catch {
    return null;
  }
}

// The algorithm decides which keys are looked at, and each key stands for one algorithm: a public key is never taken
// for a secret, whatever the token says.
async function signersOf(
  { alg, kid }: Header,
  { JWT_SECRET: secret, JWT_SECRET_PREVIOUS: previous, keys }: TokenRules,
): Promise<Signer[] | "algorithm" | "no_key" | null> {
  if (alg === "HS256" && secret)
    return [secret, ...(previous ? [previous] : [])].map((key) => ({ key, algorithm: alg }));
  if ((alg !== "RS256" && alg !== "ES256" && alg !== "EdDSA") || keys === null) return "algorithm";
  if (kid !== undefined && typeof kid !== "string") return "no_key";
  const found = await keys.find(alg, kid);
  if (found === null) return null;
  return found.length === 0 ? "no_key" : found.map((key) => ({ key, algorithm: alg }));
}

// Any failure of the library, whatever it says, is a token that is not good.
async function verifiedPayload(token: string, key: Signer["key"], alg: Signer["algorithm"], typ: unknown) {
  const checks = { exp: false, nbf: false, iat: false, ...(typ !== undefined && { typ: TOKEN_TYPES }) };
  try {
    const payload: Record<string, unknown> = await verify(token, key, { alg, ...checks });
    return payload;
  } catch {
    return null;
  }
}

function readPayload(payload: Record<string, unknown>, rules: TokenRules, now: number): TokenReading {
  const { exp, nbf, iss, aud, accounts } = payload;
  if (typeof exp !== "number" || !(exp + LEEWAY_SECONDS > now)) return bad("expired");
  const isValidYet = nbf === undefined || (typeof nbf === "number" && nbf - LEEWAY_SECONDS <= now);
  if (!isValidYet) return bad("not_yet_valid");
  if (rules.JWT_ISSUER && iss !== rules.JWT_ISSUER) return bad("issuer");
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
  if (rules.JWT_AUDIENCE && !audiences.includes(rules.JWT_AUDIENCE)) return bad("audience");
  const scopes = scopesOf(payload, rules);
  const subject = payload[(scopes.includes(CUSTOMER) && rules.JWT_SUBJECT_CLAIM) || "sub"];
  if (!isSubject(subject)) return bad("subject");
  return { kind: "good", claims: { subject, expires: exp, scopes, accounts } };
}

/**
 * What a token may do. The claim that an operator names says only who is a customer: an issuer may let its users write
 * into it, and none of them may become a feed. A feed's token is no customer's for lacking that claim.
 */
function scopesOf(payload: Record<string, unknown>, rules: TokenRules): readonly string[] {
  const services = wordsOf(payload.scope).filter((word) => SERVICE_SCOPES.includes(word));
  const claim = payload[rules.JWT_SCOPE_CLAIM || "scope"];
  const isCustomer =
    claim === undefined
      ? rules.JWT_CUSTOMERS_WITHOUT_SCOPE === "true" && services.length === 0
      : wordsOf(claim).includes(CUSTOMER);
  return isCustomer ? [...services, CUSTOMER] : services;
}

/** The words of a claim: with blanks between them, as OAuth has it, or in a list. */
function wordsOf(claim: unknown): string[] {
  if (Array.isArray(claim)) return claim.filter((word) => typeof word === "string");
  return typeof claim === "string" ? claim.split(" ") : [];
}

// Half of a surrogate pair would reach the database as another character, and so as another customer.
function isSubject(subject: unknown): subject is string {
  return typeof subject === "string" && subject !== "" && codePoints(subject) <= LONGEST_SUBJECT && isStorable(subject);
}
