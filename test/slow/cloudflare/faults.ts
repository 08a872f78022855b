/** Faults of Cloudflare, for a test to switch on. */
export class Faults {
  /** The answer to the Worker's request with this text is lost, although its statements have run. */
  losesAnswerTo: string | undefined;
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

  /** Whether the API takes a call now. */
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
