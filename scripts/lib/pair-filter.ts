const BITS = 2 ** 27;
const HASHES = 4;

/**
 * Remembers pairs of ids in 16 MB, however many they are: a Bloom filter. It knows every pair that it was given; one that
 * it was not given it may take for known, among ten million pairs in one of 250 cases.
 */
export class PairFilter {
  readonly #bits = new Uint8Array(BITS / 8);

  add(one: string, other: string): void {
    for (const bit of bitsOf(one, other)) this.#bits[bit >> 3] = (this.#bits[bit >> 3] ?? 0) | (1 << (bit & 7));
  }

  has(one: string, other: string): boolean {
    return bitsOf(one, other).every((bit) => ((this.#bits[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0);
  }
}

function bitsOf(one: string, other: string): number[] {
  const text = JSON.stringify([one, other]);
  const [first, second] = [hash(text, 0x811c9dc5), hash(text, 0x9747b28c) | 1];
  return Array.from({ length: HASHES }, (_, index) => ((first + index * second) >>> 0) % BITS);
}

/** FNV-1a, 32 bits. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}
