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
  const signature = await crypto.subtle.sign("HMAC", await keyOf(rules), signedText(bookmark, rules));
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
  const text = signedText(bookmark, rules);
  const isGood = await crypto.subtle.verify("HMAC", await keyOf(rules), decodeBase64Url(signature), text);
  return isGood ? bookmark : "first-unconstrained";
}

/** Tokens are signed with the same secret, but a text with a space is never signed for one. */
function signedText(bookmark: string, { environment }: BookmarkRules): Uint8Array {
  return bytesOf(`bookmark ${JSON.stringify(environment)} ${bookmark}`);
}

function keyOf({ secret }: BookmarkRules): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytesOf(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
