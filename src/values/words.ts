import { fold } from "./fold.ts";

/** The words of texts: runs of letters and digits, folded, each once, in the order in which they first stand. */
export function wordsOf(...texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => fold(text).match(/[\p{L}\p{N}]+/gu) ?? []))];
}

/** The column `words` of a record: the words of some of its fields, as the search index takes them. */
export function wordsColumn(record: Readonly<Record<string, unknown>>, fields: readonly string[]): string {
  return wordsOf(...fields.map((field) => String(record[field]))).join(" ");
}
