import { decode, verify } from "hono/utils/jwt/jwt";
import { keyOfSecret } from "../values/hmac.ts";
import { itemsOfList } from "../values/parameter.ts";
import { codePoints, isStorable } from "../values/text.ts";

/** The claims of a valid token (docs/contract/interface.md, 2). */
export interface Claims {
  /** The customer's id, or the name of the calling system. */
  subject: string;
  /** When the token expires, in seconds since 1970. */
  expires: number;
  scopes: readonly Scope[];
  accounts: unknown;
  stores: unknown;
  /** The values by which REVOKED_TOKENS may list the token. */
  names: readonly string[];
}

/** A public key of a JSON Web Key Set (RFC 7517). */
export type PublicKey = JsonWebKey & { kid?: string };

export const ASYMMETRIC_ALGORITHMS = ["RS256", "ES256", "EdDSA"] as const;
export type AsymmetricAlgorithm = (typeof ASYMMETRIC_ALGORITHMS)[number];

/** A source of public keys. `find` resolves with the keys that may have signed a token, or null if there is no usable set. */
export interface Keys {
  find(algorithm: AsymmetricAlgorithm, kid: string | undefined): Promise<PublicKey[] | null>;
}

/** The operator's variables that tokens are checked against (docs/tokens.md), and the public keys. */
export interface TokenRules extends Partial<Env> {
  JWT_SECRET_PREVIOUS?: string;
  FEED_JWT_SECRET_PREVIOUS?: string;
  keys: Keys | null;
}

/**
 * Why a token is bad; docs/tokens.md has the cure of each. The log names it, so an operator can tell a wrong clock from a
 * wrong key; the answer of a deployment never does.
 */
export const TOKEN_FAULTS = [
  "missing",
  "too_long",
  "malformed",
  "algorithm",
  "no_key",
  "signature",
  "exp",
  "expired",
  "not_yet_valid",
  "issuer",
  "audience",
  "secret",
  "subject",
  "revoked",
] as const;
export type TokenFault = (typeof TOKEN_FAULTS)[number];

type TokenReading =
  | { outcome: "good"; claims: Claims }
  | { outcome: "bad"; fault: TokenFault }
  | { outcome: "no keys" };

const bad = (fault: TokenFault) => ({ outcome: "bad" as const, fault });
/** The clock of the issuer may differ from the Worker's by this much. */
export const LEEWAY_SECONDS = 5;
// An issuer that takes `exp` for milliseconds makes tokens that never end, and Durable Objects take no alarm after 2189.
const FIRST_SECOND_OF_2190 = Date.UTC(2190, 0) / 1_000;
const LONGEST_NAME = 64;
const LONGEST_TOKEN = 8_192;
// The accepted values of `typ`, which may be absent. "at+jwt" is an OAuth access token (RFC 9068).
const TOKEN_TYPES = ["JWT", "at+jwt"];
const CUSTOMER = "customer";
/** The scopes of machines' tokens. They are read from the claim `scope` only, never from JWT_SCOPE_CLAIM. */
const MACHINE_SCOPES = ["feed", "restore", "export", "till"] as const;
export type Scope = typeof CUSTOMER | (typeof MACHINE_SCOPES)[number];

/** Verifies a token. `now` is in seconds since 1970. */
export async function readToken(token: string, rules: TokenRules, now: number): Promise<TokenReading> {
  if (token === "") return bad("missing");
  if (token.length > LONGEST_TOKEN) return bad("too_long");
  const header = headerOf(token);
  if (header === null) return bad("malformed");
  const found = await findSigners(header, rules);
  if (found.outcome !== "signers") return found;
  for (const signer of found.signers) {
    const payload = await verifiedPayload(token, signer, header.typ);
    if (payload !== null) return readPayload(payload, signer, rules, now);
  }
  return bad("signature");
}

/** The accounts in a machine's token; null if it names none. */
export function accountsOf({ accounts }: Claims): readonly string[] | "*" | null {
  return accounts === "*" ? accounts : listOfTexts(accounts);
}

/** The stores at which a till may stand; `"*"`: at all stores of its accounts; null: the token names none. */
export function storesOf({ stores }: Claims): readonly string[] | "*" | null {
  if (stores === undefined) return "*";
  const list = listOfTexts(stores);
  return list?.length === 0 ? null : list;
}

function listOfTexts(claim: unknown): readonly string[] | null {
  return Array.isArray(claim) && claim.every((item) => typeof item === "string") ? claim : null;
}

/** Whether REVOKED_TOKENS lists a token that has these names. */
export function isRevoked(names: readonly string[], { REVOKED_TOKENS = "" }: Partial<Env>): boolean {
  return itemsOfList(REVOKED_TOKENS).some((name) => names.includes(name));
}

interface Signer {
  key: string | PublicKey;
  algorithm: "HS256" | AsymmetricAlgorithm;
  /** Whose tokens it verifies. */
  kind: "customer" | "machine";
}

