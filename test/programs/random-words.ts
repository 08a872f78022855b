import type { Random } from "../../scripts/program/random.ts";

const split = (text: string) => text.split(" ");
/** Words with unusual letters, digits and signs, and words that mean something to SQL or FTS5. */
const ODD = split(
  "ann Anna ANAÏS José jose Jose\u0301 Zürich ma mar Mary Straße Łódź lodz øre ΟΔΟΣ οδος Κώστας 日本語 日本 Café cafe\u0301s 12 123 80202 ½ " +
    'x² Ⅷ ﬁsh Ǆ İstanbul ıstanbul Хлебный हिन्दी 김치 O\'Brien OR NEAR AND NOT a-b +1 * "quoted" 🎉party ſo K µ k μ Ꭰ Ა ა NULL \\ % _ שלום ～ 🍩 \uffff',
);
/** Sets of words so similar that a search may take one for another. */
const ALIKE = [
  "garcia garica gracia García garcias mari maria Marina maris marias marsi smith smithe smit Smiths smitten",
  "abcde abced abcd abcdef abcxe abbcde abcde1 abcd9 12345 aaaaa aaaa aaaaaa starbucks starbuckses",
  "οδυσσέας οδυσσεας οδυσεας οδυσσεα ΟΔΥΣΣΕΥΣ хлебный хлебнй хелбный 日本語東京 日本語京東 日本東京都 𐐨𐐩𐐪𐐫𐐬 𐐨𐐪𐐩𐐫𐐬",
  "O'Brien O’Brien obrien O-Brien Smith-O'Brien anne-marie AnneMarie Anne‐Marie brein obrein paral·lel parallel d'Arc",
  "علی علي کریم كريم كَرِيم فاطمة فاطمه مـحمد محمد שלום שָׁלוֹם שולם Łukasz lukasz Đặng dang Məmmədov Ærø ŉ ﷺ soft\u00adhyphen",
].map(split);

/** Sets of words in other scripts. */
const SCRIPTS = [
  "スターバックス 新宿店 ｽﾀｰﾊﾞｯｸｽ 新宿 バックス 店新 東京スターバックス 新宿・東京 2号店 髙橋 高橋 スタ ーバ",
  "스타벅스 강남점 스타벅스강남점 강남 남점 벅스강 김철수 철수 ㄱㅏ ไทยแลนด์ แลนด์ ไม้ไทย ไม ที่นี่ ກາເຟລາວ ភ្នំពេញ မြန်မာ",
  "हिन्दी हिन्दू हन्द தமிழ் தமிழன் বাংলা 12 १२ １２ Ａbcde ﬃnde ẞtrasse ٣٤ Yıldız YILDIZ yıldızlar ґрунт Ґрунт Հայաստան հայաստնա",
].map(split);

/** Makes the texts of a random program, from a few unusual and a few similar words, and a few of another script. */
export class RandomWords {
  readonly #random: Random;
  readonly #words: readonly string[];

  constructor(random: Random) {
    this.#random = random;
    this.#words = [
      ...random.sample(ODD, 3),
      ...random.sample(random.pick(ALIKE), 12),
      ...random.sample(random.pick(SCRIPTS), 3),
    ];
  }

  /** A word of the program, often with a typo. */
  word(): string {
    const random = this.#random;
    const letters = [...random.pick(this.#words)];
    const [at, letter] = [random.integer(0, letters.length - 1), random.pick([..."abcdeirstzσ東ы1-'가ไคا"])];
    const edit = random.pick(["none", "none", "none", "none", "add", "leave out", "replace", "swap"]);
    if (edit === "add") letters.splice(at, 0, letter);
    if (edit === "leave out") letters.splice(at, 1);
    if (edit === "replace") letters[at] = letter;
    if (edit === "swap") letters.splice(at, 2, ...letters.slice(at, at + 2).reverse());
    return letters.join("");
  }

  text(): string {
    const words = Array.from({ length: this.#random.integer(0, 3) }, () => this.word());
    return words.join(this.#random.pick([" ", " ", "  ", "-", ", ", "'", "_", "\u00a0", '"', ": ", "", "・"]));
  }

  part(): string {
    return [...this.word()].slice(0, 3).join("");
  }

  query(): string {
    const words = Array.from({ length: this.#random.integer(1, 3) }, () =>
      this.#random.next() < 0.2 ? this.part() : this.word(),
    );
    return [...words.join(" ").padEnd(3)].slice(0, 100).join("");
  }
}
