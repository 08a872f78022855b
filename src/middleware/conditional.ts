import { encodeBase64Url } from "hono/utils/encode";
import { middleware } from "../openapi/notes.ts";

const HEADERS = {
  // The customer's device may cache the answer, but must revalidate it each time.
  "Cache-Control": "private, no-cache",
  // Two customers may share a device: the same URL has a different answer for each.
  Vary: "Authorization",
};

/**
 * Adds an `ETag` to a successful answer, and answers 304 without a body if the client already has that tag
 * (docs/contract/interface.md, 6). Failures get no tag. hono/etag does not fit: it would tag "no items", which is a 200.
 */
export const conditional = middleware({ mayBeUnchanged: true }, async (c, next) => {
  await next();
  if (c.var.answered === undefined) return;

  const tag = await tagOf(c.var.answered);
  if (isNamed(tag, c.req.header("If-None-Match"))) c.res = new Response(null, { status: 304 });
  // The tag is weak because Cloudflare compresses the body and then drops strong tags.
  c.res.headers.set("ETag", `W/${tag}`);
  for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
});

/** Hashes only the body's bytes, so the tag is the same in every data centre and after every deployment. */
async function tagOf(answered: Uint8Array<ArrayBuffer>): Promise<string> {
  return `"${encodeBase64Url(await crypto.subtle.digest("SHA-256", answered))}"`;
}

/** Whether `If-None-Match` lists the tag, weak or strong, or is `*` (RFC 9110, 13.1.2). */
function isNamed(tag: string, ifNoneMatch = ""): boolean {
  return ifNoneMatch.trim() === "*" || ifNoneMatch.match(/"[^"]*"/g)?.some((one) => one === tag) === true;
}
