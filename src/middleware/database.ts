import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../app-env.ts";
import { signBookmark, verifyBookmark } from "../db/bookmarks.ts";
import { Database } from "../db/database.ts";

/** Reads begin at the client's `X-D1-Bookmark`, or at the nearest replica if the client sent none. */
export const databaseAtBookmark = database("bookmark");

/** Reads always see the newest data. */
export const databaseAtPrimary = database("primary");

/** Opens a database session. The answer carries the bookmark for the next request. */
function database(start: "bookmark" | "primary"): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const consistency =
      start === "primary" ? "first-primary" : await verifyBookmark(c.req.header("X-D1-Bookmark") ?? "", c.env);
    const db = new Database(c.env.DB, consistency);
    c.set("db", db);

    await next();

    // If a later middleware opened another session, it sets the bookmark.
    if (c.var.db !== db || db.bookmark === null) return;
    c.res.headers.set("X-D1-Bookmark", await signBookmark(db.bookmark, c.env));
  };
}
