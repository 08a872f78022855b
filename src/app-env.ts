import type { Context } from "hono";
import { HonoBase } from "hono/hono-base";
import { RegExpRouter } from "hono/router/reg-exp-router";
import type { FeedToken, TokenFault } from "./auth/token.ts";
import type { Database } from "./db/database.ts";

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
    /** What is wrong with the request's token: for the log. */
    tokenFault?: TokenFault;
    /** The customer who calls: set below /api/v1/customer. */
    customerId: string;
    /** When their token expires, in seconds since 1970. */
    tokenExpires: number;
    /** The body of a 200 as bytes, for its ETag. */
    answered?: Uint8Array<ArrayBuffer>;
    /** Who feeds: set for POST /api/v1/feed. */
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

/** Work in the background: one object, so that tests can wait for it. */
export const background = {
  /** Keeps the request alive until the work is done. That it failed is logged, and no client hears of it. */
  run({ executionCtx }: Pick<Context, "executionCtx">, work: Promise<unknown>): void {
    executionCtx.waitUntil(
      work.catch((error: unknown) => {
        const cause = error instanceof Error ? error.name : typeof error;
        console.log(JSON.stringify({ error: "BACKGROUND_WORK", cause }));
      }),
    );
  },
};
