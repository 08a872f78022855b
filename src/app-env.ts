import type { Context } from "hono";
import { HonoBase } from "hono/hono-base";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { getPath } from "hono/utils/url";
import type { Database } from "./db/database.ts";

/** What a feeder's token permits. */
export interface FeedToken {
  /** The name of the system that sends. */
  subject: string;
  /** The accounts whose records the token may write. */
  accounts: readonly string[] | "*";
  /** Whether the token may restore an export (docs/contract/restore.md). */
  restores: boolean;
}

/** What a till's token permits (docs/contract/till.md). */
export interface TillToken {
  /** The name of the till or the shop. */
  subject: string;
  /** The accounts at whose stores the till may stand. */
  accounts: readonly string[] | "*";
  /** The stores at which the till may stand; `"*"`: all stores of its accounts. */
  stores: readonly string[] | "*";
}

/** The types of `c.env` and `c.var`. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    /** Set for the routes that read or write D1. */
    db: Database;
    /** What answered, where that need not be D1. If it is unset, `db.usage` says which database answered, if any. */
    source: "inbox" | "memory" | "kv" | "primary";
    boardAgeSeconds: number;
    /** Why the token was refused. Only the log names it. */
    tokenFault?: string;
    /** The caller, on routes below /api/v1/customer. */
    customerId: string;
    /** When the customer's token expires, in seconds since 1970. */
    tokenExpires: number;
    /** The values by which REVOKED_TOKENS may list the customer's token. */
    tokenNames: readonly string[];
    /** The body of a 200 as bytes, for its ETag. */
    answered?: Uint8Array<ArrayBuffer>;
    /** On POST /api/v1/feed. */
    feedToken: FeedToken;
    /** The caller, on routes below /api/v1/till. */
    till: TillToken;
    /** On GET /api/v1/feed/changes: the accounts whose changes the token may read. */
    exportAccounts: FeedToken["accounts"];
  };
}

/** A router typed with `AppEnv`. Hono's default preset would add a second router implementation to the bundle. */
export function createRouter() {
  return new HonoBase<AppEnv>({ router: new RegExpRouter(), getPath: (request) => plainPath(getPath(request)) });
}

/** A path without doubled slashes, and without one at its end (docs/contract/interface.md, 1). */
function plainPath(path: string): string {
  const single = path.replace(/\/{2,}/g, "/");
  return single.length > 1 && single.endsWith("/") ? single.slice(0, -1) : single;
}

/** True for `npm start`; false for every deployment. */
export function isDevelopment(env: Env): boolean {
  return env.ENVIRONMENT === "development";
}

/** Background work. An object, so that tests can replace it and wait for the work. */
export const background = {
  /** Keeps the Worker alive until the work is done. A failure is logged and never reaches the client. */
  run({ executionCtx }: Pick<Context, "executionCtx">, work: Promise<unknown>): void {
    executionCtx.waitUntil(
      work.catch((error: unknown) => {
        const cause = error instanceof Error ? error.name : typeof error;
        console.log(JSON.stringify({ error: "BACKGROUND_WORK", cause }));
      }),
    );
  },
};

/**
 * Waits for work. `waitUntil` lets it go on if the client is gone: cancelled work would stay admitted for a minute.
 */
export function finish<Result>(
  { executionCtx }: Pick<Context, "executionCtx">,
  work: Promise<Result>,
): Promise<Result> {
  executionCtx.waitUntil(work.catch(() => {}));
  return work;
}
