import { faultOfJson } from "./json-fault.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** Decodes UTF-8 and drops a byte order mark; null if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** Encodes a text. The encoder never returns shared memory, though its type allows that. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
}

type JsonObject = Record<string, unknown>;

/** Parses a JSON object. If the text is anything else, returns its fault, such as "must be a JSON object: it is an array". */
export function readObject(text: string): JsonObject | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return `must be a JSON object: it is ${FORM.test(text) ? "a form" : faultOfJson(text)}`;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  const what = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
  return `must be a JSON object: it is ${what}`;
}

/** The fields of a form, or the boundary of a form in parts. */
const FORM = /^(?:[\w.~%+[\]-]+=|--[^\r\n]+\r\n)/;

/** Parses a JSON object; null if the text is anything else. */
export function parseObject(text: string): JsonObject | null {
  const object = readObject(text);
  return typeof object === "string" ? null : object;
}
