import { encodeUtf8 } from "./json.ts";

/** The keys of the operator's secrets. To import a key takes longer than to sign with it. */
const keys = new Map<string, CryptoKey>();

/** The key with which a secret signs and verifies by HMAC with SHA-256. */
export async function keyOfSecret(secret: string): Promise<CryptoKey> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const importKey = () => crypto.subtle.importKey("raw", encodeUtf8(secret), algorithm, false, ["sign", "verify"]);
  const key = keys.get(secret) ?? (await importKey());
  keys.set(secret, key);
  return key;
}