type Header = Readonly<Record<string, unknown>>;

function headerOf(token: string): Header | null {
  try {
    return { ...decode(token).header };
  } catch {
    return null;
  }
}

// Only the secrets verify HS256, and a public key only its own algorithm. So a token cannot use a public key as a secret.
async function findSigners(
  { alg, kid }: Header,
  rules: TokenRules,
): Promise<{ outcome: "signers"; signers: Signer[] } | Exclude<TokenReading, { outcome: "good" }>> {
  const secrets = alg === "HS256" ? secretsOf(rules) : [];
  if (secrets.length > 0) return { outcome: "signers", signers: secrets };
  const algorithm = ASYMMETRIC_ALGORITHMS.find((known) => known === alg);
  if (algorithm === undefined || rules.keys === null) return bad("algorithm");
  if (kid !== undefined && typeof kid !== "string") return bad("no_key");
  const publicKeys = await rules.keys.find(algorithm, kid);
  if (publicKeys === null) return { outcome: "no keys" };
  if (publicKeys.length === 0) return bad("no_key");
  return { outcome: "signers", signers: publicKeys.map((key) => ({ key, algorithm, kind: "customer" })) };
}

// The customers' secret comes first: if the operator has set the same one for both kinds, it must not feed.
function secretsOf(rules: TokenRules): Signer[] {
  const secrets = [
    ["customer", rules.JWT_SECRET],
    ["customer", rules.JWT_SECRET && rules.JWT_SECRET_PREVIOUS],
    ["machine", rules.FEED_JWT_SECRET],
    ["machine", rules.FEED_JWT_SECRET && rules.FEED_JWT_SECRET_PREVIOUS],
  ] as const;
  return secrets.flatMap(([kind, key]) => (key ? [{ kind, key, algorithm: "HS256" as const }] : []));
}

// Any error of the library means that the signature is bad.
async function verifiedPayload(token: string, { key, algorithm: alg }: Signer, typ: unknown) {
  const checks = { exp: false, nbf: false, iat: false, ...(typ !== undefined && { typ: TOKEN_TYPES }) };
  try {
    const imported = typeof key === "string" ? await keyOfSecret(key) : key;
    const payload: Record<string, unknown> = await verify(token, imported, { alg, ...checks });
    return payload;
  } catch {
    return null;
  }
}

function readPayload(payload: Record<string, unknown>, { kind }: Signer, rules: TokenRules, now: number): TokenReading {
  const { exp, nbf, iss, aud, accounts, stores, sub, jti } = payload;
  if (typeof exp !== "number" || exp >= FIRST_SECOND_OF_2190) return bad("exp");
  if (exp + LEEWAY_SECONDS <= now) return bad("expired");
  const isValidYet = nbf === undefined || (typeof nbf === "number" && nbf - LEEWAY_SECONDS <= now);
  if (!isValidYet) return bad("not_yet_valid");
  if (rules.JWT_ISSUER && iss !== rules.JWT_ISSUER) return bad("issuer");
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
  if (rules.JWT_AUDIENCE && !audiences.includes(rules.JWT_AUDIENCE)) return bad("audience");
  const claimedScopes = scopesOf(payload, rules);
  const scopes = claimedScopes.filter((scope) => (scope === CUSTOMER) === (kind === "customer"));
  if (scopes.length === 0 && claimedScopes.length > 0) return bad("secret");
  const subject = payload[(scopes.includes(CUSTOMER) && rules.JWT_SUBJECT_CLAIM) || "sub"];
  if (!isName(subject)) return bad("subject");
  const names = [subject, sub, jti].filter(isName);
  if (isRevoked(names, rules)) return bad("revoked");
  return { outcome: "good", claims: { subject, expires: exp, scopes, accounts, stores, names } };
}

/**
 * The scopes that a token claims. JWT_SCOPE_CLAIM can only make a token a customer's. A token with a machine's scope is not
 * a customer's just because it lacks that claim.
 */
function scopesOf(payload: Record<string, unknown>, rules: TokenRules): readonly Scope[] {
  const words = wordsOf(payload.scope);
  const machineScopes = MACHINE_SCOPES.filter((scope) => words.includes(scope));
  const claim = payload[rules.JWT_SCOPE_CLAIM || "scope"];
  const isCustomer =
    claim === undefined
      ? rules.JWT_CUSTOMERS_WITHOUT_SCOPE === "true" && machineScopes.length === 0
      : wordsOf(claim).includes(CUSTOMER);
  return isCustomer ? [...machineScopes, CUSTOMER] : machineScopes;
}

/** The words of a claim: a list, or a text with spaces between the words, as in OAuth. */
function wordsOf(claim: unknown): string[] {
  if (Array.isArray(claim)) return claim.filter((word) => typeof word === "string");
  return typeof claim === "string" ? claim.split(" ") : [];
}

// The database would replace half of a surrogate pair by another character, which could be another customer's id.
function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && codePoints(value) <= LONGEST_NAME && isStorable(value);
}
