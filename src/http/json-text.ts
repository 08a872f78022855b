import type { Context, TypedResponse } from "hono";
import { encodeUtf8 } from "../values/json.ts";

declare const isJson: unique symbol;

/** JSON as text, ready to be sent. The brand keeps other strings out. */
export type JsonText = string & { readonly [isJson]: true };

export function toJson(value: unknown): JsonText {
  return storedJson(JSON.stringify(value));
}

/** JSON that comes from the database. */
export function storedJson(text: string): JsonText {
  return text as JsonText;
}

export function jsonArray(items: readonly JsonText[]): JsonText {
  return storedJson(`[${items.join(",")}]`);
}

export function jsonObject(members: Readonly<Record<string, JsonText>>): JsonText {
  const texts = Object.entries(members).map(([name, text]) => `"${name}":${text}`);
  return storedJson(`{${texts.join(",")}}`);
}

/** Merges non-empty objects into one, without parsing them. */
export function mergeObjects(...objects: readonly JsonText[]): JsonText {
  return storedJson(`{${objects.map((object) => object.slice(1, -1)).join(",")}}`);
}

/** A successful answer with these items. Whoever splices them from texts says their type, for Hono's client. */
export function answerItems<Items>(c: Context, items: JsonText) {
  return answerJson<{ status: true; items: Items }>(c, jsonObject({ status: toJson(true), items }));
}

/** Answers 200 with a JSON body, and stores its bytes in `c.var.answered` for the ETag. */
export function answerJson<Body>(c: Context, body: JsonText) {
  const bytes = encodeUtf8(body);
  c.set("answered", bytes);
  const response: Response = c.body(bytes, 200, { "Content-Type": "application/json" });
  return response as Response & TypedResponse<Body, 200, "json">;
}
