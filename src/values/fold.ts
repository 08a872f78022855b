// How texts are compared (docs/contract/interface.md, 1). Steps and their order are tested over all characters of Unicode.

const ASCII = /^[\0-\x7f]*$/;

/** Whether a text is ASCII. Folding leaves each of its characters in its place. */
export const isAscii = (text: string): boolean => ASCII.test(text);

/** ’ ‘ ʼ ʻ ʾ ʿ ´ ` ′ ׳, and U+1FFD, which is ´ in NFC. */
const APOSTROPHES = /[\u2019\u2018\u02bc\u02bb\u02be\u02bf\u00b4`\u2032\u05f3\u1ffd]/g;

/** Accents: marks of Latin, Greek, Cyrillic, Hebrew and Arabic letters. Other marks are vowels or make another letter. */
const ACCENTS =
  "\\u0300-\\u036f\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4" +
  "\\u05c5\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed" +
  "\\u0897-\\u089f\\u08ca-\\u08e1\\u08e3-\\u08ff";
/** Characters that nobody sees, such as zero-width joiners and soft hyphens; and the line that stretches Arabic words. */
const INVISIBLE = "\\p{Default_Ignorable_Code_Point}\\u0640";
const DROPPED = new RegExp(`[${ACCENTS}${INVISIBLE}]`, "gu");

/** Letters for which people type other letters, and which have no decomposition. */
const TYPED_FOR: Readonly<Record<string, string>> = {
  ...{ ς: "σ", đ: "d", ð: "d", ħ: "h", ł: "l", ø: "o", ŧ: "t", ŋ: "n", ə: "e", æ: "ae", œ: "oe", þ: "th" },
  // Arabic and Persian: ya, kaf, ha and alif.
  ...{ "\u0649": "\u064a", "\u06cc": "\u064a", "\u06d2": "\u064a", "\u06a9": "\u0643", "\u06aa": "\u0643" },
  ...{ "\u0629": "\u0647", "\u06c1": "\u0647", "\u06be": "\u0647", "\u06d5": "\u0647", "\u06c3": "\u0647" },
  "\u0671": "\u0627",
};
const OTHERWISE_TYPED = new RegExp(`[${Object.keys(TYPED_FOR).join("")}]|(?![0-9])\\p{Nd}`, "gu");

/**
 * Folds a text for comparison: "José" and "JOSE" become "jose", "Łukasz" becomes "lukasz". Drops accents, but keeps the marks
 * that make another letter, such as those of kana. Folding a folded text changes nothing.
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase().replaceAll("`", "'");
  // Three times, because ẞ has no capital, ı becomes i only through its capital, and ß becomes ss.
  const inLowerCase = decompose(text.replace(APOSTROPHES, "'")).toLowerCase().toUpperCase().toLowerCase();
  return decompose(inLowerCase)
    .replace(OTHERWISE_TYPED, (character) => TYPED_FOR[character] ?? digitOf(character))
    .normalize("NFC");
}

/** Some decompositions have an apostrophe, such as that of ŉ. */
function decompose(text: string): string {
  return text.normalize("NFKD").replace(APOSTROPHES, "'").replace(DROPPED, "");
}

const DIGIT = /\p{Nd}/u;

/** The ASCII digit. Digits of a script have ten code points in a row, sometimes twice in a row. */
function digitOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  let first = code;
  while (DIGIT.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}

// A folded text has no capital letter, so a match cannot span two texts.
const BETWEEN = "A";

/** Folds several texts into one, which contains a folded search term only if one of the texts does. */
export function foldAll(texts: readonly unknown[]): string {
  return texts.map((text) => fold(String(text ?? ""))).join(BETWEEN);
}
