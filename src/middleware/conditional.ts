import { encodeBase64Url } from "hono/utils/encode";
import { middleware } from "../openapi/notes.ts";

const HEADERS = {
  // The customer's own device may keep it, and asks each time whether it is still so.
  "Cache-Control": "private, no-cache",
  // Two customers of one device have one address and two answers.
  Vary: "Authorization",
};

/**
 * Gives an answer that went well an `ETag`, and answers 304 without a body to whoever has that tag already
 * (docs/contract/interface.md, 6). A failure has none: hono/etag would tag each 200, and so "no items" too.
 */
export const conditional = middleware({ mayBeUnchanged: true }, async (c, next) => {
  await next();
  if (c.var.answered === undefined) return;

  const tag = await tagOf(c.var.answered);
  if (isNamed(tag, c.req.header("If-None-Match"))) c.res = new Response(null, { status: 304 });
  // Weak: Cloudflare compresses the body on its way, and drops a strong tag.
  c.res.headers.set("ETag", `W/${tag}`);
  for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
});

/** The tag of a body, by its bytes alone: it is the same in every data centre and after every deployment. */
async function tagOf(answered: Uint8Array<ArrayBuffer>): Promise<string> {
  return `"${encodeBase64Url(await crypto.subtle.digest("SHA-256", answered))}"`;
}

/** Whether `If-None-Match` names the tag: among others, weak or strong, or as `*` (RFC 9110, 13.1.2). */
function isNamed(tag: string, ifNoneMatch = ""): boolean {
  return ifNoneMatch.trim() === "*" || ifNoneMatch.match(/"[^"]*"/g)?.some((one) => one === tag) === true;
}
