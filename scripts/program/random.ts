/** A generator of random numbers that gives the same numbers for the same seed. */
export class Random {
  #state: number;

  /** Each part of a program has its own seed, so that a change of one part does not change the others. */
  constructor(seed: string) {
    this.#state = 2_166_136_261;
    for (const char of seed) this.#state = Math.imul(this.#state ^ (char.codePointAt(0) ?? 0), 16_777_619);
  }

  /** The next random number, at least 0 and less than 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.integer(0, items.length - 1)];
    if (item === undefined) throw new Error("There is nothing to pick from.");
    return item;
  }

  /** `count` different items, in their order. */
  sample<Item>(items: readonly Item[], count: number): Item[] {
    const ranked = items.map((item, index) => ({ item, index, rank: this.next() }));
    const chosen = ranked.sort((first, second) => first.rank - second.rank).slice(0, count);
    return chosen.sort((first, second) => first.index - second.index).map(({ item }) => item);
  }
}
