/** An answer that the service may say has not changed, by a 304. */
interface Tagged {
  tag: string;
  text: string;
}

/** How many characters are held in all: of the longest answers, of 2 MiB each, one or two. */
const LONGEST = 4_000_000;

/** Answers by their address. Of more than it can hold it forgets those that were used longest ago. */
export class AnswerCache {
  readonly #answers = new Map<string, Tagged>();
  #length = 0;

  find(address: string): Tagged | undefined {
    return this.#answers.get(address);
  }

  keep(address: string, answer: Tagged): void {
    this.#forget(address);
    this.#answers.set(address, answer);
    this.#length += answer.text.length;
    for (const oldest of this.#answers.keys()) {
      if (this.#length <= LONGEST) break;
      this.#forget(oldest);
    }
  }

  #forget(address: string): void {
    this.#length -= this.#answers.get(address)?.text.length ?? 0;
    this.#answers.delete(address);
  }
}
