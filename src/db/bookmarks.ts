import { decodeBase64Url, encodeBase64Url } from "hono/utils/encode";
import { encodeUtf8 } from "../values/json.ts";
import type { Consistency } from "./database.ts";

type Settings = Partial<Pick<Env, "JWT_SECRET" | "ENVIRONMENT">>;

const SIGNED_BOOKMARK = /^([!-~]{1,200})\.([\w-]{43})$/;

/** Signs a bookmark, so that no client can invent one. D1 would wait for an invented bookmark far in the future. */
export async function signBookmark(bookmark: string, env: Settings): Promise<string> {
  if (!env.JWT_SECRET) return bookmark;
  const signature = await crypto.subtle.sign("HMAC", await keyOf(env), signedText(bookmark, env));
  return `${bookmark}.${encodeBase64Url(signature).replace("=", "")}`;
}

/**
 * Where the session of a client begins: at the bookmark that the client sends back if its signature is right, otherwise
 * at any replica. Without a secret, no bookmark can be trusted, so the session begins at the primary.
 */
export async function verifyBookmark(signed: string, env: Settings): Promise<Consistency> {
  if (signed === "") return "first-unconstrained";
  if (!env.JWT_SECRET) return "first-primary";
  const [, bookmark = "", signature = ""] = SIGNED_BOOKMARK.exec(signed) ?? [];
  if (bookmark === "") return "first-unconstrained";
  const text = signedText(bookmark, env);
  const isValid = await crypto.subtle.verify("HMAC", await keyOf(env), decodeBase64Url(signature), text);
  return isValid ? bookmark : "first-unconstrained";
}

/**
 * The text to sign. It has the name of the environment, because each environment has its own database. It has spaces, so that
 * no signature of a token fits it: tokens are signed with the same secret.
 */
function signedText(bookmark: string, { ENVIRONMENT = "" }: Settings): Uint8Array {
  return encodeUtf8(`bookmark ${JSON.stringify(ENVIRONMENT)} ${bookmark}`);
}

function keyOf({ JWT_SECRET = "" }: Settings): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", encodeUtf8(JWT_SECRET), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);
}
