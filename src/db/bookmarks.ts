import { decodeBase64Url, encodeBase64Url } from "hono/utils/encode";
import type { Consistency } from "./database.ts";

type Settings = Partial<Pick<Env, "JWT_SECRET" | "ENVIRONMENT">>;

const SIGNED = /^([!-~]{1,200})\.([\w-]{43})$/;

/** Signs a bookmark: D1 waits for any bookmark, so a client could invent a bookmark that is far in the future. */
export async function signBookmark(bookmark: string, env: Settings): Promise<string> {
  if (!env.JWT_SECRET) return bookmark;
  const signature = await crypto.subtle.sign("HMAC", await keyOf(env), signedText(bookmark, env));
  return `${bookmark}.${encodeBase64Url(signature).replace("=", "")}`;
}

/**
 * Where the session of a client begins: at the bookmark that the client sends back if its signature is right, otherwise
 * anywhere. Without a secret, no bookmark can be trusted, so the session begins at the primary.
 */
export async function verifyBookmark(signed: string, env: Settings): Promise<Consistency> {
  if (signed === "") return "first-unconstrained";
  if (!env.JWT_SECRET) return "first-primary";
  const [, bookmark = "", signature = ""] = SIGNED.exec(signed) ?? [];
  if (bookmark === "") return "first-unconstrained";
  const text = signedText(bookmark, env);
  const isGood = await crypto.subtle.verify("HMAC", await keyOf(env), decodeBase64Url(signature), text);
  return isGood ? bookmark : "first-unconstrained";
}

/**
 * The text has the name of the environment, because each environment has its own database. Tokens are signed with the same
 * secret, but the text of a token has no space.
 */
function signedText(bookmark: string, { ENVIRONMENT = "" }: Settings): Uint8Array {
  return bytesOf(`bookmark ${JSON.stringify(ENVIRONMENT)} ${bookmark}`);
}

function keyOf({ JWT_SECRET = "" }: Settings): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytesOf(JWT_SECRET), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
