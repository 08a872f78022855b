// Signs tokens. Runs in Node and in workerd. The simulation does not use it, because Node's own crypto is synchronous.

export type Claims = Record<string, unknown>;

export const SECRET_NAMES = ["JWT_SECRET", "FEED_JWT_SECRET"] as const;
export type SecretName = (typeof SECRET_NAMES)[number];

/** The secret that signs a token with this scope: customers' tokens have one of their own. */
export function secretNameOf(scope: unknown): SecretName {
  return scope === "customer" ? "JWT_SECRET" : "FEED_JWT_SECRET";
}

interface SigningKey {
  key: CryptoKey;
  algorithm: { name: string; hash?: string };
}

const HOUR_SECONDS = 3_600;
const HASHES: Record<string, string> = { HS256: "SHA-256", HS384: "SHA-384", HS512: "SHA-512" };

/** Signs claims with a secret. The token expires in an hour, or at `exp`. A claim that is `undefined` is left out. */
export async function signClaims(claims: Claims, secret: string, header: Claims = {}): Promise<string> {
  const exp = Math.floor(Date.now() / 1_000) + HOUR_SECONDS;
  const fullHeader = { alg: "HS256", typ: "JWT", ...header };
  return signParts(fullHeader, { exp, ...claims }, await hmacKey(secret, fullHeader.alg));
}

/** Signs any header and claims. Without a key the signature is empty. */
export async function signParts(header: unknown, claims: unknown, signing: SigningKey | null): Promise<string> {
  const text = `${tokenPart(header)}.${tokenPart(claims)}`;
  const signature = signing && (await crypto.subtle.sign(signing.algorithm, signing.key, bytesOf(text)));
  return `${text}.${signature === null ? "" : base64url(new Uint8Array(signature))}`;
}

/** A part of a token: the value as JSON in base64url. A text is taken as it is. */
export function tokenPart(value: unknown): string {
  return base64url(bytesOf(typeof value === "string" ? value : JSON.stringify(value)));
}

/** The signing key of a secret; null if the algorithm is not an HMAC. */
export async function hmacKey(secret: string, alg: unknown = "HS256"): Promise<SigningKey | null> {
  const hash = HASHES[String(alg)];
  if (hash === undefined) return null;
  const algorithm = { name: "HMAC", hash };
  return { algorithm, key: await crypto.subtle.importKey("raw", bytesOf(secret), algorithm, false, ["sign"]) };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}

function base64url(bytes: Uint8Array<ArrayBuffer>): string {
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
