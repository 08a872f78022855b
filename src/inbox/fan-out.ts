import { DurableObject } from "cloudflare:workers";
import { type Call, makeCalls } from "./calls.ts";
import { Inboxes } from "./inboxes.ts";

/** Notifies many inboxes for one Worker, which alone has too few connections. It stores nothing. */
export class FanOut extends DurableObject<Env> {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Makes these calls once the batches before are done, and resolves with the customers whose inbox was reached. `endsAt`
   * is absolute, in milliseconds since 1970: a batch that waited for too long calls nobody.
   */
  async notify(calls: readonly Call[], endsAt: number): Promise<string[]> {
    const batch = this.#last.then(() => makeCalls(new Inboxes(this.env), calls, endsAt - Date.now()));
    this.#last = batch.catch(() => {});
    return [...(await batch)];
  }
}
