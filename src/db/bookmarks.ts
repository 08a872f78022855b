import { decodeBase64Url, encodeBase64Url } from "hono/utils/encode";
import { keyOfSecret } from "../values/hmac.ts";
import { encodeUtf8 } from "../values/json.ts";
import type { Consistency } from "./database.ts";

/** The variables that signing needs. */
export type BookmarkSettings = Partial<Pick<Env, "FEED_JWT_SECRET" | "ENVIRONMENT">> & {
  FEED_JWT_SECRET_PREVIOUS?: string;
};

const SIGNED_BOOKMARK = /^([!-~]{1,200})\.([\w-]{43})$/;
/** A bookmark of D1, signed or not. */
const FORM_OF_D1 = /^[0-9a-f]{8}(-[0-9a-f]{8}){2}-[0-9a-f]{32}(\.|$)/;

/** Signs a bookmark, so that no client can invent one. D1 would wait for an invented bookmark far in the future. */
export async function signBookmark(bookmark: string, env: BookmarkSettings): Promise<string> {
  if (!env.FEED_JWT_SECRET) return bookmark;
  const text = signedText(bookmark, env);
  if (lastSigned.text === text && lastSigned.secret === env.FEED_JWT_SECRET) return lastSigned.signed;
  const signature = await crypto.subtle.sign("HMAC", await keyOfSecret(env.FEED_JWT_SECRET), encodeUtf8(text));
  const signed = `${bookmark}.${encodeBase64Url(signature).replace("=", "")}`;
  lastSigned = { text, secret: env.FEED_JWT_SECRET, signed };
  return signed;
}

/** Signing takes time, and until the next commit all answers have one bookmark, some of them twice. */
let lastSigned = { text: "", secret: "", signed: "" };

/**
 * Where the session of a client begins: at the bookmark that the client sends back if the current or the previous secret has
 * signed it. Another bookmark of D1's form may be a true one, so the session begins at the primary; any other text counts as
 * none.
 */
export async function verifyBookmark(signed: string, env: BookmarkSettings): Promise<Consistency> {
  const [, bookmark = "", signature = ""] = SIGNED_BOOKMARK.exec(signed) ?? [];
  for (const secret of [env.FEED_JWT_SECRET, env.FEED_JWT_SECRET_PREVIOUS]) {
    if (!secret || bookmark === "") continue;
    const text = encodeUtf8(signedText(bookmark, env));
    if (await crypto.subtle.verify("HMAC", await keyOfSecret(secret), decodeBase64Url(signature), text))
      return bookmark;
  }
  return FORM_OF_D1.test(signed) ? "first-primary" : "first-unconstrained";
}

/**
 * The text to sign. It has the name of the environment, because each environment has its own database. It has spaces, so that
 * no signature of a token fits it: machines' tokens are signed with the same secret.
 */
function signedText(bookmark: string, { ENVIRONMENT = "" }: BookmarkSettings): string {
  return `bookmark ${JSON.stringify(ENVIRONMENT)} ${bookmark}`;
}
