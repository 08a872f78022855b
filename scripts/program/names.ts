import { Random } from "./random.ts";

// The sounds of made-up names. A sound that is listed twice is twice as frequent.
const split = (words: string) => words.split(" ");
const BEGINNINGS = split(
  "s s s st sh m m m m m b b b br h h h c c c cl ch w w r r r g g gr p p pr d d d l l l k k f f t t tr j j n n v a a a e e o i y z u qu",
);
const MIDDLES = split("r r r l l l n n n t t d d s s m m ll nn tt rs k c g b v f h p st nd rt ck w z y th x");
const VOWELS = split("a a a a e e e e e i i i o o o u ie ea ou");
const ENDINGS = split("n n n r r s s s l t d m y z ng rd tz rs x k");
const ACCENTS: Readonly<Record<string, string>> = { a: "á", c: "ç", e: "é", i: "í", n: "ñ", o: "ö", u: "ü" };
const ENDING_SHARE = 0.6;
const ACCENT_SHARE = 0.05;

/** A made-up name. The same seed gives the same name. */
function madeUp(seed: string): string {
  const random = new Random(seed);
  let word = random.pick(BEGINNINGS);
  if (!/^[aeiou]/.test(word) || word === "qu") word += random.pick(VOWELS);
  for (let syllables = random.pick([1, 1, 1, 2, 2, 3]); syllables > 0; syllables -= 1) {
    word += random.pick(MIDDLES) + random.pick(VOWELS);
  }
  if (random.next() < ENDING_SHARE) word += random.pick(ENDINGS);
  if (random.next() < ACCENT_SHARE) word = word.replace(/(?<=.)[aceinou]/, (letter) => ACCENTS[letter] ?? letter);
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/**
 * Words with the frequencies of real texts, by the law of Zipf and Mandelbrot: a word of rank r is picked with a
 * probability proportional to 1 / (r + `common`). A few words are very frequent, and new words still come after a
 * million picks.
 */
function vocabulary(realNames: readonly string[], { size, common }: { size: number; common: number }) {
  const words = [...realNames];
  return (random: Random): string => {
    // Ranks up to r have the share ln(1 + r / common) / ln(1 + size / common) of all picks. This solves that for r.
    const rank = Math.floor(common * ((size / common + 1) ** random.next() - 1));
    const word = words[rank] ?? madeUp(`${realNames[0]} ${rank}`);
    words[rank] = word;
    return word;
  };
}

const FIRST =
  "Ada Ben Chloé Diego Elif Fatima Goran Hana Ivan José Kofi Lena Mia Noor Omar Priya Quentin Rosa Sven Tomás";
const LAST =
  "Adeyemi Brown Castillo Dubois Eriksson Fischer García Haddad Ito Łukasz Marsh Nowak Obi Patel Quinn Rossi";
const STREETS = "Main High Station Market Park Harbour Mill Church";

const TOWNS = "Ashford Bellevue Clifton Dover Easton Fairview Greenville";

function vocabularies({ isLarge }: { isLarge: boolean }) {
  const pickerOf = (text: string, size: number, common: number) => {
    const realNames = text.split(" ");
    return vocabulary(realNames, { size: isLarge ? size : realNames.length, common });
  };
  return {
    firstName: pickerOf(FIRST, 30_000, 8),
    lastName: pickerOf(LAST, 300_000, 10),
    streetName: pickerOf(STREETS, 300_000, 10),
    townName: pickerOf(TOWNS, 20_000, 20),
  };
}

const REAL_NAMES = vocabularies({ isLarge: false });
const MADE_UP_NAMES = vocabularies({ isLarge: true });

/** Functions that pick names. In a large program most names are made up, because there are not enough real names. */
export function namesOf({ hasMadeUpNames }: { hasMadeUpNames: boolean }): typeof REAL_NAMES {
  return hasMadeUpNames ? MADE_UP_NAMES : REAL_NAMES;
}

/** The companies of the first chains. Later chains are named after people. */
export const COMPANIES = `
Blue Cup Coffee, Corner Bakery & Sons, Dragonfly Tea House, Fresh Fields Market, Galaxy Cinemas, Golden Crust Pizza
Harbor Fuel, Iron Horse Gym, Jade Noodle Bar, Kiosk 24, Lima Limón Juices, Maple Pharmacy, Northwind Outdoor
Olive & Thyme, Pão Quente, Quick Wash, Rosé Flowers, Sunrise Diner, Tomás' Tacos, Umbrella Books`
  .trim()
  .split(/, |\n/);

export interface City {
  city: string;
  state: string;
  latitude: number;
  longitude: number;
}

// The largest cities of the world.
const CITY_TABLE = `Tokyo,Tokyo,35.68,139.76;Mumbai,Maharashtra,19.02,72.86;Mexico City,Distrito Federal,19.44,-99.13
Shanghai,Shanghai,31.22,121.44;São Paulo,São Paulo,-23.56,-46.63;New York,New York,40.75,-73.99;Karachi,Sind,24.87,66.99
Buenos Aires,Buenos Aires,-34.6,-58.4;Delhi,Delhi,28.67,77.23;Moscow,Moscow,55.75,37.62;Istanbul,Istanbul,41.1,29.01
Dhaka,Dhaka,23.72,90.41;Cairo,Cairo,30.05,31.25;Seoul,Seoul,37.57,127;Kolkata,West Bengal,22.49,88.32
Jakarta,Jakarta,-6.17,106.83;Los Angeles,California,33.99,-118.18;London,England,51.5,-0.12;Lima,Lima,-12.05,-77.05
Paris,Île-de-France,48.87,2.33;Sydney,New South Wales,-33.92,151.19;Lagos,Lagos,6.44,3.39;Chicago,Illinois,41.83,-87.75`;

export const CITIES: readonly City[] = CITY_TABLE.split(/[;\n]/).map((line) => {
  const [city = "", state = "", latitude, longitude] = line.split(",");
  return { city, state, latitude: Number(latitude), longitude: Number(longitude) };
});
