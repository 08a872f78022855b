import type { Context, MiddlewareHandler } from "hono";
import type { AppEnv } from "../app-env.ts";
import { type BookmarkRules, signBookmark, verifyBookmark } from "../db/bookmarks.ts";
import { Database, noUsage } from "../db/database.ts";
import { annotate } from "../openapi/notes.ts";
import { listPrograms } from "../programs/programs.ts";

const BOOKMARK_NOTE = {
  description:
    "Where the database stood. Sent back with the next request, that sees at least what this one saw. Not to be read or changed.",
  example: "00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683.F0mRSIPyLdDs3yt2yLJkSaKmNUzJnWQrsdMBJKVO0Vs",
};

/**
 * Opens the database of the request's program. It begins where the `X-D1-Bookmark` says that the client sends back, and without one at
 * the nearest replica; or else at the primary, which is behind no bookmark, so that none is looked at. The answer gives
 * the bookmark that the database stands at then.
 */
export function database(begins: "bookmark" | "primary"): MiddlewareHandler<AppEnv> {
  const handler: MiddlewareHandler<AppEnv> = async (c, next) => {
    const rules = bookmarkRules(c);
    const consistency =
      begins === "primary" ? "first-primary" : await verifyBookmark(c.req.header("X-D1-Bookmark") ?? "", rules);
    const db = new Database(c.var.program.database, consistency);
    c.set("db", db);

    await next();

    // One that stands after this may have opened the database elsewhere, and then gives that one's bookmark.
    if (c.var.db !== db || db.bookmark === null) return;
    c.res.headers.set("X-D1-Bookmark", await signBookmark(db.bookmark, rules));
  };
  return annotate(handler, { headers: { "X-D1-Bookmark": BOOKMARK_NOTE }, failures: ["Unavailable"] });
}

/** Opens every program's database, where no bookmark is taken or given: for what needs no token. */
export function allDatabases(): MiddlewareHandler<AppEnv> {
  const handler: MiddlewareHandler<AppEnv> = async (c, next) => {
    const usage = noUsage();
    const databases = listPrograms(c.env).map(({ database }) => ({
      primary: new Database(database, "first-primary", usage),
      nearest: new Database(database, "first-unconstrained", usage),
    }));
    c.set("databases", databases);
    if (databases[0] !== undefined) c.set("db", databases[0].nearest);
    await next();
  };
  return annotate(handler, { failures: ["Unavailable"] });
}

function bookmarkRules(c: Context<AppEnv>): BookmarkRules {
  const { JWT_SECRET = "", ENVIRONMENT = "" }: Partial<Env> = c.env;
  return { secret: JWT_SECRET, environment: ENVIRONMENT, program: c.var.program.name };
}
