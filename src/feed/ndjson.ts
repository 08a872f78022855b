import { decodeUtf8, parseObject } from "../values/json.ts";
import type { FieldMessages } from "../values/messages.ts";

/** A line that holds something: its number, from 1, and its text, or null where the bytes are not UTF-8. */
export interface NumberedText {
  number: number;
  text: string | null;
}

const NEWLINE = 0x0a;

/**
 * The lines of a body, `most` at most: a body of nothing but short lines would fill a Worker's memory. A blank line is
 * left out, but counted in the numbers of those that follow.
 */
export function splitLines(body: Uint8Array, most: number): NumberedText[] {
  const lines: NumberedText[] = [];
  for (let start = 0, number = 1; start < body.length && lines.length < most; number += 1) {
    const newline = body.indexOf(NEWLINE, start);
    const end = newline === -1 ? body.length : newline;
    const line = readLine(number, body.subarray(start, end));
    if (line !== null) lines.push(line);
    start = end + 1;
  }
  return lines;
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
  return text === null ? ["must be UTF-8"] : (parseObject(text) ?? ["must be a JSON object"]);
}
