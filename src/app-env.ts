import { HonoBase } from "hono/hono-base";
import { RegExpRouter } from "hono/router/reg-exp-router";
import type { FeedToken } from "./auth/token.ts";
import type { Cache } from "./cache/cache.ts";
import type { Database } from "./db/database.ts";
import type { Inboxes } from "./inbox/inboxes.ts";

/** Both ways to the database. */
export interface BothDatabases {
  primary: Database;
  /** The nearest replica, or the primary where there is none. */
  nearest: Database;
}

/** What a handler finds in `c.env` and `c.var`. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    /** Set for the routes that read or write D1. */
    db: Database;
    /** What answered. Left out where a copy of the database did, whose region D1 names, or where nothing was looked up. */
    source: "inbox" | "memory" | "kv" | "primary";
    /** How old the leaderboard was that was answered. */
    boardAgeSeconds: number;
    /** Set where the service looks at itself. */
    databases: BothDatabases;
    /** The way to KV. */
    cache: Cache;
    /** The way to the inboxes of customers: set where messages are read, sockets opened, or changes fed. */
    inboxes: Inboxes;
    /** The tokens that came as subprotocols of a WebSocket: set for its route. */
    subprotocolTokens: readonly string[];
    /** The customer who calls: set below /api/v1/customer. */
    customerId: string;
    /** When their token expires, in seconds since 1970. */
    tokenExpires: number;
    /** The body of a 200 as bytes, for its ETag. */
    answered?: Uint8Array<ArrayBuffer>;
    /** Who feeds: set below /api/v1/feed. */
    feedToken: FeedToken;
  };
}

/** A router of this service: every one shares `AppEnv`. Hono's own preset brings another for paths that this one cannot. */
export function createRouter() {
  return new HonoBase<AppEnv>({ router: new RegExpRouter() });
}

/** Development is what `npm start` runs; anything else is a deployment. */
export function isDevelopment(env: Env): boolean {
  return env.ENVIRONMENT === "development";
}
