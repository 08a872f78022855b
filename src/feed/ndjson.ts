import { decodeUtf8, parseObject } from "../values/json.ts";
import type { FieldMessages } from "../values/messages.ts";

/** A line that holds something: its number, from 1, and its text, or null where the bytes are not UTF-8. */
export interface NumberedText {
  number: number;
  text: string | null;
}

const NEWLINE = 0x0a;

/** The lines of a body. A blank line is left out, but counted in the numbers of those that follow. */
export function* splitLines(body: Uint8Array): Generator<NumberedText> {
  for (let start = 0, number = 1; start < body.length; number += 1) {
    const newline = body.indexOf(NEWLINE, start);
    const end = newline === -1 ? body.length : newline;
    const line = readLine(number, body.subarray(start, end));
    if (line !== null) yield line;
    start = end + 1;
  }
}

/**
 * The line that these bytes are, without a byte order mark, or null where it is blank. The service and `npm run feed`
 * both read lines here, so that the command calls nothing good that the service refuses.
 */
export function readLine(number: number, bytes: Uint8Array): NumberedText | null {
  const text = decodeUtf8(bytes);
  return text?.trim() === "" ? null : { number, text };
}

/** The object that a line holds, or what is wrong with the line. */
export function objectOf(text: string | null): Record<string, unknown> | FieldMessages[string] {
  if (text === null) return ["must be UTF-8"];
  if (holdsTooMuch(text)) return [`must hold at most ${VALUES_LIMIT} values`];
  return parseObject(text) ?? ["must be a JSON object"];
}

const VALUES_LIMIT = 100_000;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const BEFORE_A_VALUE = new Set([..."[{,"].map((sign) => sign.charCodeAt(0)));

/** Whether a line has too many values to be parsed: an empty list takes two bytes of a body and thirty of memory. */
function holdsTooMuch(text: string): boolean {
  if (text.length <= VALUES_LIMIT) return false;
  let values = 0;
  let isText = false;
  for (let at = 0; at < text.length && values <= VALUES_LIMIT; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) isText = !isText;
    else if (isText && sign === BACKSLASH) at += 1;
    else if (!isText && BEFORE_A_VALUE.has(sign)) values += 1;
  }
  return values > VALUES_LIMIT;
}
