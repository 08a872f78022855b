/**
 * Text as it is compared: decomposed, marks dropped, lower case. "José" and "JOSE" are both "jose"; letters without a
 * decomposition (ł, ø, ß) stay themselves (decisions.md, section 1).
 */
export function fold(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

// Folding leaves no capital A, so no needle reaches from one text into the next.
const BETWEEN = "A";

/** Several texts folded into one, in which a folded needle is found exactly where one of them holds it. */
export function foldAll(texts: readonly unknown[]): string {
  return texts.map((text) => fold(String(text ?? ""))).join(BETWEEN);
}
