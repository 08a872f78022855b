import { decodeBase64Url, encodeBase64Url } from "hono/utils/encode";
import type { Consistency } from "./database.ts";

/**
 * What bookmarks are signed with, so that those of another database (of another environment) or of an earlier
 * secret do not count. With an empty secret nothing is signed.
 */
export interface BookmarkRules {
  secret: string;
  environment: string;
}

const SIGNED = /^([!-~]{1,200})\.([\w-]{43})$/;

/** Signed, because D1 waits for whatever bookmark it is given: a client could make one up that lies far in the future. */
export async function signBookmark(bookmark: string, rules: BookmarkRules): Promise<string> {
  if (rules.secret === "") return bookmark;
  const signature = await crypto.subtle.sign("HMAC", await keyOf(rules), bytesOf(bookmark));
  return `${bookmark}.${encodeBase64Url(signature).replace("=", "")}`;
}

/**
 * Where the session of a client begins that sends a bookmark back: there, if the signature is right, else anywhere.
 * Without a secret no bookmark can be trusted, so the session begins at the primary, which has everything.
 */
export async function verifyBookmark(given: string, rules: BookmarkRules): Promise<Consistency> {
  if (given === "") return "first-unconstrained";
  if (rules.secret === "") return "first-primary";
  const [, bookmark = "", signature = ""] = SIGNED.exec(given) ?? [];
  if (bookmark === "") return "first-unconstrained";
  const key = await keyOf(rules);
  const isGood = await crypto.subtle.verify("HMAC", key, decodeBase64Url(signature), bytesOf(bookmark));
  return isGood ? bookmark : "first-unconstrained";
}

// Deriving a key costs more than using it. Promises are not cached: they belong to the request that made them.
const keys = new Map<string, CryptoKey>();

/** Derived for bookmarks alone, so that the signature of one can never pass for that of a token. */
async function keyOf({ secret, environment }: BookmarkRules): Promise<CryptoKey> {
  const name = JSON.stringify([environment, secret]);
  const known = keys.get(name);
  if (known !== undefined) return known;
  const base = await crypto.subtle.importKey("raw", bytesOf(secret), "HKDF", false, ["deriveKey"]);
  const derivation = {
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(),
    info: bytesOf(`bookmark ${environment}`),
  };
  const algorithm = { name: "HMAC", hash: "SHA-256", length: 256 };
  const key = await crypto.subtle.deriveKey(derivation, base, algorithm, false, ["sign", "verify"]);
  keys.set(name, key);
  return key;
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
