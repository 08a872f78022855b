import { Random } from "../../demo/random.ts";

// Sounds about as often as names have them: what stands twice is twice as common.
const BEGINNINGS =
  "s s s st sh m m m m m b b b br h h h c c c cl ch w w r r r g g gr p p pr d d d l l l k k f f t t tr j j n n v a a a e e o i y z u qu";
const MIDDLES = "r r r l l l n n n t t d d s s m m ll nn tt rs k c g b v f h p st nd rt ck w z y th x";
const VOWELS = "a a a a e e e e e i i i o o o u ie ea ou";
const ENDINGS = "n n n r r s s s l t d m y z ng rd tz rs x k";
const ACCENTS: Readonly<Record<string, string>> = { a: "á", c: "ç", e: "é", i: "í", n: "ñ", o: "ö", u: "ü" };

const SOUNDS = {
  beginnings: BEGINNINGS.split(" "),
  middles: MIDDLES.split(" "),
  vowels: VOWELS.split(" "),
  endings: ENDINGS.split(" "),
};
const WITH_ENDING = 0.6;
const WITH_ACCENT = 0.05;

/** A made-up name: the same for the same seed. */
function madeUp(seed: string): string {
  const random = new Random(seed);
  let word = random.pick(SOUNDS.beginnings);
  if (!/^[aeiou]/.test(word) || word === "qu") word += random.pick(SOUNDS.vowels);
  for (let more = random.pick([1, 1, 1, 2, 2, 3]); more > 0; more -= 1) {
    word += random.pick(SOUNDS.middles) + random.pick(SOUNDS.vowels);
  }
  if (random.next() < WITH_ENDING) word += random.pick(SOUNDS.endings);
  if (random.next() < WITH_ACCENT) word = word.replace(/(?<=.)[aceinou]/, (letter) => ACCENTS[letter] ?? letter);
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/**
 * Words as people use them, by the law of Zipf and Mandelbrot: a word of rank r turns up as often as 1 / (r + `common`).
 * A few are met everywhere, and even after a million picks many a word comes for the first time.
 */
class Vocabulary {
  readonly #seed: string;
  readonly #size: number;
  readonly #common: number;
  readonly #words: string[] = [];

  constructor(seed: string, { size, common }: { size: number; common: number }) {
    this.#seed = seed;
    this.#size = size;
    this.#common = common;
  }

  pick(random: Random): string {
    // The ranks up to r have ln((r + common) / common) of all chances.
    const rank = Math.floor(this.#common * ((this.#size / this.#common + 1) ** random.next() - 1));
    const word = this.#words[rank] ?? madeUp(`${this.#seed} ${rank}`);
    this.#words[rank] = word;
    return word;
  }
}

const FIRST_NAMES = new Vocabulary("first names", { size: 30_000, common: 8 });
const LAST_NAMES = new Vocabulary("last names", { size: 300_000, common: 10 });
const CITIES = new Vocabulary("cities", { size: 20_000, common: 20 });

export function firstName(random: Random): string {
  return FIRST_NAMES.pick(random);
}

export function lastName(random: Random): string {
  return LAST_NAMES.pick(random);
}

export function city(random: Random): string {
  return CITIES.pick(random);
}
