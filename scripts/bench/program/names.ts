import { Random } from "../../demo/random.ts";

const SYLLABLES =
  "ma ri ga lo te sa no ki ra be lu da vi so ne ta mi ro ha le pa ju co fe an el or is en il ar um os ed".split(" ");

/** Words that nobody is called, some of them beginning alike; a later one is rarer in use. */
function vocabulary(seed: string, size: number): string[] {
  const random = new Random(seed);
  const words = new Set<string>();
  while (words.size < size) {
    const word = Array.from({ length: random.integer(2, 4) }, () => random.pick(SYLLABLES)).join("");
    words.add(word.charAt(0).toUpperCase() + word.slice(1));
  }
  return [...words];
}

const FIRST_NAMES = vocabulary("first names", 3_000);
const LAST_NAMES = vocabulary("last names", 20_000);
const CITIES = vocabulary("cities", 5_000);

/** The most common is borne by two in a hundred, half of them are borne by three in ten. */
function pickByUse(words: readonly string[], random: Random): string {
  return words[Math.floor(words.length * random.next() ** 2)] ?? "";
}

export function firstName(random: Random): string {
  return pickByUse(FIRST_NAMES, random);
}

export function lastName(random: Random): string {
  return pickByUse(LAST_NAMES, random);
}

export function city(random: Random): string {
  return pickByUse(CITIES, random);
}
