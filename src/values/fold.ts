/**
 * Text as it is compared: decomposed, marks dropped, lower case. "José" and "JOSE" are both "jose"; letters without a
 * decomposition (ł, ø, ß) stay themselves (decisions.md, section 1).
 */
export function fold(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
