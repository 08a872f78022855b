/** The algorithms of a JWKS, as Web Crypto names them. */
export const KEY_ALGORITHMS = {
  RS256: { name: "RSASSA-PKCS1-v1_5", publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" },
  ES256: { name: "ECDSA", namedCurve: "P-256" },
  EdDSA: { name: "Ed25519" },
} as const;

/** A new pair of keys. An identity provider would serve `publicJwk`. */
export async function keyPair(alg: keyof typeof KEY_ALGORITHMS, kid: string, modulusLength = 2_048) {
  const algorithm = { ...KEY_ALGORITHMS[alg], modulusLength };
  const pair = (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const jwk = async (key: CryptoKey) => (await crypto.subtle.exportKey("jwk", key)) as JsonWebKey;
  const { key_ops, ext, ...publicJwk } = await jwk(pair.publicKey);
  return {
    alg,
    ...pair,
    secret: { ...(await jwk(pair.privateKey)), kid, alg },
    publicJwk: { ...publicJwk, kid },
  };
}
