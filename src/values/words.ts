/**
 * Text as it is compared: decomposed, marks dropped, lower case. "José" and "JOSE" are both "jose"; letters without a
 * decomposition (ł, ø, ß) stay themselves, and the two small sigmas are one (docs/decisions.md, "Search").
 */
export function fold(text: string): string {
  // Σ becomes ς or σ by its neighbours, the only letter that does so: "ΚΩΣ" would not begin "Κώστας".
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ς", "σ");
}

// Folding leaves no capital A, so no needle reaches from one text into the next.
const BETWEEN = "A";

/** Several texts folded into one, in which a folded needle is found exactly where one of them holds it. */
export function foldAll(texts: readonly unknown[]): string {
  return texts.map((text) => fold(String(text ?? ""))).join(BETWEEN);
}

/** The words of texts: runs of letters and digits, folded, each once, in the order in which they first stand. */
export function wordsOf(...texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => fold(text).match(/[\p{L}\p{N}]+/gu) ?? []))];
}

/** The column `words` of a record: the words of some of its fields, as the search index takes them. */
export function wordsColumn(record: Readonly<Record<string, unknown>>, fields: readonly string[]): string {
  return wordsOf(...fields.map((field) => String(record[field]))).join(" ");
}
