import type { Query } from "./query.ts";

const BEYOND_LATIN_1 = /[^\0-\xff]/;
const TO_ESCAPE = new Set([...'"\\'].map((sign) => sign.charCodeAt(0)));

/**
 * The bytes of memory that it takes to send statements in one batch: their parameters, and the one JSON text that D1's
 * binding makes of them. The runtime holds a text in one byte a character, or in two if any character is beyond Latin-1.
 */
export function memoryToSend(queries: readonly Query[]): number {
  const texts = new Map<string, { width: number; asJson: number }>();
  let [held, json, jsonWidth] = [0, 0, 1];
  for (const param of queries.flatMap(({ params }) => params)) {
    if (typeof param !== "string") continue;
    let text = texts.get(param);
    if (text === undefined) {
      text = { width: BEYOND_LATIN_1.test(param) ? 2 : 1, asJson: jsonLength(param) };
      texts.set(param, text);
      held += param.length * text.width;
    }
    json += text.asJson;
    jsonWidth = Math.max(jsonWidth, text.width);
  }
  return held + json * jsonWidth;
}

/** The length of a text, itself JSON, as a JSON text. */
function jsonLength(text: string): number {
  let length = text.length + 2;
  for (let at = 0; at < text.length; at += 1) if (TO_ESCAPE.has(text.charCodeAt(at))) length += 1;
  return length;
}
