/** Faults of Cloudflare that a test can switch on. */
export class Faults {
  /** The answer to a request with this text is lost after the request's statements have run. */
  losesAnswerTo: string | undefined;
  /** Whether the token may change the settings of databases. */
  mayEditDatabases = true;
  hasSubdomain = true;
  hasR2 = true;
  hasAnalyticsEngine = true;
  /** How many cron triggers the account may have. */
  cronLimit = 250;
  /** Whether an upload that binds a KV namespace is refused, after all resources are made. */
  refusesUploads = false;
  /**
   * The API accepts 1,200 calls in five minutes. This is the request that reaches the limit, and for how long the API then
   * refuses all calls. Its answers do not say how long.
   */
  callLimit: { reachedAt: RegExp; forMs: number } | undefined;
  refusedCalls = 0;
  #refusesUntil = 0;

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
