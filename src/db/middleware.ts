import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../http/context.ts";
import { type Consistency, Database } from "./database.ts";

// What production does with a bookmark of another shape is not documented, so only the known shape is passed on.
const BOOKMARK = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/;

/**
 * Opens the request's database: where the client's `X-D1-Bookmark` says, else as `consistency` says. The primary is not
 * behind any bookmark, so a request that begins there needs none.
 */
export function database(consistency: Consistency): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const bookmark = c.req.header("X-D1-Bookmark") ?? "";
    const continues = consistency !== "first-primary" && BOOKMARK.test(bookmark);
    c.set("db", new Database(c.env.DB, continues ? bookmark : consistency));
    await next();
  };
}
