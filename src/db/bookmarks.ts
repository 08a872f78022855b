import { decodeBase64Url, encodeBase64Url } from "hono/utils/encode";
import type { Consistency } from "./database.ts";

/**
 * What bookmarks are signed with. Those of another environment or program, whose database is another, or of before the
 * secret was changed, do not count. An empty secret signs nothing.
 */
export interface BookmarkRules {
  secret: string;
  environment: string;
  program: string;
}

const SIGNED = /^([!-~]{1,200})\.([\w-]{43})$/;

/**
 * D1's bookmark as a client gets it: signed, because D1 waits for whatever bookmark it is given, and one that is made up
 * may lie far in the future.
 */
export async function signBookmark(bookmark: string, rules: BookmarkRules): Promise<string> {
  if (rules.secret === "") return bookmark;
  const signature = await crypto.subtle.sign("HMAC", await keyOf(rules), bytesOf(bookmark));
  return `${bookmark}.${encodeBase64Url(signature).replace("=", "")}`;
}

/**
 * Where a session begins for a client that sends back what it was given: at that bookmark. Anything else counts as no
 * bookmark. Without a secret nothing can be told from what is made up, so D1 gets none: the primary is behind no bookmark.
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

// Deriving a key costs more than using it. The keys and not their promises, which would belong to one request.
const keys = new Map<string, CryptoKey>();

/** A key of its own, so that no signature of a bookmark can pass for that of a token. */
async function keyOf({ secret, environment, program }: BookmarkRules): Promise<CryptoKey> {
  const name = JSON.stringify([environment, program, secret]);
  const known = keys.get(name);
  if (known !== undefined) return known;
  const base = await crypto.subtle.importKey("raw", bytesOf(secret), "HKDF", false, ["deriveKey"]);
  const derivation = {
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(),
    info: bytesOf(`bookmark ${JSON.stringify([environment, program])}`),
  };
  const algorithm = { name: "HMAC", hash: "SHA-256", length: 256 };
  const key = await crypto.subtle.deriveKey(derivation, base, algorithm, false, ["sign", "verify"]);
  keys.set(name, key);
  return key;
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
