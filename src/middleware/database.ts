import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../app-env.ts";
import { signBookmark, verifyBookmark } from "../db/bookmarks.ts";
import { Database } from "../db/database.ts";
import { middleware } from "../openapi/notes.ts";

/**
 * Opens the database: at the `X-D1-Bookmark` that the client sends back, or without one at the
 * nearest replica; or at the primary, which needs no bookmark. The answer has the bookmark for the next request.
 */
export function database(begins: "bookmark" | "primary"): MiddlewareHandler<AppEnv> {
  return middleware({ hasBookmark: true, failures: ["Unavailable"] }, async (c, next) => {
    const consistency =
      begins === "primary" ? "first-primary" : await verifyBookmark(c.req.header("X-D1-Bookmark") ?? "", c.env);
    const db = new Database(c.env.DB, consistency);
    c.set("db", db);

    await next();

    // A later middleware may have opened the database again, elsewhere: then that one sets the bookmark.
    if (c.var.db !== db || db.bookmark === null) return;
    c.res.headers.set("X-D1-Bookmark", await signBookmark(db.bookmark, c.env));
  });
}
