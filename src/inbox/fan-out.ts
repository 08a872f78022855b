import { DurableObject } from "cloudflare:workers";
import { Inboxes } from "./inboxes.ts";
import { makeCalls } from "./notify.ts";
import type { Call, CallsOutcome } from "./protocol.ts";

/** Notifies many inboxes for one Worker, whose six connections would not suffice. It stores nothing. */
export class FanOut extends DurableObject<Env> {
  // All batches share it, so that they make at most five calls at once: calls of an earlier batch may still be under way.
  readonly #inboxes = new Inboxes(this.env);

  /** Makes these calls. `endsAt` is in milliseconds since 1970, so that a batch that has waited too long calls nobody. */
  notify(calls: readonly Call[], endsAt: number): Promise<CallsOutcome> {
    return makeCalls(this.#inboxes, calls, endsAt - Date.now());
  }
}
