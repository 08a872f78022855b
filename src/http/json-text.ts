import type { Context } from "hono";

declare const isJson: unique symbol;

/** Text that is JSON, and so may stand in an answer as it is. The type keeps plain strings out. */
export type JsonText = string & { readonly [isJson]: true };

export function toJson(value: unknown): JsonText {
  return JSON.stringify(value) as JsonText;
}

export function jsonArray(items: readonly JsonText[]): JsonText {
  return `[${items.join(",")}]` as JsonText;
}

export function jsonObject(members: Readonly<Record<string, JsonText>>): JsonText {
  const texts = Object.entries(members).map(([name, text]) => `${toJson(name)}:${text}`);
  return `{${texts.join(",")}}` as JsonText;
}

/** The text of an object that has members already, with one more. */
export function withMember(object: JsonText, name: string, value: JsonText): JsonText {
  return `${object.slice(0, -1)},${toJson(name)}:${value}}` as JsonText;
}

/** The answer of a call that went well. */
export function answerItems(c: Context, items: JsonText): Response {
  const body = jsonObject({ status: toJson(true), items });
  return c.body(body, 200, { "Content-Type": "application/json" });
}
