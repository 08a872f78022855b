import type { Context } from "hono";
import { encodeUtf8 } from "../values/json.ts";

declare const isJson: unique symbol;

/**
 * JSON in UTF-8, ready to be sent. Texts are joined as bytes: then a text that many items share is encoded once, and its size is
 * known. The brand keeps other bytes out.
 */
export type JsonText = Uint8Array<ArrayBuffer> & { readonly [isJson]: true };

export function toJson(value: unknown): JsonText {
  return storedJson(JSON.stringify(value));
}

/** JSON that comes from the database. */
export function storedJson(text: string): JsonText {
  return encodeUtf8(text) as JsonText;
}

export function jsonArray(items: readonly JsonText[]): JsonText {
  return enclose("[", items, "]");
}

export function jsonObject(members: Readonly<Record<string, JsonText>>): JsonText {
  const texts = Object.entries(members).map(([name, text]) => enclose(`"${name}":`, [text], ""));
  return enclose("{", texts, "}");
}

/** Merges non-empty objects into one, without parsing them. */
export function mergeObjects(...objects: readonly JsonText[]): JsonText {
  return enclose(
    "{",
    objects.map((object) => object.subarray(1, -1)),
    "}",
  );
}

/** Texts with commas between them. */
function enclose(opening: string, texts: readonly Uint8Array[], closing: string): JsonText {
  const parts = [encodeUtf8(opening), ...texts.flatMap((text, index) => (index === 0 ? [text] : [COMMA, text]))];
  parts.push(encodeUtf8(closing));
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    bytes.set(part, end);
    end += part.length;
  }
  return bytes as JsonText;
}

const COMMA = encodeUtf8(",");

/** A successful answer with these items. */
export function answerItems(c: Context, items: JsonText): Response {
  return answerJson(c, jsonObject({ status: toJson(true), items }));
}

/** Answers 200 with a JSON body, and stores its bytes in `c.var.answered` for the ETag. */
export function answerJson(c: Context, body: JsonText): Response {
  c.set("answered", body);
  return c.body(body, 200, { "Content-Type": "application/json" });
}
