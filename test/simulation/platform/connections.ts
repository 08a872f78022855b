/** How many calls may wait for their answers. */
const AT_ONCE = 6;

/**
 * The connections of an invocation of a Worker, or of an object (workers-sdk#13609, cloudflare-docs#31147). Calls of D1, KV,
 * R2 and objects count; of objects' methods nobody says whether they do (cloudflare-docs#22320).
 */
export class Connections {
  #free = AT_ONCE;
  readonly #queue: (() => void)[] = [];

  /** Makes a call, once fewer than six are under way. Whoever makes it has its clock running meanwhile. */
  async run(call: () => Promise<void>): Promise<void> {
    if (this.#free === 0) await new Promise<void>((resume) => this.#queue.push(resume));
    else this.#free -= 1;
    try {
      await call();
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
