import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../http/context.ts";
import { type Consistency, Database } from "./database.ts";

// What production does with a bookmark of another shape is not documented, so only the known shape is passed on.
const BOOKMARK = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/;

/** Opens the request's database: where the client's `X-D1-Bookmark` says, else as `consistency` says. */
export function database(consistency: Consistency): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const bookmark = c.req.header("X-D1-Bookmark") ?? "";
    c.set("db", new Database(c.env.DB, BOOKMARK.test(bookmark) ? bookmark : consistency));
    await next();
  };
}
