import type { MiddlewareHandler } from "hono";
import { encodeBase64Url } from "hono/utils/encode";
import type { AppEnv } from "../app-env.ts";

/**
 * Adds an `ETag` to a successful answer, and answers 304 without a body if the client already has that tag
 * (docs/contract/interface.md, 6). Failures get no tag. hono/etag does not fit: it would tag "no items", which is a 200.
 */
export const conditional: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  if (c.var.answered === undefined) return;

  // Only the body is hashed, so the tag is the same in every data centre and after every deployment.
  const tag = `"${encodeBase64Url(await crypto.subtle.digest("SHA-256", c.var.answered))}"`;
  if (isNamed(tag, c.req.header("If-None-Match"))) c.res = new Response(null, { status: 304 });
  // The tag is weak because Cloudflare compresses the body and then drops strong tags.
  c.res.headers.set("ETag", `W/${tag}`);
  // The device may cache the answer, but must revalidate it each time.
  c.res.headers.set("Cache-Control", "private, no-cache");
  // Two customers may share a device: the same URL has a different answer for each.
  c.res.headers.set("Vary", "Authorization");
};

/** Whether `If-None-Match` lists the tag, weak or strong, or is `*` (RFC 9110, 13.1.2). */
function isNamed(tag: string, ifNoneMatch = ""): boolean {
  return ifNoneMatch.trim() === "*" || ifNoneMatch.match(/"[^"]*"/g)?.includes(tag) === true;
}
