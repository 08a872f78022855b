import type { Context, TypedResponse } from "hono";
import { encodeUtf8 } from "../values/json.ts";

declare const json: unique symbol;

/** The JSON of a value as text, ready to be sent. The brand keeps other strings out. */
export type JsonText<Value = unknown> = string & { readonly [json]: Value };

type ValueOf<Text> = Text extends JsonText<infer Value> ? Value : never;

export function toJson<Value>(value: Value): JsonText<Value> {
  return storedJson(JSON.stringify(value));
}

/** JSON that comes from the database. */
export function storedJson<Value = unknown>(text: string): JsonText<Value> {
  return text as JsonText<Value>;
}

export function jsonArray<Item>(items: readonly JsonText<Item>[]): JsonText<Item[]> {
  return storedJson(`[${items.join(",")}]`);
}

export function jsonObject<Members extends Readonly<Record<string, JsonText>>>(
  members: Members,
): JsonText<{ [Name in keyof Members]: ValueOf<Members[Name]> }> {
  const texts = Object.entries(members).map(([name, text]) => `"${name}":${text}`);
  return storedJson(`{${texts.join(",")}}`);
}

type Merged<Objects> = Objects extends readonly [JsonText<infer First>, ...infer Rest] ? First & Merged<Rest> : unknown;

/** Merges non-empty objects into one, without parsing them. */
export function mergeObjects<Objects extends readonly JsonText[]>(...objects: Objects): JsonText<Merged<Objects>> {
  return storedJson(`{${objects.map((object) => object.slice(1, -1)).join(",")}}`);
}

/** The type of an answer, for Hono's client. */
type JsonResponse<Body> = Response & TypedResponse<Body, 200, "json">;

/** A successful answer with these items. */
export function answerItems<Items extends JsonText>(c: Context, items: Items) {
  return answerJson(c, jsonObject({ status: toJson<true>(true), items }));
}

/** Answers 200 with a JSON body, and stores its bytes in `c.var.answered` for the ETag. */
export function answerJson<Body>(c: Context, body: JsonText<Body>): JsonResponse<Body> {
  const bytes = encodeUtf8(body);
  c.set("answered", bytes);
  return c.body(bytes, 200, { "Content-Type": "application/json" }) as Response as JsonResponse<Body>;
}
