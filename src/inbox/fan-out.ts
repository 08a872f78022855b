import { DurableObject } from "cloudflare:workers";
import { Inboxes } from "./inboxes.ts";
import { type Call, makeCalls, type Outcome } from "./notify.ts";

/** Notifies many inboxes for one Worker, which alone has too few connections. It stores nothing. */
export class FanOut extends DurableObject<Env> {
  // Its batches share five connections, also with the calls that an earlier batch has left under way.
  readonly #inboxes = new Inboxes(this.env);

  /** Makes these calls. `endsAt` is absolute, in milliseconds since 1970: a batch that waited for too long calls nobody. */
  notify(calls: readonly Call[], endsAt: number): Promise<Outcome> {
    return makeCalls(this.#inboxes, calls, endsAt - Date.now());
  }
}
