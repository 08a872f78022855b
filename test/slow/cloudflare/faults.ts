/** Faults of Cloudflare that a test can switch on. */
export class Faults {
  /** If a request to a Worker has this text, the Worker runs its statements, but its answer is lost. */
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
   * The API accepts 1,200 calls in five minutes. The first request that matches `reachedAt` reaches this limit. Then
   * the API refuses all calls for `forMs`, and its answers do not say how long.
   */
  callLimit: { reachedAt: RegExp; forMs: number } | undefined;
  refusedCalls = 0;
  #refusesUntil = 0;

  /** Whether the API accepts a call. */
  takesCall(request: string): boolean {
    if (this.callLimit?.reachedAt.test(request)) {
      this.#refusesUntil = Date.now() + this.callLimit.forMs;
      this.callLimit = undefined;
    }
    if (Date.now() >= this.#refusesUntil) return true;
    this.refusedCalls += 1;
    return false;
  }
}
