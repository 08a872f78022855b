import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../http/context.ts";
import { annotate } from "../openapi/notes.ts";
import { type Consistency, Database } from "./database.ts";

// What production does with a bookmark of another shape is not documented, so only the known shape is passed on.
const BOOKMARK = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/;

const BOOKMARK_NOTE = {
  description: "Where the database stood. Sent back with the next request, that sees at least what this one saw.",
  example: "00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683",
};

/**
 * Opens the request's database: where the client's `X-D1-Bookmark` says, else as `consistency` says. The primary is not
 * behind any bookmark, so a request that begins there needs none.
 */
export function database(consistency: Consistency): MiddlewareHandler<AppEnv> {
  const handler: MiddlewareHandler<AppEnv> = async (c, next) => {
    const bookmark = c.req.header("X-D1-Bookmark") ?? "";
    const continues = consistency !== "first-primary" && BOOKMARK.test(bookmark);
    c.set("db", new Database(c.env.DB, continues ? bookmark : consistency));
    await next();
  };
  return annotate(handler, { headers: { "X-D1-Bookmark": BOOKMARK_NOTE }, failures: ["Unavailable"] });
}
