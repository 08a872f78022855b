import { SPLITTERS, type Splitter } from "./splitters.ts";

/** What may go wrong at Cloudflare, for a test to switch on. By default, the worse of two reports holds. */
export class Faults {
  /** How the API cuts the text of a query. */
  split: Splitter | undefined = SPLITTERS.get("at each line that ends in a semicolon");
  /** Whether it refuses every trigger as `incomplete input`. A binding takes it. */
  refusesTriggers = false;
  /** Whether what ran of a query that fails is undone. */
  undoes = false;
  /** What a migration is cut off by: before a statement of it, counted from 1, or before its answer. */
  interruption: { migration: string; before: number | "the answer" } | undefined;
  /** Whether the token may edit databases beyond asking them. */
  mayEditDatabases = true;
  hasSubdomain = true;
  hasR2 = true;
  hasAnalyticsEngine = true;
  /** How many cron triggers the account takes. */
  cronLimit = 250;
  /** Whether an upload that binds a KV namespace is refused at last, when everything is made. */
  refusesUploads = false;
  /**
   * The API takes 1,200 calls in five minutes. At which request that is reached, from where on all are refused, and for
   * how long, which the answer does not say.
   */
  callLimit: { reachedAt: RegExp; forMs: number } | undefined;
  refusedCalls = 0;
  #refusesUntil = 0;

  /** Whether a call is taken now. */
  takesCall(request: string): boolean {
    if (this.callLimit?.reachedAt.test(request)) {
      this.#refusesUntil = Date.now() + this.callLimit.forMs;
      this.callLimit = undefined;
    }
    const isTaken = Date.now() >= this.#refusesUntil;
    if (!isTaken) this.refusedCalls += 1;
    return isTaken;
  }
}
