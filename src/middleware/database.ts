import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../app-env.ts";
import { signBookmark, verifyBookmark } from "../db/bookmarks.ts";
import { Database } from "../db/database.ts";
import { middleware, type Notes } from "../openapi/notes.ts";

/**
 * Opens a database session. `"bookmark"` starts at the client's `X-D1-Bookmark`, or at the nearest replica if the client
 * sent none; `"primary"` always reads the newest data. The answer carries the bookmark for the next request.
 */
export function database(start: "bookmark" | "primary"): MiddlewareHandler<AppEnv> {
  const note: Notes = { headers: ["X-D1-Bookmark"], readsFrom: start, failures: ["Unavailable"] };
  return middleware(note, async (c, next) => {
    const consistency =
      start === "primary" ? "first-primary" : await verifyBookmark(c.req.header("X-D1-Bookmark") ?? "", c.env);
    const db = new Database(c.env.DB, consistency);
    c.set("db", db);

    await next();

    // If a later middleware opened another session, it sets the bookmark.
    if (c.var.db !== db || db.bookmark === null) return;
    c.res.headers.set("X-D1-Bookmark", await signBookmark(db.bookmark, c.env));
  });
}
